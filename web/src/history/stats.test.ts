import { expect, test } from "vitest";
import type { QuestionsCounted, Tally } from "@/api/types";
import { figuresOf, hoursOf, questionSources } from "./stats";

const NONE = { asked: 0, yes: 0, no: 0, released: 0, expired: 0, withdrawn: 0, open: 0 };
const counts = (yes: number, no: number, rest: Partial<QuestionsCounted> = {}) => ({
  ...NONE,
  yes,
  no,
  asked: yes + no,
  ...rest,
});
const NOTHING: Tally = {
  decisions: { run: 0, ask: 0, deny: 0, absent: 0 },
  questions: NONE,
  median: null,
  buckets: [],
  tools: [],
  rules: [],
};

test("what ran unasked and what was refused are told of all decisions", () => {
  const tally = { ...NOTHING, decisions: { run: 40, ask: 5, deny: 3, absent: 2 } };
  expect(figuresOf(tally)).toEqual({ decisions: 50, unasked: 40, denied: 5 });
});

test.each([
  [counts(20, 1), 1.5, true],
  [counts(19, 2), 1.5, false],
  [counts(20, 0), 2, false],
  [counts(4, 0), 0.5, false],
  [counts(0, 0, { asked: 9, open: 9 }), null, false],
])("many quick yeses and hardly a no are a rubber stamp: %o in %s s is %s", (questions, median, stamp) => {
  const tally = { ...NOTHING, tools: [{ tool: "shell", questions, median }] };
  expect(questionSources(tally, "tool").map((load) => load.rubberStamp)).toEqual([stamp]);
});

test("where nobody has said yes or no there is no rate", () => {
  const tally = {
    ...NOTHING,
    tools: [{ tool: "mail", questions: counts(0, 0, { asked: 3, expired: 3 }), median: null }],
  };
  expect(questionSources(tally, "tool")).toEqual([
    { name: "mail", questions: 3, rate: null, median: null, rubberStamp: false },
  ]);
});

test("questions are told by the rule that asked, or by the stage where there was none", () => {
  const rule = (stage: string, text: string) => ({ stage, rule: text, questions: counts(1, 1), median: 3 });
  const tally = { ...NOTHING, rules: [rule("ask-rule", "shell(git push *)"), rule("mode", "")] };
  expect(questionSources(tally, "rule").map((load) => [load.name, load.rate])).toEqual([
    ["shell(git push *)", 0.5],
    ["mode", 0.5],
  ]);
});

test("each of the last 24 hours has a bar, with something in it or not", () => {
  const now = Date.parse("2026-11-16T10:44:00Z");
  const bucket = (at: string, yes: number, no: number) => ({
    at,
    decisions: NOTHING.decisions,
    questions: counts(yes, no),
  });
  const hours = hoursOf(
    {
      ...NOTHING,
      buckets: [
        bucket("2026-11-15T10:00:00Z", 9, 9),
        bucket("2026-11-15T11:00:00Z", 1, 0),
        bucket("2026-11-16T10:00:00Z", 2, 1),
      ],
    },
    now,
  );
  expect(hours.length).toBe(24);
  expect(hours[0]).toEqual({ at: Date.parse("2026-11-15T11:00:00Z"), asked: 1, denied: 0 });
  expect(hours[23]).toEqual({ at: Date.parse("2026-11-16T10:00:00Z"), asked: 3, denied: 1 });
  expect(hours.slice(1, 23).every((hour) => hour.asked === 0)).toBe(true);
});
