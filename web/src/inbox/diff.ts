/** The difference of two texts, line by line. */

export type DiffLine = {
  kind: "same" | "add" | "remove";
  text: string;
  before: number | null;
  after: number | null;
  /** Whether this is the last line of a file that does not end with a newline. */
  noFinalNewline?: boolean;
};
export type DiffHunk = { kind: "lines"; lines: DiffLine[] } | { kind: "gap"; count: number };

const MAX_COMPARED_CELLS = 4_000_000;
const CONTEXT_LINES = 3;

/** Compare two texts and return the lines of both, in order. */
export function diffLines(before: string | null, after: string): DiffLine[] {
  // A final newline does not count as an empty line, unless it is the only change.
  const ended = after.endsWith("\n") && (before === null || before.endsWith("\n"));
  const split = (text: string) => (ended ? text.slice(0, -1) : text).split("\n");
  const old = before === null ? [] : split(before);
  const fresh = split(after);
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end))
    end += 1;
  const changed = compareLines(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end));
  const kinds: DiffLine["kind"][] = [...Array(start).fill("same"), ...changed, ...Array(end).fill("same")];
  return numberLines(kinds, old, fresh);
}

/** Find the longest common subsequence of lines; very large texts are shown as removed and added completely. */
function compareLines(old: readonly string[], fresh: readonly string[]): DiffLine["kind"][] {
  const columns = fresh.length + 1;
  if (old.length * columns > MAX_COMPARED_CELLS) {
    return [...old.map(() => "remove" as const), ...fresh.map(() => "add" as const)];
  }
  const common = new Uint32Array((old.length + 1) * columns);
  const at = (row: number, column: number) => common[row * columns + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = fresh.length - 1; column >= 0; column--) {
      const same = old[row] === fresh[column];
      common[row * columns + column] = same
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const kinds: DiffLine["kind"][] = [];
  let row = 0;
  let column = 0;
  while (row < old.length || column < fresh.length) {
    if (row < old.length && column < fresh.length && old[row] === fresh[column]) {
      kinds.push("same");
      row += 1;
      column += 1;
    } else if (row < old.length && (column >= fresh.length || at(row + 1, column) >= at(row, column + 1))) {
      kinds.push("remove");
      row += 1;
    } else {
      kinds.push("add");
      column += 1;
    }
  }
  return kinds;
}

function numberLines(
  kinds: readonly DiffLine["kind"][],
  old: readonly string[],
  fresh: readonly string[],
): DiffLine[] {
  let before = 0;
  let after = 0;
  return kinds.map((kind) => {
    if (kind !== "add") before += 1;
    if (kind !== "remove") after += 1;
    const text = (kind === "remove" ? old[before - 1] : fresh[after - 1]) ?? "";
    return { kind, text, before: kind === "add" ? null : before, after: kind === "remove" ? null : after };
  });
}

/** The changed lines with a few lines of context; a gap contains the number of skipped lines. */
export function splitIntoHunks(lines: readonly DiffLine[]): DiffHunk[] {
  const near = (at: number) =>
    lines.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some((line) => line.kind !== "same");
  const hunks: DiffHunk[] = [];
  lines.forEach((line, at) => {
    const last = hunks.at(-1);
    if (near(at)) {
      if (last?.kind === "lines") last.lines.push(line);
      else hunks.push({ kind: "lines", lines: [line] });
    } else if (last?.kind === "gap") last.count += 1;
    else hunks.push({ kind: "gap", count: 1 });
  });
  return hunks;
}

export const countLinesOfKind = (lines: readonly DiffLine[], kind: DiffLine["kind"]) =>
  lines.filter((line) => line.kind === kind).length;

/** Parse a unified diff into numbered lines. */
export function parseUnifiedDiff(text: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  for (const line of text.split("\n")) {
    const heading = line.match(/^@@ -(\d+)(?:,\d+)? \+(\d+)/);
    if (heading) {
      [before, after] = [Number(heading[1]), Number(heading[2])];
      continue;
    }
    // The lines before the first heading name the files.
    if (before + after === 0) continue;
    if (line.startsWith("-"))
      lines.push({ kind: "remove", text: line.slice(1), before: before++, after: null });
    else if (line.startsWith("+"))
      lines.push({ kind: "add", text: line.slice(1), before: null, after: after++ });
    else if (line.startsWith(" "))
      lines.push({ kind: "same", text: line.slice(1), before: before++, after: after++ });
    else if (line.startsWith("\\")) lines.splice(-1, 1, ...lines.slice(-1).map(markNoFinalNewline));
  }
  return lines;
}

const markNoFinalNewline = (line: DiffLine): DiffLine => ({ ...line, noFinalNewline: true });

/** The hunks of a unified diff of a file with `total` lines, and the gaps between them. */
export function unifiedHunks(lines: readonly DiffLine[], total: number): DiffHunk[] {
  const hunks: DiffHunk[] = [];
  let next = 1;
  const skip = (to: number) => to > next && hunks.push({ kind: "gap", count: to - next });
  for (const line of lines) {
    skip(line.before ?? next);
    const last = hunks.at(-1);
    if (last?.kind === "lines") last.lines.push(line);
    else hunks.push({ kind: "lines", lines: [line] });
    if (line.before !== null) next = line.before + 1;
  }
  skip(total + 1);
  return hunks;
}
