import { expect, test } from "vitest";
import { hiddenIn, runsOf, spelledOut } from "./visible";

test("ordinary text is one run, as it is", () => {
  expect(runsOf("git push\n\torigin")).toEqual([{ kind: "text", text: "git push\n\torigin" }]);
  expect(runsOf("Grüße, 日本語, привет")).toEqual([{ kind: "text", text: "Grüße, 日本語, привет" }]);
});

test.each([
  ["\u202e", "\\u202e"],
  ["\u2066", "\\u2066"],
  ["\u200b", "\\u200b"],
  ["\u200d", "\\u200d"],
  ["\u00ad", "\\u00ad"],
  ["\u0007", "\\u0007"],
  ["\u001b", "\\u001b"],
  ["\r", "\\u000d"],
  ["\u0085", "\\u0085"],
  ["\u2028", "\\u2028"],
  ["\u00a0".normalize("NFKC") === " " ? "\u2003" : "", "\\u2003"],
  ["\u3164", "\\u3164"],
  ["\ufeff", "\\ufeff"],
  ["\ufe0f", "\\ufe0f"],
  ["\u{e0041}", "\\u{e0041}"],
  ["\ud800", "\\ud800"],
])("%j is spelled out", (character, code) => {
  expect(spelledOut(`a${character}b`)).toBe(`a${code}b`);
  expect(hiddenIn(`a${character}b`)).toBe(1);
});

test("a word of two alphabets is told apart", () => {
  const runs = runsOf("curl https://аcme.example");
  expect(runs.find((run) => run.kind === "mixed")).toEqual({
    kind: "mixed",
    text: "аcme",
    scripts: "Latin, Cyrillic",
  });
  expect(runs.map((run) => run.text).join("")).toBe("curl https://аcme.example");
});

test("a word from right to left is a run of its own", () => {
  expect(runsOf("rm אבג/דהו x")).toEqual([
    { kind: "text", text: "rm " },
    { kind: "rtl", text: "אבג" },
    { kind: "text", text: "/" },
    { kind: "rtl", text: "דהו" },
    { kind: "text", text: " x" },
  ]);
  expect(spelledOut("rm مرحبا")).toBe("rm مرحبا");
});

test("a hundred kilobytes are read in a moment", () => {
  const before = performance.now();
  runsOf("é".repeat(100_000));
  expect(performance.now() - before).toBeLessThan(500);
});
