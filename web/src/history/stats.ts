/** Statistics from the server's counts: how many questions, how they ended, and which were approved without reading. */
import type { QuestionCountsJson, Tally } from "@/api/types";

/** The possible ends of a question, in the order of the page; `open` has no end yet. */
export const QUESTION_ENDS = ["yes", "no", "released", "expired", "withdrawn", "open"] as const;

export type SummaryFigures = { decisions: number; unasked: number; denied: number };

export function summaryFigures({ decisions: { run, ask, deny, absent } }: Tally): SummaryFigures {
  return { decisions: run + ask + deny + absent, unasked: run, denied: deny + absent };
}

export type QuestionSource = {
  /** The name of a tool or a rule, or of the stage if no rule asked. */
  name: string;
  questions: number;
  rate: number | null;
  median: number | null;
  rubberStamp: boolean;
};

/** The minimum number of answers before a pattern is reported. */
const MIN_ANSWERS_FOR_SHARE = 5;

/** The tools or rules that cause the questions, and which of them always get a quick yes. */
export function questionSources(tally: Tally, by: "tool" | "rule"): QuestionSource[] {
  return by === "tool"
    ? tally.tools.map((one) => toQuestionSource(one.tool, one))
    : tally.rules.map((one) => toQuestionSource(one.rule || one.stage, one));
}

type SourceCounts = { questions: QuestionCountsJson; median: number | null };

function toQuestionSource(
  name: string,
  { questions: { asked, yes, no }, median }: SourceCounts,
): QuestionSource {
  const answered = yes + no;
  const rate = answered > 0 ? yes / answered : null;
  const rubberStamp =
    answered >= MIN_ANSWERS_FOR_SHARE && rate !== null && rate >= 0.95 && median !== null && median < 2;
  return { name, questions: asked, rate, median, rubberStamp };
}

export type HourCounts = { at: number; asked: number; denied: number };
const HOUR_MS = 3_600_000;

/** Questions in each of the last 24 hours, the oldest first, aligned to full hours. */
export function questionsPerHour({ buckets }: Tally, now: number): HourCounts[] {
  const counted = new Map(buckets.map(({ at, questions }) => [Date.parse(at), questions]));
  const last = Math.floor(now / HOUR_MS) * HOUR_MS;
  return Array.from({ length: 24 }, (_, place) => {
    const at = last - (23 - place) * HOUR_MS;
    const found = counted.get(at);
    return { at, asked: found?.asked ?? 0, denied: found?.no ?? 0 };
  });
}
