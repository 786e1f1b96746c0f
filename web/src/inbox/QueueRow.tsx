/** A row of the queue: the part that needs approval, the agent, and the time left. */
import { memo } from "react";
import type { Approval } from "@/api/types";
import { linkTo } from "@/shell/route";
import { Icon } from "@/ui/Icon";
import { useNow } from "@/ui/now";
import { VisibleText } from "@/ui/VisibleText";
import { formatCountdown, formatDuration, secondsSince, secondsUntil } from "@/words/time";
import { useTranslate } from "@/words/words";
import { outcomeDisplay } from "./OutcomeLine";
import { irreversibleActs, questionHeadline } from "./question";

type QueueRowProps = {
  approval: Approval;
  current: boolean;
  /** Whether the row shows the agent, because no heading does. */
  namesAgent: boolean;
  title?: string | undefined;
};

export const QueueRow = memo(function QueueRow({ approval, current, namesAgent, title }: QueueRowProps) {
  const t = useTranslate();
  const { effect } = approval.tool;
  const open = approval.state === "pending";
  const ending = outcomeDisplay(approval);
  return (
    <a
      href={linkTo("inbox", approval.id)}
      aria-current={current ? "true" : undefined}
      className={`queue-row ${open ? `tone-${effect}` : `tone-${ending.tone} opacity-60`}`}
    >
      <Icon name={open ? effect : ending.icon} className="tinted mt-0.5" />
      <span className="queue-what">
        <VisibleText text={questionHeadline(approval)} />
      </span>
      <QuestionAge approval={approval} />
      <span className="queue-sub">
        <b className="tinted font-medium">{t(effect)}</b>
        {approval.locked ? (
          <>
            {" · "}
            <Icon name="lock" size="small" /> {t("lockedWord")}
          </>
        ) : (
          irreversibleActs(approval).length > 0 && (
            <>
              {" · "}
              <Icon name="destructive" size="small" /> {t("irreversibleWord")}
            </>
          )
        )}
        {" · "}
        <VisibleText
          text={[namesAgent ? approval.call.agent : "", title].filter(Boolean).join(" · ") || approval.cwd}
        />
      </span>
      <ExpiryTime approval={approval} />
    </a>
  );
});

function QuestionAge({ approval }: { approval: Approval }) {
  const now = useNow();
  return (
    <span className="meta text-right tabular-nums leading-5">
      {formatDuration(secondsSince(approval.asked_at, now))}
    </span>
  );
}

const EXPIRES_SOON_SECONDS = 300;

function ExpiryTime({ approval }: { approval: Approval }) {
  const t = useTranslate();
  const now = useNow();
  const secondsLeft = approval.expires_at ? secondsUntil(approval.expires_at, now) : null;
  if (secondsLeft === null || secondsLeft > EXPIRES_SOON_SECONDS || approval.state !== "pending")
    return <span />;
  return (
    <span className="inline-flex items-center justify-end gap-1 text-meta font-semibold text-danger tabular-nums">
      <Icon name="clock" size="small" />
      {t("left", { time: formatCountdown(secondsLeft) })}
    </span>
  );
}
