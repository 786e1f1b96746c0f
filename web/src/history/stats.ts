/** What the server's counts say: how much is asked, how it is answered, and where nobody reads any more. */
import type { QuestionsCounted, Tally } from "@/api/types";

/** Every way in which a question can stand, in the order in which they are told. */
export const STANDS = ["yes", "no", "released", "expired", "withdrawn", "open"] as const;

export type Figures = { decisions: number; unasked: number; denied: number };

export function figuresOf({ decisions: { run, ask, deny, absent } }: Tally): Figures {
  return { decisions: run + ask + deny + absent, unasked: run, denied: deny + absent };
}

export type Load = {
  /** A tool, or a rule, or the stage that asked without one. */
  name: string;
  questions: number;
  rate: number | null;
  median: number | null;
  rubberStamp: boolean;
};

/** From so many answers on a habit can be told from chance. */
const ENOUGH = 5;

/** Where questions come from; where nearly all get a quick yes, a rule or a block would serve better. */
export function loadsOf(tally: Tally, by: "tool" | "rule"): Load[] {
  return by === "tool"
    ? tally.tools.map((one) => loadOf(one.tool, one))
    : tally.rules.map((one) => loadOf(one.rule || one.stage, one));
}

type Counted = { questions: QuestionsCounted; median: number | null };

function loadOf(name: string, { questions: { asked, yes, no }, median }: Counted): Load {
  const answered = yes + no;
  const rate = answered > 0 ? yes / answered : null;
  const rubberStamp = answered >= ENOUGH && rate !== null && rate >= 0.95 && median !== null && median < 2;
  return { name, questions: asked, rate, median, rubberStamp };
}

export type Hour = { at: number; asked: number; denied: number };
const HOUR = 3_600_000;

/** Questions in each of the last 24 hours, the oldest first; hours begin on the hour. */
export function hoursOf({ buckets }: Tally, now: number): Hour[] {
  const counted = new Map(buckets.map(({ at, questions }) => [Date.parse(at), questions]));
  const last = Math.floor(now / HOUR) * HOUR;
  return Array.from({ length: 24 }, (_, place) => {
    const at = last - (23 - place) * HOUR;
    const found = counted.get(at);
    return { at, asked: found?.asked ?? 0, denied: found?.no ?? 0 };
  });
}
