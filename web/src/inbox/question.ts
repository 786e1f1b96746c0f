/** A question as a person reads it: the act, drawn from the stored call and from nothing else. */
import type { Approval, ApprovalDetail, Args, FileShown, Json, State } from "@/api/types";
import type { Verdict } from "@/ui/effect";
import { hiddenIn, spelledOut } from "@/ui/visible";
import { cutter } from "./cut";
import { type Fed, fedOf } from "./fed";

export type Act =
  | { kind: "command"; text: string; language: "shell" | "powershell"; fed: Fed[]; rest: Args }
  | { kind: "change"; path: string; before: string | null; after: string; rest: Args; compared?: Compared }
  | { kind: "arguments"; args: Args };

/** A change as the server worked it out on the file; without a diff until the question is loaded whole. */
export type Compared = { diff: string | undefined; lines: number; within: string; overwrites: boolean };

/** The argument that a template names: `{command}`, `{path=.}`, `domain:{url:host}`. */
export function namedBy(template: string | null): string | null {
  return template?.match(/\{(\w+)/)?.[1] ?? null;
}

/** What the call would do, in the form in which it is easiest to judge. */
export function actOf(approval: Approval): Act {
  const { tool, call, preview, file } = approval;
  const name = namedBy(tool.template);
  const value = name === null ? undefined : call.args[name];
  if ((tool.dialect === "shell" || tool.dialect === "powershell") && typeof value === "string") {
    const fed = fedOf(approval, value);
    // What is fed is shown as that, and the agent's own words stand last on the card.
    const rest = without(call.args, [name ?? "", ...fed.map((one) => one.argument), ...saidIn(call.args)]);
    return { kind: "command", text: value, language: tool.dialect, fed, rest };
  }
  if (tool.dialect === "path" && name !== null && typeof value === "string") {
    const change = file ? comparedChange(approval, file) : changeOf(call.args, preview);
    if (change)
      return {
        kind: "change",
        path: value,
        ...change.shown,
        rest: without(call.args, [name, ...change.used]),
      };
  }
  return { kind: "arguments", args: call.args };
}

type Change = {
  shown: { before: string | null; after: string; compared?: Compared };
  used: readonly string[];
};

const WHOLE = ["content", "contents", "text"];
const EDITS = [...WHOLE, "old_string", "new_string", "replace_all", "edits", "changes", "new_source"];

/** What the server says of the file: the change of one that is there, or all of a new one. */
function comparedChange(approval: Approval | ApprovalDetail, file: FileShown): Change | null {
  const { args } = approval.call;
  const whole = [...WHOLE, "new_string"].map((name) => args[name]).find((value) => typeof value === "string");
  if (file.state === "new" && typeof whole === "string")
    return { shown: { before: null, after: whole }, used: EDITS };
  if (file.state !== "changed") return null;
  const { lines, within } = file;
  const overwrites = WHOLE.some((name) => typeof args[name] === "string");
  const diff = "diff" in approval ? approval.diff : undefined;
  return { shown: { before: "", after: "", compared: { diff, lines, within, overwrites } }, used: EDITS };
}

/** The arguments that ran, or are to run, in place of those that were asked about. */
export function editedOf({ answer, call }: Approval): Args | null {
  const args = answer?.args ?? null;
  return args && JSON.stringify(sorted(args)) !== JSON.stringify(sorted(call.args)) ? args : null;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] ?? null)]));
}

function changeOf(args: Args, preview: Args | null): Change | null {
  const told = preview && isObject(preview["details"]) ? preview["details"] : preview;
  if (told && typeof told["after"] === "string" && !CUT.test(`${told["before"] ?? ""}`)) {
    const before = typeof told["before"] === "string" ? told["before"] : null;
    // A dry run may have cut what it tells: where the call itself has the whole text, that is shown.
    const whole = args["content"];
    if (typeof whole === "string") return { shown: { before, after: whole }, used: ["content"] };
    return { shown: { before, after: told["after"] }, used: [] };
  }
  // Nobody looked at the file: lines without their true numbers would only look like its change.
  return null;
}

/** Where a dry run left something out: a diff of what is left would not be true. */
const CUT = /\n… [\d,]+ more characters …\n/;

const isObject = (value: Json | undefined): value is Args =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function without(args: Args, names: readonly string[]): Args {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}

