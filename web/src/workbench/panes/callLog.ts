/** The calls that this page served, with their times and errors, newest first. */

import type { AgentToolDecl, ToolHandler } from "assent-sdk";
import { useSyncExternalStore } from "react";

export type LoggedCall = {
  id: string;
  tool: string;
  args: Record<string, unknown>;
  /** Milliseconds since the epoch. */
  at: number;
  /** Milliseconds; null while the call runs. */
  took: number | null;
  error: string;
};

const MAX_CALLS = 200;

export class CallLog {
  private calls: readonly LoggedCall[] = [];
  private readonly listeners = new Set<() => void>();

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };

  get all(): readonly LoggedCall[] {
    return this.calls;
  }

  /** Forget all calls that have ended; returns their number. */
  clear = (): number => {
    const running = this.calls.filter((one) => one.took === null);
    const count = this.calls.length - running.length;
    this.set(running);
    return count;
  };

  /** The same tools, whose calls are recorded here. */
  recorded = (tools: readonly AgentToolDecl[]): AgentToolDecl[] =>
    tools.map((tool) => ({ ...tool, handler: this.recordedHandler(tool.name, tool.handler) }));

  recordedHandler =
    (tool: string, handler: ToolHandler): ToolHandler =>
    async (args, call) => {
      const entry: LoggedCall = { id: call.id, tool, args, at: Date.now(), took: null, error: "" };
      this.set([entry, ...this.calls].slice(0, MAX_CALLS));
      const end = (error: string) => {
        const ended = { ...entry, took: Date.now() - entry.at, error };
        this.set(this.calls.map((one) => (one === entry ? ended : one)));
      };
      const fail = () => end(String((call.signal.reason as Error | undefined)?.message ?? "cancelled"));
      call.signal.addEventListener("abort", fail, { once: true });
      try {
        const value = await handler(args, call);
        if (!call.signal.aborted) end("");
        return value;
      } catch (error) {
        if (!call.signal.aborted) end(error instanceof Error ? error.message : String(error));
        throw error;
      } finally {
        call.signal.removeEventListener("abort", fail);
      }
    };

  private set(next: readonly LoggedCall[]) {
    this.calls = next;
    for (const listener of this.listeners) listener();
  }
}

export const useLoggedCalls = (log: CallLog) => useSyncExternalStore(log.subscribe, () => log.all);

/** The middle of all durations of ended calls, in milliseconds; null without any. */
export function medianDuration(calls: readonly LoggedCall[]): number | null {
  const times = calls.flatMap(({ took }) => took ?? []).toSorted((one, other) => one - other);
  return times[Math.floor(times.length / 2)] ?? null;
}
