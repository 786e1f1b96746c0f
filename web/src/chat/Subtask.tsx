/** A helper in the thread: its task and status, and behind a click its calls and its answer. */
import { isToolUIPart } from "ai";
import { type ReactNode, useId, useState } from "react";
import { usePending } from "@/api/queries";
import { ModeName, parseMode } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import { Prose } from "./Prose";
import { type Item, type Part, questionIn, type ToolPart } from "./subtasks";
import { callStatus, isParked, outputOf, WORKING } from "./ToolRow";

type Props = { subtask: Extract<Item, { kind: "subtask" }>; children: ReactNode };

export function Subtask({ subtask: { call, request, parts }, children }: Props) {
  const t = useTranslate();
  const body = useId();
  const [wanted, setWanted] = useState<boolean | null>(null);
  const asks = useWaitingCount(parts);
  const calls = parts.filter(isToolUIPart).length;
  // Only a helper that succeeded is collapsed automatically.
  const open = wanted ?? (asks > 0 || !call || isParked(call) || call.state !== "output-available");
  const { tone, icon, word } = asks > 0 ? ASKING : call ? callStatus(call) : WORKING;
  return (
    <section
      className={`box tone-${tone}`}
      aria-label={`${t("helper")} ${request.name}`}
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
          <span className="text-ink-3">{t("helper")}</span>{" "}
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
            {call && !isParked(call) && <HelperAnswer call={call} />}
          </div>
        </div>
      )}
    </section>
  );
}

const ASKING = { tone: "ask", icon: "ask", word: "asks" } as const;

/** The answer of the helper to its parent. */
function HelperAnswer({ call }: { call: ToolPart }) {
  const text = call.state === "output-error" ? call.errorText : outputOf(call).text;
  return text ? <Prose text={text} /> : null;
}

/** The number of pending questions of a helper. */
function useWaitingCount(parts: readonly Part[]): number {
  const { data: pending } = usePending();
  const open = new Set(pending?.filter((one) => one.state === "pending").map((one) => one.id));
  return parts.filter((part) => open.has(questionIn(part)?.id ?? "")).length;
}