/** The agent's own account of a command, which some tools take as an argument; it decides nothing. */
export function saysOf(approval: Approval): string {
  const said = approval.call.args["description"];
  return actOf(approval).kind === "command" && typeof said === "string" ? said : "";
}

const saidIn = (args: Args) => (typeof args["description"] === "string" ? ["description"] : []);

/** What a list row shows: the part that asks, not the start of the line. */
export function headline(approval: Approval): string {
  const act = actOf(approval);
  switch (act.kind) {
    case "command": {
      const parts = partsOf(approval, act.text);
      const at = parts.findIndex((part) => part.verdict !== "run");
      return clipped(
        spelledOut(
          at > 0
            ? `… ${parts
                .slice(at)
                .map((part) => part.text)
                .join("")}`
            : act.text,
        ),
      );
    }
    case "change":
      return clipped(spelledOut(act.path));
    case "arguments":
      return clipped(spelledOut(`${approval.call.tool} ${firstWords(act.args)}`.trim()));
  }
}

const LONG_VALUE = 80;

/** Named arguments with the short ones first: who and what before the letter itself. */
export function inReadingOrder(args: Args): Array<[string, Json]> {
  const isLong = (value: Json) =>
    typeof value === "string" && (value.length > LONG_VALUE || value.includes("\n"));
  return Object.entries(args).toSorted(([, one], [, other]) => Number(isLong(one)) - Number(isLong(other)));
}

function firstWords(args: Args): string {
  return inReadingOrder(args)
    .map(([, value]) => value)
    .filter((value) => typeof value === "string" || typeof value === "number")
    .slice(0, 2)
    .join(" · ");
}

const LONGEST_HEADLINE = 240;

/** One line, and never a whole document in a list. */
function clipped(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= LONGEST_HEADLINE) return line;
  return `${line.slice(0, LONGEST_HEADLINE / 2)} … ${line.slice(-LONGEST_HEADLINE / 2)}`;
}

/** A stretch of the command, the very characters that would run, and what is to be said of it. */
export type Part = { text: string; verdict: Verdict; reason: string; rule: string | null };

/** The parts of a command: put together again they are the whole line, to the last character. */
export function partsOf({ decision, state }: Approval, text: string): Part[] {
  const { pieces = [], verdict, because, rule } = decision;
  if (pieces.length === 0) {
    return [
      { text, verdict: state === "pending" ? verdict : endOf(state), reason: because, rule: rule ?? null },
    ];
  }
  const cut = cutter(text);
  return pieces.map((piece, at) => ({
    text: cut(at === 0 ? 0 : piece.start, pieces[at + 1]?.start),
    verdict: piece.verdict,
    reason: piece.reason,
    rule: piece.rule ?? null,
  }));
}

/** What became of a call that was asked about, as a verdict. */
function endOf(state: State): Verdict {
  if (state === "approved" || state === "running" || state === "done") return "run";
  return state === "failed" || state === "unknown" ? "ask" : "deny";
}

/** What a destructive call is about, to be typed before it is allowed; the tool's last word if nothing is. */
export function nounOf(approval: Approval): string {
  const words = Object.values(approval.call.args).flatMap(wordsOf);
  const noun = words.filter((word) => word.length >= 3 && word.length <= 24).at(-1);
  return (noun ?? approval.call.tool.split(/[._]/).at(-1) ?? approval.call.tool).toLowerCase();
}

function wordsOf(value: Json): string[] {
  if (typeof value === "number") return [String(value)];
  return typeof value === "string" && value.length < 200 ? (value.match(/[\p{L}\p{N}]+/gu) ?? []) : [];
}

/** What the call would do that cannot be undone. */
export const actsOf = (approval: Approval) => approval.decision.irreversible ?? [];

/** Whether a yes takes more than a key: what is locked, and what cannot be undone. */
export const isHeld = (approval: Approval) => approval.locked || actsOf(approval).length > 0;

/** All that the call says, for counting and searching. */
export const wholeText = (approval: Approval) => JSON.stringify(approval.call.args);

const MOST_COUNTED = 200_000;

/** How many characters of the arguments do not show as themselves. */
export function hiddenCharacters(value: Json): number {
  if (typeof value === "string") return hiddenIn(value.slice(0, MOST_COUNTED));
  if (value === null || typeof value !== "object") return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + hiddenCharacters(item), 0);
}
