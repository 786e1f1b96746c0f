/** What became of a question, in one line: who and when. */
import type { Approval } from "@/api/types";
import { Icon, type IconName } from "@/ui/Icon";
import { Sentence } from "@/ui/VisibleText";
import type { Key } from "@/words/en";
import { clock, exactly } from "@/words/time";
import { useWords } from "@/words/words";
import { editedOf } from "./question";

type Ending = { tone: string; icon: IconName; key: Key };

export function endingOf(approval: Approval): Ending {
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
      return { tone: "run", icon: "run", key: allowedHow(approval) };
  }
}

function allowedHow({ answer }: Approval): Key {
  if (answer?.released_by) return "over.released";
  if (answer?.say === "always") return "over.always";
  return answer?.say === "conversation" ? "over.conversation" : "over.approved";
}

/** What is said in the second person to the one who did it. */
const MINE = new Set<Key>([
  "over.approved",
  "over.conversation",
  "over.always",
  "over.denied",
  "over.running",
  "over.done",
  "over.failed",
]);

export function OverLine({ approval, me }: { approval: Approval; me: string }) {
  const { say, language } = useWords();
  const { tone, icon, key } = endingOf(approval);
  const by = approval.answer?.by;
  const mine = by === me && MINE.has(key) ? (`${key}.me` as Key) : key;
  const who = by || say("somebody");
  const at = approval.closed_at ?? approval.answered_at;
  const reason = approval.answer?.reason || (approval.state === "failed" ? approval.note : "");
  return (
    <p className={`over-line tone-${tone}`}>
      <Icon name={icon} />
      <span>
        <b className="font-semibold">{say(mine, { who })}</b>
        {editedOf(approval) && `, ${say("over.edited")}`}
        {reason && (
          <span className="text-ink-2">
            {" "}
            “<Sentence text={reason} />”
          </span>
        )}
      </span>
      {at && (
        <time className="meta ml-auto tabular-nums" dateTime={at} title={exactly(at, language)}>
          {clock(at, language)}
        </time>
      )}
    </p>
  );
}
