/** A helper in the thread: its task, how it stands, and, one click below, each call it made and what it said. */
import { isToolUIPart } from "ai";
import { type ReactNode, useId, useState } from "react";
import { usePending } from "@/api/queries";
import { ModeName, modeNamed } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { VisibleText } from "@/ui/VisibleText";
import { useSay } from "@/words/words";
import { Prose } from "./Prose";
import { explainedBy, type Item, type Part, type ToolPart } from "./subtasks";
import { endingOf, isParked, outputOf, WORKING } from "./ToolRow";

type Props = { subtask: Extract<Item, { kind: "subtask" }>; children: ReactNode };

export function Subtask({ subtask: { call, sent, parts }, children }: Props) {
  const say = useSay();
  const body = useId();
  const [wanted, setWanted] = useState<boolean | null>(null);
  const asks = useWaiting(parts);
  const calls = parts.filter(isToolUIPart).length;
  // Only what is done and went well is folded by itself.
  const open = wanted ?? (asks > 0 || !call || isParked(call) || call.state !== "output-available");
  const { tone, icon, word } = asks > 0 ? ASKS : call ? endingOf(call) : WORKING;
  return (
    <section
      className={`box tone-${tone}`}
      aria-label={`${say("helper")} ${sent.name}`}
      data-subtask={sent.name}
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
          <span className="text-ink-3">{say("helper")}</span>{" "}
          <b className="font-semibold">
            <VisibleText text={sent.name} />
          </b>
        </span>
        <span className="tinted inline-flex items-center gap-1.5 font-semibold whitespace-nowrap">
          <Icon name={icon} />
          {asks > 0 ? say("nAsk", { count: asks }) : say(word)}
        </span>
        <Icon name={open ? "down" : "next"} size="small" className="text-ink-3" />
        <span className="meta col-start-2 truncate">
          <VisibleText text={sent.task.replace(/\s+/g, " ")} />
        </span>
        <span className="meta inline-flex justify-end gap-2.5 whitespace-nowrap tabular-nums">
          {sent.mode && <ModeName mode={modeNamed(sent.mode)} />}
          {calls > 0 && say("nCalls", { count: calls })}
        </span>
      </button>
      {open && (
        <div id={body} className="border-t border-line bg-sunken px-2 py-2.5 phone:px-3.5 phone:py-3">
          <div className="grid auto-rows-max gap-2.5 border-l-2 border-line pl-2 empty:hidden phone:pl-3">
            {children}
            {call && !isParked(call) && <Answer call={call} />}
          </div>
        </div>
      )}
    </section>
  );
}

const ASKS = { tone: "ask", icon: "ask", word: "asks" } as const;

/** What the helper told whoever sent it. */
function Answer({ call }: { call: ToolPart }) {
  const text = call.state === "output-error" ? call.errorText : outputOf(call).text;
  return text ? <Prose text={text} /> : null;
}

/** How many questions of a helper still wait, wherever they are answered. */
function useWaiting(parts: readonly Part[]): number {
  const { data: pending } = usePending();
  const open = new Set(pending?.filter((one) => one.state === "pending").map((one) => one.id));
  return parts.filter((part) => open.has(explainedBy(part)?.id ?? "")).length;
}
