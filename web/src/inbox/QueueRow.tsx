/** A row of the queue: the part that asks, who asks, and how long it may wait. */
import { memo } from "react";
import type { Approval } from "@/api/types";
import { linkTo } from "@/shell/route";
import { Icon } from "@/ui/Icon";
import { useNow } from "@/ui/now";
import { VisibleText } from "@/ui/VisibleText";
import { countdown, secondsSince, secondsUntil, span } from "@/words/time";
import { useSay } from "@/words/words";
import { endingOf } from "./OverLine";
import { actsOf, headline } from "./question";

type Props = {
  approval: Approval;
  current: boolean;
  /** Whether no heading names the agent. */
  namesAgent: boolean;
  title?: string | undefined;
};

export const QueueRow = memo(function QueueRow({ approval, current, namesAgent, title }: Props) {
  const say = useSay();
  const { effect } = approval.tool;
  const open = approval.state === "pending";
  const ending = endingOf(approval);
  return (
    <a
      href={linkTo("inbox", approval.id)}
      aria-current={current ? "true" : undefined}
      className={`queue-row ${open ? `tone-${effect}` : `tone-${ending.tone} opacity-60`}`}
    >
      <Icon name={open ? effect : ending.icon} className="tinted mt-0.5" />
      <span className="queue-what">
        <VisibleText text={headline(approval)} />
      </span>
      <Age approval={approval} />
      <span className="queue-sub">
        <b className="tinted font-medium">{say(effect)}</b>
        {approval.locked ? (
          <>
            {" · "}
            <Icon name="lock" size="small" /> {say("lockedWord")}
          </>
        ) : (
          actsOf(approval).length > 0 && (
            <>
              {" · "}
              <Icon name="destructive" size="small" /> {say("irreversibleWord")}
            </>
          )
        )}
        {" · "}
        <VisibleText
          text={[namesAgent ? approval.call.agent : "", title].filter(Boolean).join(" · ") || approval.cwd}
        />
      </span>
      <Due approval={approval} />
    </a>
  );
});

function Age({ approval }: { approval: Approval }) {
  const now = useNow();
  return (
    <span className="meta text-right tabular-nums leading-5">
      {span(secondsSince(approval.asked_at, now))}
    </span>
  );
}

const SOON = 300;

function Due({ approval }: { approval: Approval }) {
  const say = useSay();
  const now = useNow();
  const left = approval.expires_at ? secondsUntil(approval.expires_at, now) : null;
  if (left === null || left > SOON || approval.state !== "pending") return <span />;
  return (
    <span className="inline-flex items-center justify-end gap-1 text-meta font-semibold text-danger tabular-nums">
      <Icon name="clock" size="small" />
      {say("left", { time: countdown(left) })}
    </span>
  );
}
