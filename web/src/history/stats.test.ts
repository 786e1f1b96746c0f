import { expect, test } from "vitest";
import type { AuditRow } from "@/api/types";
import { figuresOf, loadOf, medianOf, perHour, questionsOf } from "./stats";

const START = Date.parse("2026-11-16T10:00:00Z");
let number = 0;

function row(call: string, seconds: number, entry: Partial<AuditRow["entry"]>): AuditRow {
  number += 1;
  const empty = {
    id: "",
    user: "ana",
    agent: "bot",
    conversation: "c",
    call,
    tool: "shell",
    verdict: "",
    stage: "mode",
    rule: "",
    decision: "",
    with_override: false,
    reason: "",
    mode: "default",
    policy_version: 1,
    approval: "",
  };
  return {
    entry: { ...empty, ...entry },
    writer: "w",
    number,
    at: new Date(START + seconds * 1000).toISOString(),
    hash: "",
  };
}

const ROWS = [
  row("a", 0, { verdict: "ask" }),
  row("a", 8, { decision: "approved" }),
  row("b", 10, { verdict: "ask", tool: "mail" }),
  row("b", 30, { decision: "denied_with_reason", tool: "mail" }),
  row("c", 40, { verdict: "ask" }),
  row("d", 50, { verdict: "run", stage: "read" }),
  row("e", 60, { verdict: "deny", stage: "deny-rule" }),
  row("f", 70, { verdict: "ask" }),
  row("f", 670, { decision: "expired" }),
];

test("every question finds its answer, and the time that took", () => {
  expect(questionsOf(ROWS).map(({ answer, answeredAfter }) => [answer, answeredAfter])).toEqual([
    ["yes", 8],
    ["no", 20],
    ["open", null],
    ["expired", null],
  ]);
});

test("the figures are counts of the rows", () => {
  expect(figuresOf(ROWS)).toEqual({
    decisions: 6,
    unasked: 1,
    denied: 1,
    questions: 4,
    yes: 1,
    no: 1,
    expired: 1,
    median: 14,
  });
});

test("the median of none is none", () => {
  expect([medianOf([]), medianOf([3, 1, 2]), medianOf([4, 2])]).toEqual([null, 2, 3]);
});

test("many quick yeses and hardly a no are a rubber stamp", () => {
  const quick = Array.from({ length: 20 }, (_, at) => [
    row(`q${at}`, at, { verdict: "ask" }),
    row(`q${at}`, at + 1, { decision: "approved" }),
  ]).flat();
  expect(loadOf(questionsOf(quick), "tool").map((one) => one.rubberStamp)).toEqual([true]);
  expect(loadOf(questionsOf(quick.slice(0, 6)), "tool").map((one) => one.rubberStamp)).toEqual([false]);
  expect(loadOf(questionsOf(ROWS), "tool").map((one) => [one.tool, one.questions, one.rubberStamp])).toEqual([
    ["shell", 3, false],
    ["mail", 1, false],
  ]);
});

test("a day has 24 hours, of which the last is this one", () => {
  const hours = perHour(questionsOf(ROWS), START + 1000);
  expect(hours).toHaveLength(24);
  expect(hours.at(-1)).toEqual({ at: START, asked: 4, denied: 1 });
});
