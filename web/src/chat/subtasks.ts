/** Sub-tasks of a message: the calls of each helper stand under the call that sent it. */
import { type DynamicToolUIPart, getToolName, isToolUIPart, type ToolUIPart, type UIMessage } from "ai";
import type { Approval } from "@/api/types";

export type Part = UIMessage["parts"][number];
export type ToolPart = ToolUIPart | DynamicToolUIPart;
/** A question as the thread tells it; a proposal comes with the token that applies it. */
export type Explained = Approval & { toolCallId?: string; token?: string };
export type Sent = { name: string; task: string; mode: string };
export type Item =
  | { kind: "part"; part: Part }
  /** A helper with what it did; without the call that sent it where that is not shown. */
  | { kind: "subtask"; key: string; call: ToolPart | null; sent: Sent; parts: readonly Part[] };

const TOOL = "run_subtask";
const USUAL = "helper";
/** The server cuts the title of a helper's calls there. */
const LONGEST_TITLE = 120;

/** The question that a part explains, if it explains one. */
export function explainedBy(part: Part): Explained | null {
  return part.type === "data-assent" && "data" in part ? (part.data as Explained) : null;
}

/** The parts of an agent's message in order, each helper's gathered where it was sent from. */
export function itemsOf(parts: readonly Part[], agent: string): Item[] {
  const groups = groupsOf(parts);
  const within = new Set([...groups.values()].flat());
  const items = parts.flatMap((part): Item[] => {
    if (within.has(part)) return [];
    const sent = isToolUIPart(part) ? sentBy(part) : null;
    if (!isToolUIPart(part) || !sent) return [{ kind: "part", part }];
    const key = [...groups.keys()].find((one) => titleIn(one) === titleOf(agent, sent));
    const found = key === undefined ? [] : (groups.get(key) ?? []);
    if (key !== undefined) groups.delete(key);
    return [{ kind: "subtask", key: part.toolCallId, call: part, sent, parts: found }];
  });
  return [...items, ...[...groups].map(([key, found]) => orphan(key, found))];
}

/** The calls of helpers, and what was asked about them, by their turn and title. */
function groupsOf(parts: readonly Part[]): Map<string, Part[]> {
  const groups = new Map<string, Part[]>();
  const groupOf = new Map<string, string>();
  for (const part of parts) {
    if (!isToolUIPart(part) || !part.title) continue;
    groupOf.set(part.toolCallId, `${part.toolCallId.split(".")[0]} ${part.title}`);
  }
  for (const part of parts) {
    const call = isToolUIPart(part) ? part.toolCallId : explainedBy(part)?.toolCallId;
    const group = call === undefined ? undefined : groupOf.get(call);
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), part]);
  }
  return groups;
}

/** What a call of `run_subtask` sends, once its arguments are there. */
function sentBy(part: ToolPart): Sent | null {
  if (getToolName(part) !== TOOL) return null;
  const { name, task, mode } = (part.input ?? {}) as Partial<Sent>;
  if (typeof task !== "string") return null;
  return { name: name || USUAL, task, mode: mode ?? "" };
}

const titleIn = (key: string) => key.slice(key.indexOf(" ") + 1);
const titleOf = (agent: string, { name, task }: Sent) =>
  [...`${agent}/${name}: ${task}`].slice(0, LONGEST_TITLE).join("");

function orphan(key: string, parts: readonly Part[]): Item {
  const [agent = "", ...task] = titleIn(key).split(": ");
  const name = agent.slice(agent.lastIndexOf("/") + 1) || USUAL;
  return { kind: "subtask", key, call: null, sent: { name, task: task.join(": "), mode: "" }, parts };
}
