/** A call in the thread: its arguments, its verdict and its result. */
import { useState } from "react";
import type { Approval, Json } from "@/api/types";
import { DeciderCell } from "@/history/AuditEntry";
import { ArgumentChanges } from "@/inbox/ArgumentChanges";
import { argumentValueText } from "@/inbox/CallContentView";
import { countLinesOfKind, type DiffLine, diffLines, parseUnifiedDiff } from "@/inbox/diff";
import { editedArguments } from "@/inbox/question";
import { Button } from "@/ui/Button";
import { Icon, type IconName } from "@/ui/Icon";
import { VisibleText } from "@/ui/VisibleText";
import type { TextKey } from "@/words/en";
import { useTranslate } from "@/words/words";
import { useDecisionEntry } from "./decisionEntries";
import type { ToolPart } from "./subtasks";

type CallStatus = { tone: string; icon: IconName; word: TextKey };

export const WORKING_STATUS: CallStatus = { tone: "quiet", icon: "clock", word: "working" };
const DENIED_STATUS: CallStatus = { tone: "deny", icon: "deny", word: "denied" };
const CALL_STATUSES: Partial<Record<ToolPart["state"], CallStatus>> = {
  "output-available": { tone: "run", icon: "run", word: "ran" },
  "output-denied": DENIED_STATUS,
  "output-error": { tone: "ask", icon: "warn", word: "failed" },
};

/** The status of a call: colour, icon and text. */
export const callStatus = (part: ToolPart): CallStatus =>
  (!isWaitingForSubtask(part) && CALL_STATUSES[part.state]) || WORKING_STATUS;

/** Whether the call waits for its subtask: it continues when a question of the subtask is answered. */
export const isWaitingForSubtask = (part: ToolPart) =>
  part.state === "output-available" && (part.output as { data?: { waits?: boolean } })?.data?.waits === true;

export function ToolRow({
  part,
  name,
  question,
}: {
  part: ToolPart;
  name: string;
  question: Approval | null;
}) {
  const t = useTranslate();
  const [open, setOpen] = useState(false);
  const reason = useDecisionEntry(part.toolCallId);
  const refused = part.state === "output-error" && reason?.verdict === "deny";
  const { tone, icon, word } = refused ? DENIED_STATUS : callStatus(part);
  const output = toolOutput(part);
  const edited = question && editedArguments(question);
  const change = output.change ?? diffInOutput(question?.preview ?? null);
  return (
    <div className={`box tone-${tone}`} data-state={part.state}>
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1 px-3.5 py-2">
        <Icon name={icon} className="tinted" />
        <code className="min-w-0 font-medium">
          <VisibleText text={callSummaryLine(name, part.input as Json)} />
        </code>
        <b className="tinted font-semibold">{t(word)}</b>
        <span className="meta min-w-0 truncate">
          {question?.answer ? (
            t(edited ? "allowedEditedBy" : "allowedBy", { who: question.answer.by })
          ) : reason ? (
            <DeciderCell entry={reason} />
          ) : null}
        </span>
        <span className="grow" />
        {output.text && (
          <Button look="quiet" small aria-expanded={open} onClick={() => setOpen(!open)}>
            {t(open ? "hide" : "show")}
          </Button>
        )}
      </div>
      {question && edited && (
        <div className="px-3.5 pb-2.5">
          <ArgumentChanges approval={question} ran={edited} />
        </div>
      )}
      {change && <ChangedLines lines={change} />}
      {part.state === "output-error" && (
        <p className="px-3.5 pb-2 text-ink-2 break-words">
          {refused ? refusalMessage(part.errorText) : part.errorText}
        </p>
      )}
      {open && (
        <pre className="mono max-h-80 overflow-auto border-t border-line bg-sunken px-3.5 py-2.5 text-[12.5px] leading-5 break-words whitespace-pre-wrap">
          <VisibleText text={output.text} />
        </pre>
      )}
    </div>
  );
}

const MAX_CALL_LINE_LENGTH = 140;

/** The call in one line. */
export function callSummaryLine(name: string, input: Json | undefined): string {
  if (input === undefined || input === null) return name;
  const main =
    typeof input === "object" && !Array.isArray(input) ? (input["command"] ?? input["path"] ?? input) : input;
  const text = argumentValueText(main).replace(/\s+/g, " ");
  return `${name} ${text.length > MAX_CALL_LINE_LENGTH ? `${text.slice(0, MAX_CALL_LINE_LENGTH)}…` : text}`;
}

/** The message of a refusal, which is JSON for the model; other text is returned unchanged. */
function refusalMessage(output: string): string {
  try {
    const { message } = JSON.parse(output) as { message?: unknown };
    return typeof message === "string" ? message : output;
  } catch {
    return output;
  }
}

type ToolOutput = { text: string; change: DiffLine[] | null };

export function toolOutput(part: ToolPart): ToolOutput {
  if (part.state !== "output-available") return { text: "", change: null };
  const output = part.output as Json;
  if (output === null || typeof output !== "object" || Array.isArray(output))
    return { text: argumentValueText(output), change: null };
  const data = output["data"];
  const text = typeof output["text"] === "string" ? output["text"] : argumentValueText(output);
  return { text, change: diffInOutput(data ?? null) };
}

/** The file change in the output of a tool or a dry run. */
function diffInOutput(output: Json): DiffLine[] | null {
  if (output === null || typeof output !== "object" || Array.isArray(output)) return null;
  const { before, after, diff, details } = output;
  if (typeof diff === "string") return parseUnifiedDiff(diff);
  if (typeof after === "string") return diffLines(typeof before === "string" ? before : null, after);
  return diffInOutput(details ?? null);
}

const MAX_SHOWN_LINES = 12;

function ChangedLines({ lines }: { lines: readonly DiffLine[] }) {
  const t = useTranslate();
  const changed = lines.filter((line) => line.kind !== "same");
  if (changed.length === 0) return null;
  return (
    <div className="diff border-t border-line">
      <span className="sr-only">
        +{countLinesOfKind(lines, "add")} −{countLinesOfKind(lines, "remove")}
      </span>
      {changed.slice(0, MAX_SHOWN_LINES).map((line) => (
        <div key={`${line.before}/${line.after}`} className={`diff-line diff-${line.kind}`}>
          <span>{line.before}</span>
          <span>{line.after}</span>
          <b>{line.kind === "add" ? "+" : "−"}</b>
          <code>
            <VisibleText text={line.text} />
          </code>
        </div>
      ))}
      {changed.length > MAX_SHOWN_LINES && (
        <div className="diff-gap">{t("andMore", { count: changed.length - MAX_SHOWN_LINES })}</div>
      )}
    </div>
  );
}
