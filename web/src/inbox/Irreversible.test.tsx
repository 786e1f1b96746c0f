import { expect, test } from "vitest";
import type { Act } from "@/api/types";
import { en } from "@/words/en";
import { translator } from "@/words/words";
import { describeAct } from "./Irreversible";

const CODES = [...new Set(Object.keys(en).flatMap((key) => key.match(/^undo\.([a-z-]+)/)?.[1] ?? []))];

const makeAct = (code: string, kind: string, name: string) => ({ code, values: { kind, name } }) as Act;

test("the sentence contains kind and name in the reader's language", () => {
  const one = makeAct("deletes", "namespace", "prod");

  expect(describeAct(one, translator("en"))).toBe("deletes the namespace `prod`");
  expect(describeAct(one, translator("es"))).toBe("elimina `prod` (espacio de nombres)");
  expect(describeAct(makeAct("deletes", "instances", "i-1"), translator("es"))).toBe(
    "elimina `i-1` (instances)",
  );
});

test.each(CODES)("%s has a sentence with and without kind and name", (code) => {
  for (const t of [translator("en"), translator("es")]) {
    for (const kind of ["", "table"]) {
      expect(describeAct(makeAct(code, kind, "prod"), t)).toContain("`prod`");
      expect(describeAct(makeAct(code, kind, ""), t)).toMatch(/^\S.*\S$/);
    }
  }
});

test("a backtick in a name cannot end the quotes", () => {
  expect(describeAct(makeAct("deletes", "", "a`b"), translator("en"))).toBe("deletes `a'b`");
});
