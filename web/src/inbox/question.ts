/** Computes what a card shows of a question, from the stored call only. */
import type { Approval, ApprovalDetail, CallArguments, FileJson, Json, State } from "@/api/types";
import type { Verdict } from "@/ui/effect";
import type { Reason } from "@/ui/reason";
import { countHiddenCharacters, toVisibleString } from "@/ui/visible";
import { characterSlicer } from "./characters";
import { type ShownCommandInput, shownCommandInputs } from "./commandInput";

export type CallContent =
  | {
      kind: "command";
      text: string;
      language: "shell" | "powershell";
      fed: ShownCommandInput[];
      rest: CallArguments;
    }
  | {
      kind: "change";
      path: string;
      before: string | null;
      after: string;
      rest: CallArguments;
      compared?: FileComparison;
    }
  | { kind: "arguments"; args: CallArguments };

/** The server's comparison with the file; without a diff until the full question is loaded. */
export type FileComparison = { diff: string | undefined; lines: number; within: string; overwrites: boolean };

/** The argument that a template refers to: `{command}`, `{path=.}`, `domain:{url:host}`. */
export function templateArgument(template: string | null): string | null {
  return template?.match(/\{(\w+)/)?.[1] ?? null;
}

/** What the call would do: a command, a file change, or named arguments. */
export function callContentFromApproval(approval: Approval): CallContent {
  const { tool, call, preview, file } = approval;
  const name = templateArgument(tool.template);
  const value = name === null ? undefined : call.args[name];
  if ((tool.dialect === "shell" || tool.dialect === "powershell") && typeof value === "string") {
    const fed = shownCommandInputs(approval, value);
    // Inputs are shown separately, and the agent's description comes last on the card.
    const rest = withoutArguments(call.args, [
      name ?? "",
      ...fed.map((one) => one.argument),
      ...descriptionArgumentNames(call.args),
    ]);
    return { kind: "command", text: value, language: tool.dialect, fed, rest };
  }
  if (tool.dialect === "path" && name !== null && typeof value === "string") {
    const change = file ? changeFromFile(approval, file) : changeFromArguments(call.args, preview);
    if (change)
      return {
        kind: "change",
        path: value,
        ...change.shown,
        rest: withoutArguments(call.args, [name, ...change.used]),
      };
  }
  return { kind: "arguments", args: call.args };
}

type FoundFileChange = {
  shown: { before: string | null; after: string; compared?: FileComparison };
  used: readonly string[];
};

const CONTENT_ARGUMENTS = ["content", "contents", "text"];
const EDIT_ARGUMENTS = [
  ...CONTENT_ARGUMENTS,
  "old_string",
  "new_string",
  "replace_all",
  "edits",
  "changes",
  "new_source",
];

/** The change of an existing file or the content of a new one, as the server computed it. */
function changeFromFile(approval: Approval | ApprovalDetail, file: FileJson): FoundFileChange | null {
  const { args } = approval.call;
  const whole = [...CONTENT_ARGUMENTS, "new_string"]
    .map((name) => args[name])
    .find((value) => typeof value === "string");
  if (file.state === "new" && typeof whole === "string")
    return { shown: { before: null, after: whole }, used: EDIT_ARGUMENTS };
  if (file.state !== "changed") return null;
  const { lines, within } = file;
  const overwrites = CONTENT_ARGUMENTS.some((name) => typeof args[name] === "string");
  const diff = "diff" in approval ? approval.diff : undefined;
  return {
    shown: { before: "", after: "", compared: { diff, lines, within, overwrites } },
    used: EDIT_ARGUMENTS,
  };
}

/** The arguments that a person changed, or null if the requested arguments are unchanged. */
export function editedArguments({ answer, call }: Approval): CallArguments | null {
  const args = answer?.args ?? null;
  return args && JSON.stringify(sortKeys(args)) !== JSON.stringify(sortKeys(call.args)) ? args : null;
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== "object") return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sortKeys(value[name] ?? null)]));
}

function changeFromArguments(args: CallArguments, preview: CallArguments | null): FoundFileChange | null {
  const details = preview && isJsonObject(preview["details"]) ? preview["details"] : preview;
  if (
    details &&
    typeof details["after"] === "string" &&
    !OMITTED_TEXT_MARK.test(`${details["before"] ?? ""}`)
  ) {
    const before = typeof details["before"] === "string" ? details["before"] : null;
    // A dry run may shorten its texts: prefer the full text in the call.
    const whole = args["content"];
    if (typeof whole === "string") return { shown: { before, after: whole }, used: ["content"] };
    return { shown: { before, after: details["after"] }, used: [] };
  }
  // The file was not read: a diff with guessed line numbers would be misleading.
  return null;
}

/** The mark of a shortened text in a dry run; shortened texts cannot be compared. */
const OMITTED_TEXT_MARK = /\n… [\d,]+ more characters …\n/;

