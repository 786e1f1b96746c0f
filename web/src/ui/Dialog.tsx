/** A dialog over the page. It draws its own veil: Radix's would inject a style, which our policy forbids. */
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { useSay } from "@/words/words";
import { Button } from "./Button";

type Props = {
  open: boolean;
  onClose: () => void;
  title: string;
  hideTitle?: boolean;
  /** A press beside it does not close it: what it shows would be lost. */
  firm?: boolean;
  children: ReactNode;
};

export function Dialog({ open, onClose, title, hideTitle = false, firm = false, children }: Props) {
  const say = useSay();
  return (
    <Radix.Root open={open} onOpenChange={(stays) => !stays && onClose()}>
      <Radix.Portal>
        <div className="veil" />
        <Radix.Content
          className="dialog"
          aria-describedby={undefined}
          onPointerDownOutside={(event) => firm && event.preventDefault()}
        >
          <header className={hideTitle ? "sr-only" : "flex items-center gap-3 px-5 pt-4 pb-2"}>
            <Radix.Title className="grow">{title}</Radix.Title>
            {!hideTitle && <Button look="quiet" icon="close" aria-label={say("close")} onClick={onClose} />}
          </header>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
