/** The queue: which questions are shown, in which order and under which heading. */
import type { Approval } from "@/api/types";
import type { Effect } from "@/ui/effect";
import { headline, isHeld } from "./question";

export const GROUPINGS = ["agent", "time", "rule"] as const;
export type Grouping = (typeof GROUPINGS)[number];
export type Filter = { words: string; effect: Effect | "all"; later: boolean };
export type Row =
  | { kind: "group"; key: string; name: string; approvals: Approval[] }
  | { kind: "question"; key: string; approval: Approval };

const searched = new WeakMap<Approval, string>();

/** Everything about a question that a word may be found in. */
function searchable(approval: Approval): string {
  const known = searched.get(approval);
  if (known !== undefined) return known;
  const { agent, tool, conversation, args } = approval.call;
  const text = [agent, tool, conversation, headline(approval), JSON.stringify(args).slice(0, 5000)]
    .join("\n")
    .toLowerCase();
  searched.set(approval, text);
  return text;
}

/** The questions that pass, oldest first: what is new comes last and moves nothing. */
export function passing(approvals: readonly Approval[], filter: Filter): Approval[] {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  return approvals
    .filter((one) => (one.later_at !== null) === filter.later || one.state !== "pending")
    .filter((one) => filter.effect === "all" || one.tool.effect === filter.effect)
    .filter((one) => words.every((word) => searchable(one).includes(word)))
    .toSorted((one, other) => (isBefore(one, other) ? -1 : 1));
}

/** Moments are spelled so that the texts sort as they do. */
const isBefore = (one: Approval, other: Approval) =>
  one.asked_at === other.asked_at ? one.id < other.id : one.asked_at < other.asked_at;

/** Rows with their headings; groups stand in the order of their oldest question. */
export function rowsOf(approvals: readonly Approval[], grouping: Grouping): Row[] {
  if (grouping === "time") return approvals.map(question);
  const groups = Map.groupBy(approvals, (one) => nameOf(one, grouping));
  return [...groups].flatMap(([name, members]) => [
    { kind: "group", key: `group ${name}`, name, approvals: members } as const,
    ...members.map(question),
  ]);
}

const question = (approval: Approval): Row => ({ kind: "question", key: approval.id, approval });

function nameOf(approval: Approval, grouping: Grouping): string {
  if (grouping === "agent") return approval.call.agent || "–";
  return approval.decision.rule ?? approval.decision.stage;
}

/** The next question that still waits, from here on and then from the top. */
export function nextAfter(rows: readonly Row[], id: string, step: 1 | -1 = 1): string {
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

/** What may be answered in one go, by its kind: one tool and effect, one program and sub-command.
 *
 * Whatever a card holds for, and a proposal, is answered by itself. */
export function alike(approvals: readonly Approval[]): Approval[][] {
  const open = approvals.filter(
    (one) =>
      one.state === "pending" &&
      !one.clipped &&
      one.delivery !== "propose" &&
      !isHeld(one) &&
      one.decision.batch_key,
  );
  const kinds = Map.groupBy(open, (one) => one.decision.batch_key ?? "");
  return [...kinds.values()].filter((members) => members.length > 1);
}

/** What such a kind is called: the program and its sub-command, or the tool. */
export function kindName(approval: Approval): string {
  const { tool, decision } = approval;
  return decision.batch_key?.slice(`${tool.name} ${tool.effect}`.length).trim() || tool.name;
}
