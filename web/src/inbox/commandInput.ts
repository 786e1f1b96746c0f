/** The inputs that the commands of a call read from standard input. */
import type { Approval, ApprovalDetail, CallArguments, DisclosedInput } from "@/api/types";
import { characterSlicer } from "./characters";
import type { TextSpan } from "./danger";

/** An input as the card shows it: its text, and its span in the command if the text is part of it. */
export type ShownCommandInput = {
  input: DisclosedInput;
  text: string | null;
  place: TextSpan | null;
  /** The name of the argument whose whole value is this text. */
  argument: string;
};

/** The inputs of a call; a text that consists of whole lines of the command is shown inside the command. */
export function shownCommandInputs({ call, decision }: Approval, command: string): ShownCommandInput[] {
  return (decision.inputs ?? []).map((input) => {
    const text = input.source === "text" ? inputTextFromArguments(input, call.args) : null;
    const isArgument = !!input.argument && call.args[input.argument] === text && text !== command;
    return {
      input,
      text,
      place: text && !isArgument ? findWholeLines(command, text) : null,
      argument: isArgument ? (input.argument ?? "") : "",
    };
  });
}

function inputTextFromArguments(
  { text = "", argument = "", start = 0, end = 0 }: DisclosedInput,
  args: CallArguments,
): string | null {
  if (!argument) return text;
  const value = args[argument];
  return typeof value === "string" ? characterSlicer(value)(start, end) : null;
}

/** The span of whole lines in a command; null if they occur more than once or not as whole lines. */
function findWholeLines(command: string, text: string): TextSpan | null {
  const from = command.indexOf(text);
  const isLines = from > 0 && command[from - 1] === "\n" && text.endsWith("\n");
  return isLines && command.lastIndexOf(text) === from ? { from, to: from + text.length } : null;
}

/** Whether the call can only be allowed once, because no rule can describe its input. */
export function canOnlyAllowOnce(approval: Approval | ApprovalDetail): boolean {
  const inputs = approval.decision.inputs ?? [];
  const isOffered =
    "suggestions" in approval && (approval.suggestions.length > 0 || approval.always.conversation.length > 0);
  return !isOffered && inputs.some((one) => one.must_be_named && !one.can_be_named);
}
