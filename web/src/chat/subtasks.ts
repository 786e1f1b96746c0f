/** Subtasks of a message: the calls of a subtask are grouped under the call that started it. */
import { type DynamicToolUIPart, getToolName, isToolUIPart, type ToolUIPart, type UIMessage } from "ai";
import type { Approval } from "@/api/types";

export type MessagePart = UIMessage["parts"][number];
export type ToolPart = ToolUIPart | DynamicToolUIPart;
/** A question as the thread contains it; a proposal includes the token that applies it. */
export type AskedQuestion = Approval & { toolCallId?: string; token?: string };
export type SubtaskRequest = { name: string; task: string; mode: string };
export type ThreadItem =
  | { kind: "part"; part: MessagePart }
  /** A subtask with its parts; `call` is null if the call that started it is not in the message. */
  | {
      kind: "subtask";
      key: string;
      call: ToolPart | null;
      request: SubtaskRequest;
      parts: readonly MessagePart[];
    };

const SUBTASK_TOOL = "run_subtask";
const DEFAULT_SUBTASK_NAME = "helper";
/** The server shortens the title of a subtask's calls to this length. */
const MAX_SUBTASK_TITLE_LENGTH = 120;

/** The question that a part contains, or null. */
export function questionOfPart(part: MessagePart): AskedQuestion | null {
  return part.type === "data-assent" && "data" in part ? (part.data as AskedQuestion) : null;
}

/** The parts of a message in order; the parts of a subtask are grouped at the call that started it. */
export function groupPartsIntoThreadItems(parts: readonly MessagePart[], agent: string): ThreadItem[] {
  const groups = groupPartsBySubtask(parts);
  const within = new Set([...groups.values()].flat());
  const items = parts.flatMap((part): ThreadItem[] => {
    if (within.has(part)) return [];
    const request = isToolUIPart(part) ? subtaskRequestOf(part) : null;
    if (!isToolUIPart(part) || !request) return [{ kind: "part", part }];
    const key = [...groups.keys()].find((one) => subtaskTitleFromKey(one) === subtaskTitle(agent, request));
    const found = key === undefined ? [] : (groups.get(key) ?? []);
    if (key !== undefined) groups.delete(key);
    return [{ kind: "subtask", key: part.toolCallId, call: part, request, parts: found }];
  });
  return [...items, ...[...groups].map(([key, found]) => subtaskItemWithoutCall(key, found))];
}

/** The calls and questions of subtasks, by turn and title. */
function groupPartsBySubtask(parts: readonly MessagePart[]): Map<string, MessagePart[]> {
  const groups = new Map<string, MessagePart[]>();
  const groupOf = new Map<string, string>();
  for (const part of parts) {
    if (!isToolUIPart(part) || !part.title) continue;
    groupOf.set(part.toolCallId, `${part.toolCallId.split(".")[0]} ${part.title}`);
  }
  for (const part of parts) {
    const call = isToolUIPart(part) ? part.toolCallId : questionOfPart(part)?.toolCallId;
    const group = call === undefined ? undefined : groupOf.get(call);
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), part]);
  }
  return groups;
}

/** The arguments of a `run_subtask` call, once they have arrived. */
function subtaskRequestOf(part: ToolPart): SubtaskRequest | null {
  if (getToolName(part) !== SUBTASK_TOOL) return null;
  const { name, task, mode } = (part.input ?? {}) as Partial<SubtaskRequest>;
  if (typeof task !== "string") return null;
  return { name: name || DEFAULT_SUBTASK_NAME, task, mode: mode ?? "" };
}

const subtaskTitleFromKey = (key: string) => key.slice(key.indexOf(" ") + 1);
const subtaskTitle = (agent: string, { name, task }: SubtaskRequest) =>
  [...`${agent}/${name}: ${task}`].slice(0, MAX_SUBTASK_TITLE_LENGTH).join("");

function subtaskItemWithoutCall(key: string, parts: readonly MessagePart[]): ThreadItem {
  const [agent = "", ...task] = subtaskTitleFromKey(key).split(": ");
  const name = agent.slice(agent.lastIndexOf("/") + 1) || DEFAULT_SUBTASK_NAME;
  return { kind: "subtask", key, call: null, request: { name, task: task.join(": "), mode: "" }, parts };
}
