/** A call in the thread: what it was, what was decided, and what came of it. */
import { useState } from "react";
import type { Approval, Json } from "@/api/types";
import { Because } from "@/history/Because";
import { textOf } from "@/inbox/ActView";
import { countOf, diffLines, type Line, unifiedLines } from "@/inbox/diff";
import { editedOf } from "@/inbox/question";
import { Versus } from "@/inbox/Versus";
import { Button } from "@/ui/Button";
import { Icon, type IconName } from "@/ui/Icon";
import { VisibleText } from "@/ui/VisibleText";
import type { Key } from "@/words/en";
import { useSay } from "@/words/words";
import { useReason } from "./reasons";
import type { ToolPart } from "./subtasks";

type Ending = { tone: string; icon: IconName; word: Key };

export const WORKING: Ending = { tone: "quiet", icon: "clock", word: "working" };
const DENIED: Ending = { tone: "deny", icon: "deny", word: "denied" };
const ENDINGS: Partial<Record<ToolPart["state"], Ending>> = {
  "output-available": { tone: "run", icon: "run", word: "ran" },
  "output-denied": DENIED,
  "output-error": { tone: "ask", icon: "warn", word: "failed" },
};

/** How a call stands: a colour, a drawing and its word. */
export const endingOf = (part: ToolPart): Ending => (!isParked(part) && ENDINGS[part.state]) || WORKING;

/** Whether a call only seems to have ended: it goes on once a question of its helper is answered. */
export const isParked = (part: ToolPart) =>
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
  const say = useSay();
  const [open, setOpen] = useState(false);
  const reason = useReason(part.toolCallId);
  const refused = part.state === "output-error" && reason?.verdict === "deny";
  const { tone, icon, word } = refused ? DENIED : endingOf(part);
  const output = outputOf(part);
  const edited = question && editedOf(question);
  const change = output.change ?? changeIn(question?.preview ?? null);
  return (
    <div className={`box tone-${tone}`} data-state={part.state}>
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1 px-3.5 py-2">
        <Icon name={icon} className="tinted" />
        <code className="min-w-0 font-medium">
          <VisibleText text={shown(name, part.input as Json)} />
        </code>
        <b className="tinted font-semibold">{say(word)}</b>
        <span className="meta min-w-0 truncate">
          {question?.answer ? (
            say(edited ? "allowedEditedBy" : "allowedBy", { who: question.answer.by })
          ) : reason ? (
            <Because entry={reason} />
          ) : null}
        </span>
        <span className="grow" />
        {output.text && (
          <Button look="quiet" small aria-expanded={open} onClick={() => setOpen(!open)}>
            {say(open ? "hide" : "show")}
          </Button>
        )}
      </div>
      {question && edited && (
        <div className="px-3.5 pb-2.5">
          <Versus approval={question} ran={edited} />
        </div>
      )}
      {change && <Change lines={change} />}
      {part.state === "output-error" && (
        <p className="px-3.5 pb-2 text-ink-2 break-words">
          {refused ? messageIn(part.errorText) : part.errorText}
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

const LONGEST = 140;

/** The call in a line. */
function shown(name: string, input: Json | undefined): string {
  if (input === undefined || input === null) return name;
  const main =
    typeof input === "object" && !Array.isArray(input) ? (input["command"] ?? input["path"] ?? input) : input;
  const text = textOf(main).replace(/\s+/g, " ");
  return `${name} ${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`;
}

/** The sentence of a refusal, which a model is told as JSON; whatever else stands there is shown as it is. */
function messageIn(told: string): string {
  try {
    const { message } = JSON.parse(told) as { message?: unknown };
    return typeof message === "string" ? message : told;
  } catch {
    return told;
  }
}

type Output = { text: string; change: Line[] | null };

export function outputOf(part: ToolPart): Output {
  if (part.state !== "output-available") return { text: "", change: null };
  const output = part.output as Json;
  if (output === null || typeof output !== "object" || Array.isArray(output))
    return { text: textOf(output), change: null };
  const data = output["data"];
  const text = typeof output["text"] === "string" ? output["text"] : textOf(output);
  return { text, change: changeIn(data ?? null) };
}

/** The change that a tool tells of, or a dry run told of before. */
function changeIn(told: Json): Line[] | null {
  if (told === null || typeof told !== "object" || Array.isArray(told)) return null;
  const { before, after, diff, details } = told;
  if (typeof diff === "string") return unifiedLines(diff);
  if (typeof after === "string") return diffLines(typeof before === "string" ? before : null, after);
  return changeIn(details ?? null);
}

const MOST_LINES = 12;

function Change({ lines }: { lines: readonly Line[] }) {
  const say = useSay();
  const changed = lines.filter((line) => line.kind !== "same");
  if (changed.length === 0) return null;
  return (
    <div className="diff border-t border-line">
      <span className="sr-only">
        +{countOf(lines, "add")} −{countOf(lines, "remove")}
      </span>
      {changed.slice(0, MOST_LINES).map((line) => (
        <div key={`${line.before}/${line.after}`} className={`diff-line diff-${line.kind}`}>
          <span>{line.before}</span>
          <span>{line.after}</span>
          <b>{line.kind === "add" ? "+" : "−"}</b>
          <code>
            <VisibleText text={line.text} />
          </code>
        </div>
      ))}
      {changed.length > MOST_LINES && (
        <div className="diff-gap">{say("andMore", { count: changed.length - MOST_LINES })}</div>
      )}
    </div>
  );
}
