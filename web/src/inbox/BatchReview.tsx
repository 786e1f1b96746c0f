/** Review several questions together: one answer for all that were seen to the end. */
import { useEffect, useRef, useState } from "react";
import { useApproval } from "@/api/queries";
import type { Approval, Said } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Icon } from "@/ui/Icon";
import { SegmentedControl } from "@/ui/SegmentedControl";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import { mergeLatestState, useSendBatchAnswer } from "./answering";
import { CallContentView, isFileChangeLoading } from "./CallContentView";
import { callContentFromApproval, questionHeadline } from "./question";
import { batchReviewKey, groupForBatchReview } from "./queue";

type BatchReviewProps = { approvals: readonly Approval[]; onClose: () => void };

export function BatchReview({ approvals, onClose }: BatchReviewProps) {
  const t = useTranslate();
  const kinds = groupForBatchReview(approvals);
  const [at, setAt] = useState("0");
  const listed = kinds[Number(at)] ?? [];
  return (
    <Dialog open onClose={onClose} title={t("peekTitle", { count: listed.length })}>
      {kinds.length > 1 && (
        <SegmentedControl
          className="mx-5 mb-3"
          label={t("grouping")}
          value={at}
          choices={kinds.flatMap(([first, ...rest], index) =>
            first ? [{ value: `${index}`, label: `${batchReviewKey(first)} · ${rest.length + 1}` }] : [],
          )}
          onChoose={setAt}
        />
      )}
      <ReviewList key={at} listed={listed} onClose={onClose} />
    </Dialog>
  );
}

function ReviewList({ listed, onClose }: { listed: readonly Approval[]; onClose: () => void }) {
  const t = useTranslate();
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  /** The digest that was on the screen, by question. */
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(new Map());
  const batch = useSendBatchAnswer(onClose);
  const chosen = listed.filter((one) => !excluded.has(one.id));
  const seenToEnd = chosen.flatMap((one) => {
    const digest = seen.get(one.id);
    return digest === undefined ? [] : [{ ...one, digest }];
  });
  const sendAnswer = (questions: readonly Approval[], answer: Said) => batch.mutate({ questions, answer });
  const toggle = (id: string) =>
    setExcluded((before) =>
      before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
    );
  const isDisabled = chosen.length === 0 || batch.isPending;
  return (
    <div className="grid gap-3 px-5 pb-5">
      <ul className="review">
        {listed.map((one) => (
          <ReviewItem
            key={one.id}
            approval={one}
            included={!excluded.has(one.id)}
            seen={seen.has(one.id)}
            onToggle={() => toggle(one.id)}
            onSeen={(digest) => setSeen((before) => new Map([...before, [one.id, digest]]))}
          />
        ))}
      </ul>
      <p className="text-ink-2">{t("peekNote")}</p>
      <div className="flex flex-wrap gap-2">
        <Button
          look="go"
          disabled={isDisabled || seenToEnd.length < chosen.length}
          onClick={() => sendAnswer(seenToEnd, { say: "once" })}
        >
          {t("allowN", { count: chosen.length })}
        </Button>
        {seenToEnd.length > 0 && seenToEnd.length < chosen.length && (
          <Button disabled={batch.isPending} onClick={() => sendAnswer(seenToEnd, { say: "once" })}>
            {t("allowSeen", { count: seenToEnd.length })}
          </Button>
        )}
        <Button onClick={onClose}>{t("oneByOne")}</Button>
        <span className="grow" />
        <Button look="stop" disabled={isDisabled} onClick={() => sendAnswer(chosen, { say: "deny" })}>
          {t("denyN", { count: chosen.length })}
        </Button>
      </div>
    </div>
  );
}

type ReviewItemProps = {
  approval: Approval;
  included: boolean;
  seen: boolean;
  onToggle: () => void;
  onSeen: (digest: string) => void;
};

/** One complete call, as its card shows it; it counts as seen when its end has been on the screen. */
function ReviewItem({ approval: listed, included, seen, onToggle, onSeen }: ReviewItemProps) {
  const t = useTranslate();
  // Lists contain neither file changes nor complete long texts.
  const { data: whole } = useApproval(listed.clipped || listed.file ? listed.id : "");
  const approval = mergeLatestState(whole, listed);
  const act = callContentFromApproval(approval);
  const isLoaded = !isFileChangeLoading(act) && !approval.clipped;
  return (
    <li className={`tone-${approval.tool.effect}`} data-seen={seen}>
      <label className="review-head">
        <input
          type="checkbox"
          className="tick"
          aria-label={t("include", { what: questionHeadline(approval) })}
          checked={included}
          onChange={onToggle}
        />
        <Icon name={approval.tool.effect} size="small" />
        <code className="truncate">
          <VisibleText text={questionHeadline(approval)} />
        </code>
        <span className={`review-seen ${seen ? "text-run" : "text-ink-3"}`}>
          {seen && <Icon name="check" size="small" />}
          {t(seen ? "seenToEnd" : "notSeenToEnd")}
        </span>
      </label>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it */}
      <section className="review-body" tabIndex={0} aria-label={questionHeadline(approval)}>
        <CallContentView approval={approval} act={act} whole onShowAll={() => {}} />
        {!seen && isLoaded && <EndOfItemMarker onSeen={() => onSeen(approval.digest)} />}
      </section>
    </li>
  );
}

/** A marker at the end of a text; reports when it is visible. */
function EndOfItemMarker({ onSeen }: { onSeen: () => void }) {
  const mark = useRef<HTMLSpanElement>(null);
  const onSeenRef = useRef(onSeen);
  onSeenRef.current = onSeen;
  useEffect(() => {
    if (!mark.current) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) onSeenRef.current();
    });
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, []);
  return <span ref={mark} className="review-end" aria-hidden="true" />;
}
