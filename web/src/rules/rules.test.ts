import { expect, test } from "vitest";
import type { Rule } from "@/api/types";
import { ruleRows } from "./Rules";
import { indexHitsByRule } from "./ruleQueries";

test("the hits of a rule are found by its name in the audit", () => {
  const uses = indexHitsByRule({
    decisions: 7,
    items: [{ rule: "a", hits: 2, last: "2026-11-03T10:00:00Z" }],
  });
  expect([uses.of, uses.by.get("a")?.hits, uses.by.get("b")]).toEqual([7, 2, undefined]);
});

test("rules of files come first, and only stored rules can be changed", () => {
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
    warnings: [],
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
  const lines = ruleRows([stored], [{ ...file, match: [], never: [] }]);
  expect(lines.map((line) => [line.text, line.layer, line.origin, line.rule !== null])).toEqual([
    ["a", "project", "config.toml line 3", false],
    ["b", "store", "bot · ana", true],
  ]);
});
