/** Fed input: what commands of a call are given on their standard input and may act on. */
import type { Approval, ApprovalDetail, Args, FedInput } from "@/api/types";
import { cutter } from "./cut";
import type { Span } from "./danger";

/** An input as it is shown: with its text, and with its place in the command where it is read there. */
export type Fed = {
  input: FedInput;
  text: string | null;
  place: Span | null;
  /** The argument that is this text and nothing else. */
  argument: string;
};

/** What the commands of a call are fed; a text that is whole lines of the command is shown in its place. */
export function fedOf({ call, decision }: Approval, command: string): Fed[] {
  return (decision.inputs ?? []).map((input) => {
    const text = input.source === "text" ? fedText(input, call.args) : null;
    const isArgument = !!input.argument && call.args[input.argument] === text && text !== command;
    return {
      input,
      text,
      place: text && !isArgument ? placeIn(command, text) : null,
      argument: isArgument ? (input.argument ?? "") : "",
    };
  });
}

function fedText({ text = "", argument = "", start = 0, end = 0 }: FedInput, args: Args): string | null {
  if (!argument) return text;
  const value = args[argument];
  return typeof value === "string" ? cutter(value)(start, end) : null;
}

/** Where whole lines stand in a command; null where they stand there more than once, or not as lines. */
function placeIn(command: string, text: string): Span | null {
  const from = command.indexOf(text);
  const isLines = from > 0 && command[from - 1] === "\n" && text.endsWith("\n");
  return isLines && command.lastIndexOf(text) === from ? { from, to: from + text.length } : null;
}

/** Whether no lasting yes is possible because no rule can name what is fed. */
export function isOnceOnly(approval: Approval | ApprovalDetail): boolean {
  const inputs = approval.decision.inputs ?? [];
  const isOffered =
    "suggestions" in approval && (approval.suggestions.length > 0 || approval.always.conversation.length > 0);
  return !isOffered && inputs.some((one) => one.must_be_named && !one.can_be_named);
}
