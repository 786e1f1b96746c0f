import { expect, test } from "vitest";
import type { QuestionCountsJson, Tally } from "@/api/types";
import { questionSources, questionsPerHour, summaryFigures } from "./stats";

const NO_QUESTIONS = { asked: 0, yes: 0, no: 0, released: 0, expired: 0, withdrawn: 0, open: 0 };
const sourceCounts = (yes: number, no: number, rest: Partial<QuestionCountsJson> = {}) => ({
  ...NO_QUESTIONS,
  yes,
  no,
  asked: yes + no,
  ...rest,
});
const EMPTY_TALLY: Tally = {
  decisions: { run: 0, ask: 0, deny: 0, absent: 0 },
  questions: NO_QUESTIONS,
  median: null,
  buckets: [],
  tools: [],
  rules: [],
};

test("the figures count all decisions, those that ran without asking, and those that were denied", () => {
  const tally = { ...EMPTY_TALLY, decisions: { run: 40, ask: 5, deny: 3, absent: 2 } };
  expect(summaryFigures(tally)).toEqual({ decisions: 50, unasked: 40, denied: 5 });
});

test.each([
  [sourceCounts(20, 1), 1.5, true],
  [sourceCounts(19, 2), 1.5, false],
  [sourceCounts(20, 0), 2, false],
  [sourceCounts(4, 0), 0.5, false],
  [sourceCounts(0, 0, { asked: 9, open: 9 }), null, false],
])("many quick yeses and hardly a no are a rubber stamp: %o in %s s is %s", (questions, median, stamp) => {
  const tally = { ...EMPTY_TALLY, tools: [{ tool: "shell", questions, median }] };
  expect(questionSources(tally, "tool").map((load) => load.rubberStamp)).toEqual([stamp]);
});

test("without answers there is no rate", () => {
  const tally = {
    ...EMPTY_TALLY,
    tools: [{ tool: "mail", questions: sourceCounts(0, 0, { asked: 3, expired: 3 }), median: null }],
  };
  expect(questionSources(tally, "tool")).toEqual([
    { name: "mail", questions: 3, rate: null, median: null, rubberStamp: false },
  ]);
});

test("questions are grouped by the rule that asked, or by the stage if there was no rule", () => {
  const rule = (stage: string, text: string) => ({
    stage,
    rule: text,
    questions: sourceCounts(1, 1),
    median: 3,
  });
  const tally = { ...EMPTY_TALLY, rules: [rule("ask-rule", "shell(git push *)"), rule("mode", "")] };
  expect(questionSources(tally, "rule").map((load) => [load.name, load.rate])).toEqual([
    ["shell(git push *)", 0.5],
    ["mode", 0.5],
  ]);
});

test("each of the last 24 hours has a bar, even without questions", () => {
  const now = Date.parse("2026-11-16T10:44:00Z");
  const bucket = (at: string, yes: number, no: number) => ({
    at,
    decisions: EMPTY_TALLY.decisions,
    questions: sourceCounts(yes, no),
  });
  const hours = questionsPerHour(
    {
      ...EMPTY_TALLY,
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
