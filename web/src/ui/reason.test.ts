import { expect, test } from "vitest";
import { reasonText } from "./reason";

const outside = {
  sentence: "the sentence of the server",
  code: "reads-outside" as const,
  values: { program: "cat", path: "../x" },
};

test("a reason is told in the language of the reader", () => {
  expect(reasonText(outside, "en")).toBe("`cat` reads `../x`, which is outside the workspace");
  expect(reasonText(outside, "es")).toBe("`cat` lee `../x`, que está fuera del espacio de trabajo");
});

test("a piece in brackets needs its value", () => {
  const after = { ...outside, values: { ...outside.values, cd: "cd .." } };

  expect(reasonText(after, "en")).toBe("`cat` reads `../x`, which is outside the workspace, after `cd ..`");
});

test("an effect is a word of ours, and a cause is a reason", () => {
  const asks = { sentence: "", code: "mode-asks" as const, values: { mode: "default", effect: "execute" } };
  const nobody = {
    sentence: "",
    code: "nobody-to-ask" as const,
    values: { ...asks.values, cause: "mode-asks" },
  };

  expect(reasonText(asks, "en")).toBe("default mode asks before running commands");
  expect(reasonText(nobody, "es")).toBe(
    "no hay ninguna persona que pueda aprobarla: el modo default pregunta antes de ejecutar órdenes",
  );
});

test("a reason without a known code is the sentence of the server", () => {
  expect(reasonText({ sentence: "why" }, "es")).toBe("why");
  expect(reasonText({ sentence: "why", code: "text", values: { text: "why" } }, "es")).toBe("why");
  expect(reasonText({ sentence: "why", code: "newer" as never, values: {} }, "es")).toBe("why");
});
