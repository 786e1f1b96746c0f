/** Review together: one answer to each of an explicit list, every one of which was seen to its end. */
import { useEffect, useRef, useState } from "react";
import { useApproval } from "@/api/queries";
import type { Approval, Said } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Icon } from "@/ui/Icon";
import { Segments } from "@/ui/Segments";
import { VisibleText } from "@/ui/VisibleText";
import { useSay } from "@/words/words";
import { ActView, isLoading } from "./ActView";
import { latest, useBatch } from "./answering";
import { actOf, headline } from "./question";
import { alike, kindName } from "./queue";

type Props = { approvals: readonly Approval[]; onClose: () => void };

export function Peek({ approvals, onClose }: Props) {
  const say = useSay();
  const kinds = alike(approvals);
  const [at, setAt] = useState("0");
  const listed = kinds[Number(at)] ?? [];
  return (
    <Dialog open onClose={onClose} title={say("peekTitle", { count: listed.length })}>
      {kinds.length > 1 && (
        <Segments
          className="mx-5 mb-3"
          label={say("grouping")}
          value={at}
          choices={kinds.flatMap(([first, ...rest], index) =>
            first ? [{ value: `${index}`, label: `${kindName(first)} · ${rest.length + 1}` }] : [],
          )}
          onChoose={setAt}
        />
      )}
      <Review key={at} listed={listed} onClose={onClose} />
    </Dialog>
  );
}

function Review({ listed, onClose }: { listed: readonly Approval[]; onClose: () => void }) {
  const say = useSay();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  /** The digests of what was on the screen, by question. */
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(new Map());
  const batch = useBatch(onClose);
  const chosen = listed.filter((one) => !left.has(one.id));
  const read = chosen.flatMap((one) => {
    const digest = seen.get(one.id);
    return digest === undefined ? [] : [{ ...one, digest }];
  });
  const give = (questions: readonly Approval[], answer: Said) => batch.mutate({ questions, answer });
  const toggle = (id: string) =>
    setLeft((before) =>
      before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
    );
  const none = chosen.length === 0 || batch.isPending;
  return (
    <div className="grid gap-3 px-5 pb-5">
      <ul className="review">
        {listed.map((one) => (
          <Item
            key={one.id}
            approval={one}
            included={!left.has(one.id)}
            seen={seen.has(one.id)}
            onToggle={() => toggle(one.id)}
            onSeen={(digest) => setSeen((before) => new Map([...before, [one.id, digest]]))}
          />
        ))}
      </ul>
      <p className="text-ink-2">{say("peekNote")}</p>
      <div className="flex flex-wrap gap-2">
        <Button
          look="go"
          disabled={none || read.length < chosen.length}
          onClick={() => give(read, { say: "once" })}
        >
          {say("allowN", { count: chosen.length })}
        </Button>
        {read.length > 0 && read.length < chosen.length && (
          <Button disabled={batch.isPending} onClick={() => give(read, { say: "once" })}>
            {say("allowSeen", { count: read.length })}
          </Button>
        )}
        <Button onClick={onClose}>{say("oneByOne")}</Button>
        <span className="grow" />
        <Button look="stop" disabled={none} onClick={() => give(chosen, { say: "deny" })}>
          {say("denyN", { count: chosen.length })}
        </Button>
      </div>
    </div>
  );
}

type ItemProps = {
  approval: Approval;
  included: boolean;
  seen: boolean;
  onToggle: () => void;
  onSeen: (digest: string) => void;
};

/** One call, all of it, as its own card shows it; it counts as seen once its end has been on the screen. */
function Item({ approval: listed, included, seen, onToggle, onSeen }: ItemProps) {
  const say = useSay();
  // A list carries neither the change of a file nor all of a long text.
  const { data: whole } = useApproval(listed.clipped || listed.file ? listed.id : "");
  const approval = latest(whole, listed);
  const act = actOf(approval);
  const isHere = !isLoading(act) && !approval.clipped;
  return (
    <li className={`tone-${approval.tool.effect}`} data-seen={seen}>
      <label className="review-head">
        <input
          type="checkbox"
          className="tick"
          aria-label={say("include", { what: headline(approval) })}
          checked={included}
          onChange={onToggle}
        />
        <Icon name={approval.tool.effect} size="small" />
        <code className="truncate">
          <VisibleText text={headline(approval)} />
        </code>
        <span className={`review-seen ${seen ? "text-run" : "text-ink-3"}`}>
          {seen && <Icon name="check" size="small" />}
          {say(seen ? "seenToEnd" : "notSeenToEnd")}
        </span>
      </label>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it */}
      <section className="review-body" tabIndex={0} aria-label={headline(approval)}>
        <ActView approval={approval} act={act} whole onShowAll={() => {}} />
        {!seen && isHere && <End onSeen={() => onSeen(approval.digest)} />}
      </section>
    </li>
  );
}

/** The end of a text: tells when it stands on the screen, whatever scrolls around it. */
function End({ onSeen }: { onSeen: () => void }) {
  const mark = useRef<HTMLSpanElement>(null);
  const told = useRef(onSeen);
  told.current = onSeen;
  useEffect(() => {
    if (!mark.current) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) told.current();
    });
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, []);
  return <span ref={mark} className="review-end" aria-hidden="true" />;
}
