/** The outcome of a question in one line: what, who and when. */
import type { Approval } from "@/api/types";
import { Icon, type IconName } from "@/ui/Icon";
import { Sentence } from "@/ui/VisibleText";
import type { TextKey } from "@/words/en";
import { formatDayAndTime, formatExactTime } from "@/words/time";
import { useLanguage } from "@/words/words";
import { editedArguments } from "./question";

type OutcomeDisplay = { tone: string; icon: IconName; key: TextKey };

export function outcomeDisplay(approval: Approval): OutcomeDisplay {
  switch (approval.state) {
    case "denied":
      return { tone: "deny", icon: "deny", key: "over.denied" };
    case "expired":
      return { tone: "quiet", icon: "clock", key: "over.expired" };
    case "withdrawn":
      return { tone: "quiet", icon: "undo", key: "over.withdrawn" };
    case "refused":
      return { tone: "deny", icon: "deny", key: "over.refused" };
    case "lapsed":
      return { tone: "quiet", icon: "clock", key: "over.lapsed" };
    case "unknown":
      return { tone: "ask", icon: "warn", key: "over.unknown" };
    case "running":
      return { tone: "run", icon: "bolt", key: "over.running" };
    case "done":
      return { tone: "run", icon: "run", key: "over.done" };
    case "failed":
      return { tone: "ask", icon: "warn", key: "over.failed" };
    case "approved":
    case "pending":
      return { tone: "run", icon: "run", key: allowedTextKey(approval) };
  }
}

function allowedTextKey({ answer }: Approval): TextKey {
  if (answer?.released_by) return "over.released";
  if (answer?.say === "always") return "over.always";
  return answer?.say === "conversation" ? "over.conversation" : "over.approved";
}

/** Texts that have a variant for the person who answered. */
const SECOND_PERSON_KEYS = new Set<TextKey>([
  "over.approved",
  "over.conversation",
  "over.always",
  "over.denied",
  "over.running",
  "over.done",
  "over.failed",
]);

export function OutcomeLine({ approval, me }: { approval: Approval; me: string }) {
  const { t, language } = useLanguage();
  const { tone, icon, key } = outcomeDisplay(approval);
  const by = approval.answer?.by;
  const mine = by === me && SECOND_PERSON_KEYS.has(key) ? (`${key}.me` as TextKey) : key;
  const who = by || t("somebody");
  const at = approval.closed_at ?? approval.answered_at;
  const reason = approval.answer?.reason || (approval.state === "failed" ? approval.note : "");
  return (
    <p className={`over-line tone-${tone}`}>
      <Icon name={icon} />
      <span>
        <b className="font-semibold">{t(mine, { who })}</b>
        {editedArguments(approval) && `, ${t("over.edited")}`}
        {reason && (
          <span className="text-ink-2">
            {" "}
            “<Sentence text={reason} />”
          </span>
        )}
      </span>
      {at && (
        <time className="meta ml-auto tabular-nums" dateTime={at} title={formatExactTime(at, language)}>
          {formatDayAndTime(at, language)}
        </time>
      )}
    </p>
  );
}
