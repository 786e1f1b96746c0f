/** Peek, then batch: one answer to each of an explicit list, every one of which is shown. */
import { useState } from "react";
import type { Approval, Said } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Icon } from "@/ui/Icon";
import { VisibleText } from "@/ui/VisibleText";
import { useSay } from "@/words/words";
import { useBatch } from "./answering";
import { dangerSpans } from "./danger";
import { actOf, headline } from "./question";
import { batchable } from "./queue";

type Props = { name: string; approvals: readonly Approval[]; onClose: () => void };

export function Peek({ name, approvals, onClose }: Props) {
  const say = useSay();
  const listed = batchable(approvals);
  const [left, setLeft] = useState<ReadonlySet<string>>(
    () => new Set(listed.filter(isMarked).map((one) => one.id)),
  );
  const chosen = listed.filter((one) => !left.has(one.id));
  const batch = useBatch(onClose);
  const give = (answer: Said) => batch.mutate({ questions: chosen, answer });
  const toggle = (id: string) =>
    setLeft((before) =>
      before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
    );
  const none = chosen.length === 0 || batch.isPending;
  return (
    <Dialog open onClose={onClose} title={say("peekTitle", { agent: name })}>
      <div className="grid gap-3 px-5 pb-5">
        <ul className="preview">
          {listed.map((one) => (
            <li
              key={one.id}
              className={`tone-${one.tool.effect} !grid-cols-[16px_18px_minmax(0,1fr)] !items-start [&>.icon]:mt-0.5`}
            >
              <input
                type="checkbox"
                className="tick"
                aria-label={say("include", { what: headline(one) })}
                checked={!left.has(one.id)}
                onChange={() => toggle(one.id)}
              />
              <Icon name={one.tool.effect} size="small" />
              <code className="max-h-72 overflow-auto whitespace-pre-wrap">
                <VisibleText text={wholeOf(one)} />
              </code>
            </li>
          ))}
        </ul>
        <p className="text-ink-2">{say("peekNote")}</p>
        <div className="flex flex-wrap gap-2">
          <Button look="go" disabled={none} onClick={() => give({ say: "once" })}>
            {say("allowN", { count: chosen.length })}
          </Button>
          <Button onClick={onClose}>{say("oneByOne")}</Button>
          <span className="grow" />
          <Button look="stop" disabled={none} onClick={() => give({ say: "deny" })}>
            {say("denyN", { count: chosen.length })}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** All of it: an answer is only given to what can be read. */
function wholeOf(approval: Approval): string {
  const act = actOf(approval);
  if (act.kind === "command") return act.text;
  if (act.kind === "change" && act.before === null && Object.keys(act.rest).length === 0) {
    return `${act.path}\n${act.after}`;
  }
  return `${approval.call.tool} ${JSON.stringify(approval.call.args, null, 1)}`;
}

const isMarked = (approval: Approval) => {
  const act = actOf(approval);
  return act.kind === "command" && dangerSpans(act.text, approval).length > 0;
};
