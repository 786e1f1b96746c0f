/** What the audit's rows add up to: how much is asked, how it is answered, and where nobody reads any more. */
import type { AuditRow } from "@/api/types";

const YES = new Set(["approved"]);
const NO = new Set(["denied", "denied_with_reason"]);

export type Asked = {
  at: number;
  tool: string;
  rule: string;
  answeredAfter: number | null;
  answer: "yes" | "no" | "expired" | "open";
};

const callOf = ({ entry }: AuditRow) => `${entry.conversation} ${entry.agent} ${entry.call}`;

/** Every question among the rows, with what was said to it and how long that took, in seconds. */
export function questionsOf(rows: readonly AuditRow[]): Asked[] {
  const ends = new Map(
    rows.filter((row) => row.entry.verdict === "" && row.entry.call !== "").map((row) => [callOf(row), row]),
  );
  return rows
    .filter((row) => row.entry.verdict === "ask")
    .map((row) => {
      const end = ends.get(callOf(row));
      const answer = end ? answerIn(end.entry.decision) : "open";
      const said = end && (answer === "yes" || answer === "no");
      return {
        at: Date.parse(row.at),
        tool: row.entry.tool,
        rule: row.entry.rule || row.entry.stage,
        answeredAfter: said ? Math.max(0, (Date.parse(end.at) - Date.parse(row.at)) / 1000) : null,
        answer,
      };
    });
}

function answerIn(decision: string): Asked["answer"] {
  if (YES.has(decision)) return "yes";
  if (NO.has(decision)) return "no";
  return decision === "expired" ? "expired" : "open";
}

export type Figures = {
  decisions: number;
  unasked: number;
  denied: number;
  questions: number;
  yes: number;
  no: number;
  expired: number;
  median: number | null;
};

export function figuresOf(rows: readonly AuditRow[]): Figures {
  const asked = questionsOf(rows);
  const count = (answer: Asked["answer"]) => asked.filter((one) => one.answer === answer).length;
  const verdicts = rows.map((row) => row.entry.verdict);
  return {
    decisions: verdicts.filter((verdict) => verdict !== "").length,
    unasked: verdicts.filter((verdict) => verdict === "run").length,
    denied: verdicts.filter((verdict) => verdict === "deny" || verdict === "absent").length,
    questions: asked.length,
    yes: count("yes"),
    no: count("no"),
    expired: count("expired"),
    median: medianOf(asked.flatMap((one) => one.answeredAfter ?? [])),
  };
}

export function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

export type Load = {
  tool: string;
  questions: number;
  rate: number | null;
  median: number | null;
  rubberStamp: boolean;
};

/** From so many answers on a habit can be told from chance. */
const ENOUGH = 5;

/** Where questions come from; where nearly all get a quick yes, a rule or a block would serve better. */
export function loadOf(asked: readonly Asked[], by: "tool" | "rule"): Load[] {
  return [...Map.groupBy(asked, (one) => one[by])]
    .map(([tool, members]) => {
      const answered = members.filter((one) => one.answer === "yes" || one.answer === "no");
      const rate =
        answered.length > 0 ? answered.filter((one) => one.answer === "yes").length / answered.length : null;
      const median = medianOf(answered.flatMap((one) => one.answeredAfter ?? []));
      const rubberStamp =
        answered.length >= ENOUGH && rate !== null && rate >= 0.95 && median !== null && median < 2;
      return { tool, questions: members.length, rate, median, rubberStamp };
    })
    .toSorted((one, other) => other.questions - one.questions || one.tool.localeCompare(other.tool));
}

export type Hour = { at: number; asked: number; denied: number };
const HOUR = 3_600_000;

/** Questions in each of the last 24 hours, the oldest first; hours begin on the hour. */
export function perHour(asked: readonly Asked[], now: number): Hour[] {
  const last = Math.floor(now / HOUR) * HOUR;
  return Array.from({ length: 24 }, (_, at) => {
    const from = last - (23 - at) * HOUR;
    const within = asked.filter((one) => one.at >= from && one.at < from + HOUR);
    return { at: from, asked: within.length, denied: within.filter((one) => one.answer === "no").length };
  });
}
