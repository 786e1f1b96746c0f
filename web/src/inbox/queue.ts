/** The queue: filtering, order and grouping of questions. */
import type { Approval } from "@/api/types";
import type { Effect } from "@/ui/effect";
import { needsConfirmation, questionHeadline } from "./question";

export const GROUPINGS = ["agent", "time", "rule"] as const;
export type Grouping = (typeof GROUPINGS)[number];
export type QuestionFilter = { words: string; effect: Effect | "all"; later: boolean };
export type QueueListRow =
  | { kind: "group"; key: string; name: string; approvals: Approval[] }
  | { kind: "question"; key: string; approval: Approval };

const searchTexts = new WeakMap<Approval, string>();

/** The text of a question that the search looks at. */
function searchText(approval: Approval): string {
  const known = searchTexts.get(approval);
  if (known !== undefined) return known;
  const { agent, tool, conversation, args } = approval.call;
  const text = [agent, tool, conversation, questionHeadline(approval), JSON.stringify(args).slice(0, 5000)]
    .join("\n")
    .toLowerCase();
  searchTexts.set(approval, text);
  return text;
}

/** The questions that match the filter, the oldest first, so that a new one does not move the others. */
export function filterQuestions(approvals: readonly Approval[], filter: QuestionFilter): Approval[] {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  return approvals
    .filter((one) => (one.later_at !== null) === filter.later || one.state !== "pending")
    .filter((one) => filter.effect === "all" || one.tool.effect === filter.effect)
    .filter((one) => words.every((word) => searchText(one).includes(word)))
    .toSorted((one, other) => (wasAskedBefore(one, other) ? -1 : 1));
}

/** Timestamps are ISO texts, so comparing the texts compares the times. */
const wasAskedBefore = (one: Approval, other: Approval) =>
  one.asked_at === other.asked_at ? one.id < other.id : one.asked_at < other.asked_at;

/** Rows with group headings; groups are ordered by their oldest question. */
export function groupIntoRows(approvals: readonly Approval[], grouping: Grouping): QueueListRow[] {
  if (grouping === "time") return approvals.map(questionRow);
  const groups = Map.groupBy(approvals, (one) => groupName(one, grouping));
  return [...groups].flatMap(([name, members]) => [
    { kind: "group", key: `group ${name}`, name, approvals: members } as const,
    ...members.map(questionRow),
  ]);
}

const questionRow = (approval: Approval): QueueListRow => ({ kind: "question", key: approval.id, approval });

function groupName(approval: Approval, grouping: Grouping): string {
  if (grouping === "agent") return approval.call.agent || "–";
  return approval.decision.rule ?? approval.decision.stage;
}

/** The id of the next pending question after this one, continuing at the top. */
export function nextPendingId(rows: readonly QueueListRow[], id: string, step: 1 | -1 = 1): string {
  const ids = rows.flatMap((row) => (row.kind === "question" ? [row.approval] : []));
  const at = ids.findIndex((one) => one.id === id);
  const onwards =
    step === 1
      ? [...ids.slice(at + 1), ...ids.slice(0, at + 1)]
      : [...ids.slice(0, Math.max(at, 0)).reverse()];
  return onwards.find((one) => one.state === "pending" && one.id !== id)?.id ?? "";
}

export const countPending = (approvals: readonly Approval[]) =>
  approvals.filter((one) => one.state === "pending" && one.later_at === null).length;

/** Groups of questions that may be answered together: same tool and effect, same program and sub-command.
 *
 * Proposals and calls that need confirmation are answered one by one. */
export function groupForBatchReview(approvals: readonly Approval[]): Approval[][] {
  const open = approvals.filter(
    (one) =>
      one.state === "pending" &&
      !one.clipped &&
      one.delivery !== "propose" &&
      !needsConfirmation(one) &&
      one.decision.batch_key,
  );
  const kinds = Map.groupBy(open, (one) => one.decision.batch_key ?? "");
  return [...kinds.values()].filter((members) => members.length > 1);
}

/** The name of a batch group: the program and its sub-command, or the tool. */
export function batchReviewKey(approval: Approval): string {
  const { tool, decision } = approval;
  return decision.batch_key?.slice(`${tool.name} ${tool.effect}`.length).trim() || tool.name;
}
