/** Runs the calls that the server relays; each one ends with exactly one result, in bounded time. */
import type { ToolArguments, ToolCall } from "./declarations";
import { errorText, splitText, toJsonText } from "./frames";
import { type Limits, MAX_ERROR_CHARACTERS, type PageFrame } from "./protocol";
import type { RegisteredTool, ToolRegistry } from "./registry";

/** Ends a call before the server does, so that the model reads our reason. */
const MARGIN = 0.9;
const MAX_PROGRESS_CHARACTERS = 4_000;

type Send = (frame: PageFrame) => void;
export type CallRequest = {
  id: string;
  tool: string;
  args: ToolArguments;
  approved: boolean;
  root?: string;
  ticket?: string;
};

export class CallRunner {
  private readonly running = new Map<string, RunningCall>();

  constructor(
    private readonly registry: ToolRegistry,
    private readonly send: Send,
    private readonly limits: () => Limits,
  ) {}

  async run(request: CallRequest): Promise<void> {
    if (this.running.has(request.id)) return;
    const tool = this.registry.find(request.tool);
    if (!tool) return this.sendError(request.id, new Error(`this page no longer offers \`${request.tool}\``));
    const call = new RunningCall(request.id, tool, this.limits(), this.send);
    this.running.set(request.id, call);
    try {
      const value = await call.invoke(request);
      if (!call.isCancelled) this.sendValue(request, value);
    } catch (error) {
      if (!call.isCancelled) this.sendError(request.id, error);
    } finally {
      this.running.delete(request.id);
    }
  }

  /** Stop a call whose result nobody reads. */
  cancel(id: string) {
    this.running.get(id)?.cancel();
  }

  /** Stop all calls: their connection is gone, and a result on another connection would be unknown. */
  cancelAll() {
    for (const call of this.running.values()) call.cancel();
  }

  private sendValue({ id, tool }: CallRequest, value: unknown) {
    sendJsonValue(this.send, { type: "tool_result", id, ok: true }, value, this.limits(), `\`${tool}\``);
  }

  private sendError(id: string, error: unknown) {
    this.send({ type: "tool_result", id, ok: false, error: errorText(error, MAX_ERROR_CHARACTERS) });
  }
}

/** Send a value in one frame or in parts; throws if it is no JSON value or too large. */
export function sendJsonValue(send: Send, frame: PageFrame, value: unknown, limits: Limits, source: string) {
  const text = toJsonText(value);
  if (text.length > limits.value) {
    throw new RangeError(
      `the result of ${source} has ${text.length} characters; at most ${limits.value} are allowed`,
    );
  }
  if (text.length < limits.frame / 2) return send({ ...frame, value: JSON.parse(text) });
  const parts = splitText(text, limits.frame);
  for (const [at, part] of parts.entries()) {
    send({ ...frame, part: at + 1, parts: parts.length, text: part });
  }
}

class RunningCall {
  private readonly ending = new AbortController();
  private silence: ReturnType<typeof setTimeout> | undefined;
  private total: ReturnType<typeof setTimeout> | undefined;
  /** The milliseconds of the total limit that are left, and when they last began to count. */
  private left: number;
  private since = 0;
  isCancelled = false;

  constructor(
    private readonly id: string,
    private readonly tool: RegisteredTool,
    private readonly limits: Limits,
    private readonly send: Send,
  ) {
    this.left = limits.total_seconds * 1000 * MARGIN;
  }

  cancel() {
    this.isCancelled = true;
    this.ending.abort(new Error("the call was cancelled"));
  }

  /** The handler's value; rejects when the call is cancelled, takes too long, or its pane leaves. */
  async invoke({ args, approved, root = "", ticket = "" }: CallRequest): Promise<unknown> {
    const { signal } = this.ending;
    const leave = () => this.ending.abort(this.tool.left.reason);
    this.tool.left.addEventListener("abort", leave);
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    this.startClocks();
    try {
      const call: ToolCall = {
        id: this.id,
        approved,
        root,
        ticket,
        signal,
        progress: this.reportProgress,
        waitForPerson: this.waitForPerson,
      };
      // A handler that throws at once rejects like one that throws later.
      const value = (async () => this.tool.handler(args, call))();
      return await Promise.race([value, ended]);
    } finally {
      this.stopClocks();
      this.tool.left.removeEventListener("abort", leave);
    }
  }

  private readonly reportProgress = (text?: string) => {
    if (this.ending.signal.aborted) return;
    this.restartSilence();
    const shown = text?.toWellFormed().slice(-MAX_PROGRESS_CHARACTERS);
    this.send({ type: "tool_progress", id: this.id, ...(shown ? { text: shown } : {}) });
  };

  private readonly waitForPerson = async <T>(answer: Promise<T>): Promise<T> => {
    this.stopClocks();
    this.send({ type: "tool_progress", id: this.id, waiting: true });
    const most = setTimeout(
      () => this.ending.abort(new Error("no person answered in time")),
      this.limits.waiting_seconds * 1000 * MARGIN,
    );
    try {
      return await answer;
    } finally {
      clearTimeout(most);
      this.startClocks();
      this.reportProgress();
    }
  };

  private startClocks() {
    if (this.ending.signal.aborted) return;
    this.since = Date.now();
    this.total = setTimeout(() => this.ending.abort(new Error("the tool took too long")), this.left);
    this.restartSilence();
  }

  private stopClocks() {
    clearTimeout(this.silence);
    clearTimeout(this.total);
    this.left = Math.max(0, this.left - (Date.now() - this.since));
  }

  private restartSilence() {
    clearTimeout(this.silence);
    this.silence = setTimeout(
      () => this.ending.abort(new Error("the tool did not answer in time")),
      this.limits.seconds * 1000 * MARGIN,
    );
  }
}
