/** Statistics from the server's counts: how many questions, how they ended, and which were approved without reading. */
import type { QuestionsCounted, Tally } from "@/api/types";

/** The ends and states of a question, in display order. */
export const QUESTION_ENDS = ["yes", "no", "released", "expired", "withdrawn", "open"] as const;

export type Figures = { decisions: number; unasked: number; denied: number };

export function figuresOf({ decisions: { run, ask, deny, absent } }: Tally): Figures {
  return { decisions: run + ask + deny + absent, unasked: run, denied: deny + absent };
}

export type QuestionSource = {
  /** A tool, a rule, or the stage if no rule asked. */
  name: string;
  questions: number;
  rate: number | null;
  median: number | null;
  rubberStamp: boolean;
};

/** The number of answers from which a pattern is more than chance. */
const MIN_ANSWERS = 5;

/** The tools or rules that cause the questions, and which of them always get a quick yes. */
export function questionSources(tally: Tally, by: "tool" | "rule"): QuestionSource[] {
  return by === "tool"
    ? tally.tools.map((one) => toSource(one.tool, one))
    : tally.rules.map((one) => toSource(one.rule || one.stage, one));
}

type SourceCounts = { questions: QuestionsCounted; median: number | null };

function toSource(name: string, { questions: { asked, yes, no }, median }: SourceCounts): QuestionSource {
  const answered = yes + no;
  const rate = answered > 0 ? yes / answered : null;
  const rubberStamp =
    answered >= MIN_ANSWERS && rate !== null && rate >= 0.95 && median !== null && median < 2;
  return { name, questions: asked, rate, median, rubberStamp };
}

export type Hour = { at: number; asked: number; denied: number };
const HOUR = 3_600_000;

/** Questions in each of the last 24 hours, the oldest first, aligned to full hours. */
export function hoursOf({ buckets }: Tally, now: number): Hour[] {
  const counted = new Map(buckets.map(({ at, questions }) => [Date.parse(at), questions]));
  const last = Math.floor(now / HOUR) * HOUR;
  return Array.from({ length: 24 }, (_, place) => {
    const at = last - (23 - place) * HOUR;
    const found = counted.get(at);
    return { at, asked: found?.asked ?? 0, denied: found?.no ?? 0 };
  });
}
