/** The spans of a text that the decision is about, so that the card can mark them. */
import type { Approval, Step } from "@/api/types";

export type TextSpan = { from: number; to: number };

/** Stages whose reason quotes the dangerous text. */
const STAGES_THAT_QUOTE_TEXT = new Set(["breaker", "protected-path", "outside"]);
const QUOTED_TEXT = /`([^`]+)`/g;

/** The spans of a text that a step quotes, and the paths that point outside the workspace. */
export function findDangerSpans(text: string, approval: Approval): TextSpan[] {
  const named = approval.decision.steps
    .filter((step) => STAGES_THAT_QUOTE_TEXT.has(step.stage) && step.verdict !== "run")
    .flatMap(namedTexts)
    .map((quoted) => findSpan(text, quoted))
    .filter((span) => span !== null);
  return mergeOverlappingSpans([
    ...named,
    ...findOutsidePaths(text, approval).map(({ from, to }) => ({ from, to })),
  ]);
}

/** The texts of the call that the reason of a step is about. */
function namedTexts({ reason, values = {} }: Step): string[] {
  const named = values["path"] ?? values["value"] ?? values["part"];
  return named === undefined ? [...reason.matchAll(QUOTED_TEXT)].map((match) => match[1] ?? "") : [named];
}

export type OutsidePath = TextSpan & { written: string; real: string };

const PATH_WORD = /[^\s"'|&;()<>]+/g;

/** The words of a text that are paths outside the workspace, with their resolved paths. */
export function findOutsidePaths(text: string, { facts, tool }: Approval): OutsidePath[] {
  if (tool.dialect !== "shell" && tool.dialect !== "powershell") return [];
  const { roots } = facts.place;
  const out = Object.entries(facts.real)
    .map(([written, real]) => ({ written, real: real.find((path) => !isInsideRoots(path, roots)) }))
    .filter(
      (one): one is { written: string; real: string } =>
        one.real !== undefined && !HARMLESS_DEVICES.has(one.real),
    );
  if (out.length === 0 || text.length > MAX_SCANNED_CHARACTERS) return [];
  return [...text.matchAll(PATH_WORD)].flatMap((match) => {
    const [word] = match;
    const home = word.replace(/^(~|\$HOME|\$\{HOME\})(?=\/|$)/, facts.place.home);
    const found = out.find(({ written }) => written === home || written.endsWith(`/${word}`));
    return found && word.includes("/")
      ? [{ from: match.index, to: match.index + word.length, written: word, real: found.real }]
      : [];
  });
}

const MAX_SCANNED_CHARACTERS = 20_000;
const HARMLESS_DEVICES = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"]);
const isInsideRoots = (path: string, roots: readonly string[]) =>
  roots.some((root) => path === root || path.startsWith(`${root.replace(/\/$/, "")}/`));

function findSpan(text: string, wanted: string): TextSpan | null {
  const from = wanted ? text.indexOf(wanted) : -1;
  return from < 0 ? null : { from, to: from + wanted.length };
}

/** Sort the spans and drop those that overlap an earlier one. */
function mergeOverlappingSpans(spans: TextSpan[]): TextSpan[] {
  const sorted = spans.toSorted((one, other) => one.from - other.from || other.to - one.to);
  return sorted.filter((span, at) => sorted.slice(0, at).every((earlier) => earlier.to <= span.from));
}
