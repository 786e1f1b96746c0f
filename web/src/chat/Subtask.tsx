/** A subtask in the thread: its task and status; a click shows its calls and its answer. */
import { isToolUIPart } from "ai";
import { type ReactNode, useId, useState } from "react";
import { usePendingQuestions } from "@/api/queries";
import { ModeName, parseMode } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import { FormattedText } from "./FormattedText";
import { type MessagePart, questionOfPart, type ThreadItem, type ToolPart } from "./subtasks";
import { callStatus, isWaitingForSubtask, toolOutput, WORKING_STATUS } from "./ToolRow";

type SubtaskProps = { subtask: Extract<ThreadItem, { kind: "subtask" }>; children: ReactNode };

export function Subtask({ subtask: { call, request, parts }, children }: SubtaskProps) {
  const t = useTranslate();
  const body = useId();
  const [wanted, setWanted] = useState<boolean | null>(null);
  const asks = useWaitingQuestionCount(parts);
  const calls = parts.filter(isToolUIPart).length;
  // Only a subtask that succeeded is collapsed automatically.
  const open =
    wanted ?? (asks > 0 || !call || isWaitingForSubtask(call) || call.state !== "output-available");
  const { tone, icon, word } = asks > 0 ? ASKING_STATUS : call ? callStatus(call) : WORKING_STATUS;
  return (
    <section
      className={`box tone-${tone}`}
      aria-label={`${t("subtask")} ${request.name}`}
      data-subtask={request.name}
    >
      <button
        type="button"
        aria-expanded={open}
        aria-controls={body}
        onClick={() => setWanted(!open)}
        className="grid w-full grid-cols-[16px_minmax(0,1fr)_auto_16px] items-center gap-x-2.5 gap-y-0.5 px-3.5 py-2 text-left hover:bg-hover"
      >
        <Icon name="agents" className="text-ink-3" />
        <span className="truncate">
          <span className="text-ink-3">{t("subtask")}</span>{" "}
          <b className="font-semibold">
            <VisibleText text={request.name} />
          </b>
        </span>
        <span className="tinted inline-flex items-center gap-1.5 font-semibold whitespace-nowrap">
          <Icon name={icon} />
          {asks > 0 ? t("nAsk", { count: asks }) : t(word)}
        </span>
        <Icon name={open ? "down" : "next"} size="small" className="text-ink-3" />
        <span className="meta col-start-2 truncate">
          <VisibleText text={request.task.replace(/\s+/g, " ")} />
        </span>
        <span className="meta inline-flex justify-end gap-2.5 whitespace-nowrap tabular-nums">
          {request.mode && <ModeName mode={parseMode(request.mode)} />}
          {calls > 0 && t("nCalls", { count: calls })}
        </span>
      </button>
      {open && (
        <div id={body} className="border-t border-line bg-sunken px-2 py-2.5 phone:px-3.5 phone:py-3">
          <div className="grid auto-rows-max gap-2.5 border-l-2 border-line pl-2 empty:hidden phone:pl-3">
            {children}
            {call && !isWaitingForSubtask(call) && <SubtaskAnswer call={call} />}
          </div>
        </div>
      )}
    </section>
  );
}

const ASKING_STATUS = { tone: "ask", icon: "ask", word: "asks" } as const;

/** The answer of the subtask to the agent that started it. */
function SubtaskAnswer({ call }: { call: ToolPart }) {
  const text = call.state === "output-error" ? call.errorText : toolOutput(call).text;
  return text ? <FormattedText text={text} /> : null;
}

/** The number of pending questions of a subtask. */
function useWaitingQuestionCount(parts: readonly MessagePart[]): number {
  const { data: pending } = usePendingQuestions();
  const open = new Set(pending?.filter((one) => one.state === "pending").map((one) => one.id));
  return parts.filter((part) => open.has(questionOfPart(part)?.id ?? "")).length;
}
