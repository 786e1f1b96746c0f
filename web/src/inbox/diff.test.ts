import { expect, test } from "vitest";
import { countLinesOfKind, diffLines, parseUnifiedDiff, splitIntoHunks, unifiedHunks } from "./diff";

const diffAsText = (before: string | null, after: string) =>
  diffLines(before, after).map((line) => `${{ same: " ", add: "+", remove: "-" }[line.kind]}${line.text}`);

test("a changed line is removed and added", () => {
  expect(diffAsText("a\nb\nc", "a\nB\nc")).toEqual([" a", "-b", "+B", " c"]);
});

test("lines have the numbers of their own text", () => {
  const lines = diffLines("a\nc", "a\nb\nc");
  expect(lines.map(({ before, after }) => [before, after])).toEqual([
    [1, 1],
    [null, 2],
    [2, 3],
  ]);
});

test("a new file only adds lines", () => {
  expect(diffAsText(null, "a\nb")).toEqual(["+a", "+b"]);
});

test("unchanged lines far from a change are counted and not shown", () => {
  const before = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const hunks = splitIntoHunks(diffLines(before.join("\n"), before.with(20, "other").join("\n")));
  expect(hunks.map((hunk) => (hunk.kind === "gap" ? hunk.count : hunk.lines.length))).toEqual([17, 8, 16]);
});

test("very large texts are removed and added completely", () => {
  const many = (word: string) => Array.from({ length: 3000 }, (_, at) => `${word} ${at}`).join("\n");
  const lines = diffLines(many("old"), many("new"));
  expect([countLinesOfKind(lines, "remove"), countLinesOfKind(lines, "add")]).toEqual([3000, 3000]);
});

test("the lines of a unified diff have the numbers of its headings", () => {
  const text = "--- a/x\n+++ b/x\n@@ -4,3 +4,3 @@\n same\n-old\n+new\n@@ -20 +20,2 @@\n end\n+more";
  expect(
    parseUnifiedDiff(text).map(({ kind, text: line, before, after }) => [kind, line, before, after]),
  ).toEqual([
    ["same", "same", 4, 4],
    ["remove", "old", 5, null],
    ["add", "new", null, 5],
    ["same", "end", 20, 20],
    ["add", "more", null, 21],
  ]);
});

test("a new file's diff begins at its first line", () => {
  expect(
    parseUnifiedDiff("--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+one\n+two").map((line) => line.after),
  ).toEqual([1, 2]);
});

test("a final newline is no line, unless it is the only change", () => {
  expect(diffAsText(null, "a\nb\n")).toEqual(["+a", "+b"]);
  expect(diffAsText("a\n", "b\n")).toEqual(["-a", "+b"]);
  expect(diffAsText("a", "a\n")).toEqual([" a", "+"]);
});

test("the lines between, before and after the hunks are counted", () => {
  const lines = parseUnifiedDiff("@@ -4,2 +4,2 @@\n same\n-old\n+new\n@@ -20,1 +20,2 @@\n end\n+more");
  const hunks = unifiedHunks(lines, 30).map((hunk) => (hunk.kind === "gap" ? hunk.count : hunk.lines.length));
  expect(hunks).toEqual([3, 3, 14, 2, 10]);
});

test("a last line without a newline is marked", () => {
  const lines = parseUnifiedDiff("@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a");
  expect(lines.map((line) => !!line.noFinalNewline)).toEqual([true, false]);
});
