import { expect, test } from "vitest";
import type { Act } from "@/api/types";
import { en } from "@/words/en";
import { translator } from "@/words/words";
import { describeAct } from "./Irreversible";

const CODES = [...new Set(Object.keys(en).flatMap((key) => key.match(/^undo\.([a-z-]+)/)?.[1] ?? []))];

const act = (code: string, kind: string, name: string) => ({ code, values: { kind, name } }) as Act;

test("a kind and a name are said in the reader's language", () => {
  const one = act("deletes", "namespace", "prod");

  expect(describeAct(one, translator("en"))).toBe("deletes the namespace `prod`");
  expect(describeAct(one, translator("es"))).toBe("elimina `prod` (espacio de nombres)");
  expect(describeAct(act("deletes", "instances", "i-1"), translator("es"))).toBe("elimina `i-1` (instances)");
});

test.each(CODES)("%s has a sentence whatever is known of it", (code) => {
  for (const t of [translator("en"), translator("es")]) {
    for (const kind of ["", "table"]) {
      expect(describeAct(act(code, kind, "prod"), t)).toContain("`prod`");
      expect(describeAct(act(code, kind, ""), t)).toMatch(/^\S.*\S$/);
    }
  }
});

test("a name cannot end its own quotes", () => {
  expect(describeAct(act("deletes", "", "a`b"), translator("en"))).toBe("deletes `a'b`");
});