const isJsonObject = (value: Json | undefined): value is CallArguments =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function withoutArguments(args: CallArguments, names: readonly string[]): CallArguments {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}

/** The agent's description of its command, which some tools take as an argument; it has no effect on the decision. */
export function agentDescription(approval: Approval): string {
  const said = approval.call.args["description"];
  return callContentFromApproval(approval).kind === "command" && typeof said === "string" ? said : "";
}

const descriptionArgumentNames = (args: CallArguments) =>
  typeof args["description"] === "string" ? ["description"] : [];

/** The text of a list row: the part that needs approval, not the start of the line. */
export function questionHeadline(approval: Approval): string {
  const act = callContentFromApproval(approval);
  switch (act.kind) {
    case "command": {
      const parts = commandParts(approval, act.text);
      const at = parts.findIndex((part) => part.verdict !== "run");
      return clipHeadline(
        toVisibleString(
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
      return clipHeadline(toVisibleString(act.path));
    case "arguments":
      return clipHeadline(toVisibleString(`${approval.call.tool} ${firstArgumentWords(act.args)}`.trim()));
  }
}

const MAX_SHORT_VALUE_LENGTH = 80;

/** The arguments with their names; those with short values come first. */
export function sortShortValuesFirst(args: CallArguments): Array<[string, Json]> {
  const isLong = (value: Json) =>
    typeof value === "string" && (value.length > MAX_SHORT_VALUE_LENGTH || value.includes("\n"));
  return Object.entries(args).toSorted(([, one], [, other]) => Number(isLong(one)) - Number(isLong(other)));
}

function firstArgumentWords(args: CallArguments): string {
  return sortShortValuesFirst(args)
    .map(([, value]) => value)
    .filter((value) => typeof value === "string" || typeof value === "number")
    .slice(0, 2)
    .join(" · ");
}

const MAX_HEADLINE_LENGTH = 240;

/** Shorten a text to one line. */
function clipHeadline(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= MAX_HEADLINE_LENGTH) return line;
  return `${line.slice(0, MAX_HEADLINE_LENGTH / 2)} … ${line.slice(-MAX_HEADLINE_LENGTH / 2)}`;
}

/** A part of the command with its exact characters and its verdict. */
export type CommandPart = { text: string; verdict: Verdict; reason: Reason; rule: string | null };

/** The parts of a command; joined, they are exactly the whole line. */
export function commandParts({ decision, state }: Approval, text: string): CommandPart[] {
  const { pieces = [], verdict, because, rule } = decision;
  if (pieces.length === 0) {
    return [
      {
        text,
        verdict: state === "pending" ? verdict : verdictOfState(state),
        reason: { sentence: because, ...decision.reason },
        rule: rule ?? null,
      },
    ];
  }
  const cut = characterSlicer(text);
  return pieces.map((piece, at) => ({
    text: cut(at === 0 ? 0 : piece.start, pieces[at + 1]?.start),
    verdict: piece.verdict,
    reason: { ...piece, sentence: piece.reason },
    rule: piece.rule ?? null,
  }));
}

/** The verdict that corresponds to the state of a question. */
function verdictOfState(state: State): Verdict {
  if (state === "approved" || state === "running" || state === "done") return "run";
  return state === "failed" || state === "unknown" ? "ask" : "deny";
}

/** The word that a person types to allow a destructive call: its target, or the last word of the tool's name. */
export function confirmationWord(approval: Approval): string {
  const words = Object.values(approval.call.args).flatMap(textsInValue);
  const noun = words.filter((word) => word.length >= 3 && word.length <= 24).at(-1);
  return (noun ?? approval.call.tool.split(/[._]/).at(-1) ?? approval.call.tool).toLowerCase();
}

function textsInValue(value: Json): string[] {
  if (typeof value === "number") return [String(value)];
  return typeof value === "string" && value.length < 200 ? (value.match(/[\p{L}\p{N}]+/gu) ?? []) : [];
}

/** The acts of the call that cannot be undone. */
export const irreversibleActs = (approval: Approval) => approval.decision.irreversible ?? [];

/** Whether allowing the call needs a confirmation: for locked and for irreversible calls. */
export const needsConfirmation = (approval: Approval) =>
  approval.locked || irreversibleActs(approval).length > 0;

/** The arguments as one text, for counting and searching. */
export const argumentsText = (approval: Approval) => JSON.stringify(approval.call.args);

const MAX_COUNTED_CHARACTERS = 200_000;

/** Count the characters of the arguments that are invisible or misleading. */
export function countHiddenCharactersInJson(value: Json): number {
  if (typeof value === "string") return countHiddenCharacters(value.slice(0, MAX_COUNTED_CHARACTERS));
  if (value === null || typeof value !== "object") return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + countHiddenCharactersInJson(item), 0);
}
