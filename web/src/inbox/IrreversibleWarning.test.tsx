import { expect, test } from "vitest";
import type { Act } from "@/api/types";
import { en } from "@/words/en";
import { makeTranslate } from "@/words/words";
import { describeIrreversibleAct } from "./IrreversibleWarning";

const CODES = [...new Set(Object.keys(en).flatMap((key) => key.match(/^undo\.([a-z-]+)/)?.[1] ?? []))];

const makeAct = (code: string, kind: string, name: string) => ({ code, values: { kind, name } }) as Act;

test("the sentence contains kind and name in the reader's language", () => {
  const one = makeAct("deletes", "namespace", "prod");

  expect(describeIrreversibleAct(one, makeTranslate("en"))).toBe("deletes the namespace `prod`");
  expect(describeIrreversibleAct(one, makeTranslate("es"))).toBe("elimina `prod` (espacio de nombres)");
  expect(describeIrreversibleAct(makeAct("deletes", "instances", "i-1"), makeTranslate("es"))).toBe(
    "elimina `i-1` (instances)",
  );
});

test.each(CODES)("%s has a sentence with and without kind and name", (code) => {
  for (const t of [makeTranslate("en"), makeTranslate("es")]) {
    for (const kind of ["", "table"]) {
      expect(describeIrreversibleAct(makeAct(code, kind, "prod"), t)).toContain("`prod`");
      expect(describeIrreversibleAct(makeAct(code, kind, ""), t)).toMatch(/^\S.*\S$/);
    }
  }
});

test("a backtick in a name cannot end the quotes", () => {
  expect(describeIrreversibleAct(makeAct("deletes", "", "a`b"), makeTranslate("en"))).toBe("deletes `a'b`");
});
