/** Which stretch of a text the decision is about, so that it can be marked inside what is shown. */
import type { Approval } from "@/api/types";

export type Span = { from: number; to: number };

/** Stages whose sentence names the very thing that hurts. */
const NAMING = new Set(["breaker", "protected-path", "outside"]);
const QUOTED = /`([^`]+)`/g;

/** The spans of a text that a step names, and the paths in it that lead out of the workspace. */
export function dangerSpans(text: string, approval: Approval): Span[] {
  const named = approval.decision.steps
    .filter((step) => NAMING.has(step.stage) && step.verdict !== "run")
    .flatMap((step) => [...step.reason.matchAll(QUOTED)].map((match) => match[1] ?? ""))
    .map((quoted) => find(text, quoted))
    .filter((span) => span !== null);
  return apart([...named, ...outsideIn(text, approval).map(({ from, to }) => ({ from, to }))]);
}

export type Outside = Span & { written: string; real: string };

const WORD = /[^\s"'|&;()<>]+/g;

/** The words of a text that are paths outside of the workspace, with where they really lead. */
export function outsideIn(text: string, { facts, tool }: Approval): Outside[] {
  if (tool.dialect !== "shell" && tool.dialect !== "powershell") return [];
  const { roots } = facts.place;
  const out = Object.entries(facts.real)
    .map(([written, real]) => ({ written, real: real.find((path) => !isInside(path, roots)) }))
    .filter(
      (one): one is { written: string; real: string } => one.real !== undefined && !HARMLESS.has(one.real),
    );
  if (out.length === 0 || text.length > LONGEST) return [];
  return [...text.matchAll(WORD)].flatMap((match) => {
    const [word] = match;
    const home = word.replace(/^(~|\$HOME|\$\{HOME\})(?=\/|$)/, facts.place.home);
    const found = out.find(({ written }) => written === home || written.endsWith(`/${word}`));
    return found && word.includes("/")
      ? [{ from: match.index, to: match.index + word.length, written: word, real: found.real }]
      : [];
  });
}

const LONGEST = 20_000;
const HARMLESS = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"]);
const isInside = (path: string, roots: readonly string[]) =>
  roots.some((root) => path === root || path.startsWith(`${root.replace(/\/$/, "")}/`));

function find(text: string, wanted: string): Span | null {
  const from = wanted ? text.indexOf(wanted) : -1;
  return from < 0 ? null : { from, to: from + wanted.length };
}

/** In order, and none inside another. */
function apart(spans: Span[]): Span[] {
  const sorted = spans.toSorted((one, other) => one.from - other.from || other.to - one.to);
  return sorted.filter((span, at) => sorted.slice(0, at).every((earlier) => earlier.to <= span.from));
}
