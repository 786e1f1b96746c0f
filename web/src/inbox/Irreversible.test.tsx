import { expect, test } from "vitest";
import type { Act } from "@/api/types";
import { en } from "@/words/en";
import { sayIn } from "@/words/words";
import { sentenceOf } from "./Irreversible";

const CODES = [...new Set(Object.keys(en).flatMap((key) => key.match(/^undo\.([a-z-]+)/)?.[1] ?? []))];

const act = (code: string, kind: string, name: string) => ({ code, values: { kind, name } }) as Act;

test("a kind and a name are said in the reader's language", () => {
  const one = act("deletes", "namespace", "prod");

  expect(sentenceOf(one, sayIn("en"))).toBe("deletes the namespace `prod`");
  expect(sentenceOf(one, sayIn("es"))).toBe("elimina `prod` (espacio de nombres)");
  expect(sentenceOf(act("deletes", "instances", "i-1"), sayIn("es"))).toBe("elimina `i-1` (instances)");
});

test.each(CODES)("%s has a sentence whatever is known of it", (code) => {
  for (const say of [sayIn("en"), sayIn("es")]) {
    for (const kind of ["", "table"]) {
      expect(sentenceOf(act(code, kind, "prod"), say)).toContain("`prod`");
      expect(sentenceOf(act(code, kind, ""), say)).toMatch(/^\S.*\S$/);
    }
  }
});

test("a name cannot end its own quotes", () => {
  expect(sentenceOf(act("deletes", "", "a`b"), sayIn("en"))).toBe("deletes `a'b`");
});
