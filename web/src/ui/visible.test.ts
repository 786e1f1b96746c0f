import { expect, test } from "vitest";
import { countHiddenCharacters, toVisibleString, visibleRuns } from "./visible";

test("ordinary text is one unchanged run", () => {
  expect(visibleRuns("git push\n\torigin")).toEqual([{ kind: "text", text: "git push\n\torigin" }]);
  expect(visibleRuns("Grüße, 日本語, привет")).toEqual([{ kind: "text", text: "Grüße, 日本語, привет" }]);
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
  expect(toVisibleString(`a${character}b`)).toBe(`a${code}b`);
  expect(countHiddenCharacters(`a${character}b`)).toBe(1);
});

test("a word with letters of two alphabets is a separate run", () => {
  const runs = visibleRuns("curl https://аcme.example");
  expect(runs.find((run) => run.kind === "mixed")).toEqual({
    kind: "mixed",
    text: "аcme",
    scripts: "Latin, Cyrillic",
  });
  expect(runs.map((run) => run.text).join("")).toBe("curl https://аcme.example");
});

test("a right-to-left word is a separate run", () => {
  expect(visibleRuns("rm אבג/דהו x")).toEqual([
    { kind: "text", text: "rm " },
    { kind: "rtl", text: "אבג" },
    { kind: "text", text: "/" },
    { kind: "rtl", text: "דהו" },
    { kind: "text", text: " x" },
  ]);
  expect(toVisibleString("rm مرحبا")).toBe("rm مرحبا");
});

/** The milliseconds of the fastest of five calls, which other load on the machine affects least. */
function fastestDuration(run: () => void): number {
  const times = Array.from({ length: 5 }, () => {
    const before = performance.now();
    run();
    return performance.now() - before;
  });
  return Math.min(...times);
}

test("ten times the text takes about ten times as long", () => {
  const short = fastestDuration(() => visibleRuns("é".repeat(20_000)));
  const long = fastestDuration(() => visibleRuns("é".repeat(200_000)));
  // The second text is ten times as long: linear work takes ten times as long, quadratic work a hundred times.
  expect(long / short).toBeLessThan(50);
});
