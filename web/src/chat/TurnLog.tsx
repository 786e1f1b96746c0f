/** What an agent did in one turn, in one line; a click hides or shows the calls. */
import { getToolName, isToolUIPart } from "ai";
import { use } from "react";
import { usePendingQuestions } from "@/api/queries";
import { Icon } from "@/ui/Icon";
import { useTranslate } from "@/words/words";
import { DecisionEntriesContext, type DecisionEntry } from "./decisionEntries";
import { type MessagePart, questionOfPart } from "./subtasks";

const ACTIONS = ["read", "ran", "failed", "denied", "proposed", "asked"] as const;
type Action = (typeof ACTIONS)[number];

const ACTION_TONES: Partial<Record<Action, string>> = {
  failed: "tone-ask tinted font-semibold",
  denied: "tone-deny tinted font-semibold",
  asked: "tone-ask tinted font-semibold",
};

/** Count the calls of a turn by what became of them; a call that has not ended counts only while it waits. */
export function countActions(
  parts: readonly MessagePart[],
  entries: ReadonlyMap<string, DecisionEntry>,
  waiting: ReadonlySet<string>,
): ReadonlyMap<Action, number> {
  const questions = parts.map(questionOfPart).filter((one) => one !== null);
  const counts = new Map<Action, number>();
  for (const part of parts.filter(isToolUIPart)) {
    const waits = questions.some((one) => one.toolCallId === part.toolCallId && waiting.has(one.id));
    const entry = entries.get(part.toolCallId);
    const action = waits ? "asked" : actionOf(part.state, String(getToolName(part)), entry);
    if (action) counts.set(action, (counts.get(action) ?? 0) + 1);
  }
  return counts;
}

function actionOf(state: string, tool: string, entry: DecisionEntry | undefined): Action | null {
  if (state === "output-denied") return "denied";
  if (state === "output-error") return entry?.verdict === "deny" ? "denied" : "failed";
  if (state !== "output-available") return null;
  if (tool === "editor.proposeEdit") return "proposed";
  return entry?.stage === "read" ? "read" : "ran";
}

type TurnLogProps = { parts: readonly MessagePart[]; open: boolean; onToggle: () => void };

export function TurnLog({ parts, open, onToggle }: TurnLogProps) {
  const t = useTranslate();
  const { data: pending = [] } = usePendingQuestions();
  const waiting = new Set(pending.filter((one) => one.state === "pending").map((one) => one.id));
  const counts = countActions(parts, use(DecisionEntriesContext), waiting);
  const shown = ACTIONS.flatMap((action) => {
    const count = counts.get(action);
    return count ? [{ action, count }] : [];
  });
  if (shown.length === 0) return null;
  return (
    <button type="button" className="turn-log" aria-expanded={open} onClick={onToggle}>
      <span className="sr-only">{t("turnLog")}</span>
      <Icon name={open ? "down" : "next"} size="small" className="text-ink-3" />
      {shown.map(({ action, count }) => (
        <span key={action} className={ACTION_TONES[action] ?? ""}>
          {t(`action.${action}`, { count })}
        </span>
      ))}
    </button>
  );
}
