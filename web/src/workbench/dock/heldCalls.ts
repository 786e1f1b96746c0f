/** The calls of the conversation that wait for a person, each with one number that marks it everywhere. */
import { useMemo } from "react";
import { usePendingQuestions } from "@/api/queries";
import type { Approval } from "@/api/types";
import { questionHeadline } from "@/inbox/question";
import { resourceOf } from "../editor/documents";
import type { PaneKind } from "../layout/arrangement";

export type HeldCall = { number: number; approval: Approval };

/** Shared by all places that show numbers, so that they agree. */
const numbersByConversation = new Map<string, ReadonlyMap<string, number>>();
const NONE: readonly Approval[] = [];

/** The held calls of a conversation, the oldest first. A number stays with its call until it is answered. */
export function useHeldCalls(conversation: string): readonly HeldCall[] {
  const { data: pending = NONE } = usePendingQuestions();
  return useMemo(() => {
    const held = pending
      .filter((one) => one.state === "pending" && one.call.conversation === conversation)
      .toSorted((one, other) => (one.asked_at < other.asked_at ? -1 : 1));
    const ids = held.map((one) => one.id);
    const numbers = assignNumbers(ids, numbersByConversation.get(conversation) ?? new Map());
    numbersByConversation.set(conversation, numbers);
    return held.map((approval) => ({ approval, number: numbers.get(approval.id) ?? 0 }));
  }, [pending, conversation]);
}

/** Keep the numbers that are in use, and give the others the smallest free ones. */
export function assignNumbers(
  ids: readonly string[],
  before: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const kept = new Map(ids.flatMap((id) => (before.has(id) ? [[id, before.get(id) ?? 0] as const] : [])));
  const used = new Set(kept.values());
  let next = 1;
  for (const id of ids) {
    if (kept.has(id)) continue;
    while (used.has(next)) next += 1;
    kept.set(id, next);
    used.add(next);
  }
  return kept;
}

/** A held call in one line: its tool, and what it would do. */
export function heldHeadline(approval: Approval): string {
  const { tool } = approval.call;
  const headline = questionHeadline(approval);
  return headline.startsWith(tool) ? headline : `${tool} ${headline}`;
}

export type Place = { kind: PaneKind; resource: string };

/** What an editor shows for the file that a call names; empty if it names none. */
export function resourceOfCall({ call }: Approval, firstRoot: string): string {
  const { path, root } = call.args as { path?: unknown; root?: unknown };
  if (typeof path !== "string") return "";
  return resourceOf({ path, root: typeof root === "string" ? root : "" }, firstRoot);
}

/** Where the workbench shows what a call is about. */
export function placeOf(approval: Approval, firstRoot: string): Place | null {
  const { call } = approval;
  const { terminal } = call.args as { terminal?: unknown };
  const resource = resourceOfCall(approval, firstRoot);
  if (/^editor\.|^files\.(write|create)$/.test(call.tool) && resource) return { kind: "editor", resource };
  if (call.tool.startsWith("files.")) return { kind: "files", resource: "" };
  if (call.tool.startsWith("terminal.")) {
    return { kind: "terminal", resource: typeof terminal === "string" ? terminal : "" };
  }
  if (call.tool.startsWith("clubhouse.")) return { kind: "clubhouse", resource: "" };
  if (call.tool.startsWith("observability.")) return { kind: "calls", resource: "" };
  if (call.tool.startsWith("stub.")) return { kind: "stub", resource: "" };
  return null;
}

/** The held calls that change the file of an editor. */
export const heldForFile = (held: readonly HeldCall[], resource: string, firstRoot: string) =>
  held.filter(({ approval }) => resource !== "" && resourceOfCall(approval, firstRoot) === resource);
