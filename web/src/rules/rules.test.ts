import { expect, test } from "vitest";
import type { AuditRow, Rule } from "@/api/types";
import { linesOf } from "./Rules";
import { usesIn } from "./stored";

const row = (rule: string, at: string, verdict = "run") => ({ entry: { rule, verdict }, at }) as AuditRow;

test("a rule's uses are counted, and the newest is told", () => {
  const uses = usesIn([
    row("a", "2026-11-02"),
    row("a", "2026-11-03"),
    row("", "2026-11-04"),
    row("a", "2026-11-05", ""),
  ]);
  expect(uses.of).toBe(3);
  expect(uses.by.get("a")).toEqual({ hits: 2, last: "2026-11-03" });
});

test("rules of files stand before those of the store, and only these can be changed here", () => {
  const stored = {
    id: "1",
    list: "allow",
    text: "b",
    agent: "bot",
    user: null,
    conversation: null,
    by: "ana",
    why: "",
    at: null,
    approval: "",
  } as Rule;
  const file = {
    list: "deny",
    text: "a",
    layer: "project",
    source: "config.toml line 3",
    why: "",
    match: [],
    never: [],
  } as const;
  const lines = linesOf([stored], [{ ...file, match: [], never: [] }]);
  expect(lines.map((line) => [line.text, line.layer, line.origin, line.rule !== null])).toEqual([
    ["a", "project", "config.toml line 3", false],
    ["b", "store", "bot · ana", true],
  ]);
});
