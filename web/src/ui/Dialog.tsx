/** A dialog. It draws its own overlay, because Radix's injects a style that the content security policy forbids. */
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { useTranslate } from "@/words/words";
import { Button } from "./Button";

type DialogProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  hideTitle?: boolean;
  /** A click outside does not close the dialog, so that its content is not lost. */
  keepOpen?: boolean;
  children: ReactNode;
};

export function Dialog({ open, onClose, title, hideTitle = false, keepOpen = false, children }: DialogProps) {
  const t = useTranslate();
  return (
    <Radix.Root open={open} onOpenChange={(stays) => !stays && onClose()}>
      <Radix.Portal>
        <div className="veil" />
        <Radix.Content
          className="dialog"
          aria-describedby={undefined}
          onPointerDownOutside={(event) => keepOpen && event.preventDefault()}
        >
          <header className={hideTitle ? "sr-only" : "flex items-center gap-3 px-5 pt-4 pb-2"}>
            <Radix.Title className="grow">{title}</Radix.Title>
            {!hideTitle && <Button look="quiet" icon="close" aria-label={t("close")} onClick={onClose} />}
          </header>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
