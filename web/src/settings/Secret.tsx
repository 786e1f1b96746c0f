/** A secret that is shown this once: in a dialog of its own, so that nothing covers it or takes it away. */
import { useState } from "react";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Icon } from "@/ui/Icon";
import { useSay } from "@/words/words";

type Props = { title: string; value: string; onClose: () => void };

export function Secret({ title, value, onClose }: Props) {
  const say = useSay();
  const [copied, setCopied] = useState(false);
  const copy = () =>
    // A page that is not secure has no clipboard, and a browser may say no: only what was copied is said to be.
    navigator.clipboard?.writeText(value).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <Dialog open firm onClose={onClose} title={title}>
      <div className="grid gap-4 px-5 pb-5">
        <p className="tone-ask tinted flex items-center gap-2 font-medium">
          <Icon name="warn" size="small" />
          {say("tokenOnce")}
        </p>
        <code className="rounded-m border border-line bg-sunken p-3 text-body break-all select-all">
          {value}
        </code>
        <div className="flex flex-wrap gap-2">
          <Button look="go" icon={copied ? "check" : "copy"} onClick={copy}>
            {say(copied ? "copied" : "copy")}
          </Button>
          <span role="status" className="sr-only">
            {copied && say("copied")}
          </span>
          <Button onClick={onClose}>{say("done")}</Button>
        </div>
      </div>
    </Dialog>
  );
}
