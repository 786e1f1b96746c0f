/** A secret that is shown once, in its own dialog, so that nothing covers or removes it. */
import { useState } from "react";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Icon } from "@/ui/Icon";
import { useTranslate } from "@/words/words";

type SecretDialogProps = { title: string; value: string; onClose: () => void };

export function SecretDialog({ title, value, onClose }: SecretDialogProps) {
  const t = useTranslate();
  const [copied, setCopied] = useState(false);
  const copy = () =>
    // An insecure page has no clipboard, and the browser may refuse: confirm only what was really copied.
    navigator.clipboard?.writeText(value).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <Dialog open keepOpen onClose={onClose} title={title}>
      <div className="grid gap-4 px-5 pb-5">
        <p className="tone-ask tinted flex items-center gap-2 font-medium">
          <Icon name="warn" size="small" />
          {t("tokenOnce")}
        </p>
        <code className="rounded-m border border-line bg-sunken p-3 text-body break-all select-all">
          {value}
        </code>
        <div className="flex flex-wrap gap-2">
          <Button look="go" icon={copied ? "check" : "copy"} onClick={copy}>
            {t(copied ? "copied" : "copy")}
          </Button>
          <span role="status" className="sr-only">
            {copied && t("copied")}
          </span>
          <Button onClick={onClose}>{t("done")}</Button>
        </div>
      </div>
    </Dialog>
  );
}
