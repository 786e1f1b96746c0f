/** The connection of a page: declares its tools, serves relayed calls and contexts, and reconnects. */
import { CallRunner, sendJsonValue } from "./calls";
import type { ContextFile } from "./declarations";
import { digestOf, errorText, splitText } from "./frames";
import { takePageId } from "./pageId";
import {
  DEFAULT_LIMITS,
  FINAL_CLOSE_CODES,
  type Limits,
  MAX_ERROR_CHARACTERS,
  MAX_PANES,
  type PageFrame,
  SDK_NAME,
  type ServerFrame,
  type ToolGroup,
  type ToolReview,
} from "./protocol";
import type { ToolRegistry } from "./registry";

export type ConnectionOptions = {
  /** The address of the server, such as `https://assent.example`; the page's own server if absent. */
  server?: string;
  conversation: string;
  registry: ToolRegistry;
  /** The page token; absent on a page of the server whose user is signed in. */
  token?: () => string | Promise<string>;
  /** Opens a socket; tests replace it. */
  open?: (address: string) => WebSocket;
};

/** `connecting` until the server has accepted the page, `waiting` before the next attempt. */
export type ConnectionState = {
  status: "connecting" | "ready" | "waiting" | "closed";
  /** Why the last connection or manifest failed. */
  problem: string;
  /** What the server made of each declared tool. */
  reviews: readonly ToolReview[];
  /** Whether this is a page of the server itself. */
  own: boolean;
};

const MIN_RETRY_DELAY_MS = 500;
const MAX_RETRY_DELAY_MS = 20_000;
const SILENCE_LIMIT_MS = 60_000;
const CONTEXT_LIMIT_MS = 9_000;
const LIST_LIMIT_MS = 15_000;
/** Declarations that change together cause one manifest. */
const MANIFEST_DELAY_MS = 20;

type Waiting = { resolve: (groups: ToolGroup[]) => void; reject: (error: Error) => void };

export class PageConnection {
  private socket: WebSocket | null = null;
  private limits: Limits = DEFAULT_LIMITS;
  private delay = MIN_RETRY_DELAY_MS;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private silenceTimer: ReturnType<typeof setTimeout> | undefined;
  private manifestTimer: ReturnType<typeof setTimeout> | undefined;
  private manifestCount = 0;
  private listCount = 0;
  private readonly lists = new Map<string, Waiting>();
  private readonly listeners = new Set<() => void>();
  private readonly page = takePageId();
  private readonly calls: CallRunner;
  private unsubscribe = () => {};
  private current: ConnectionState = { status: "connecting", problem: "", reviews: [], own: false };
  private stopped = true;

  constructor(private readonly options: ConnectionOptions) {
    this.calls = new CallRunner(options.registry, this.send, () => this.limits);
  }

  get state(): ConnectionState {
    return this.current;
  }

  /** Call the listener after each change of `state`. */
  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };

  start = () => {
    if (!this.stopped) return;
    this.stopped = false;
    this.unsubscribe = this.options.registry.subscribe(this.scheduleManifest);
    addEventListener("online", this.reconnectNow);
    this.connect();
  };

  stop = () => {
    this.stopped = true;
    this.unsubscribe();
    removeEventListener("online", this.reconnectNow);
    for (const timer of [this.retryTimer, this.silenceTimer, this.manifestTimer]) clearTimeout(timer);
    this.calls.cancelAll();
    this.rejectLists("the connection was closed");
    this.socket?.close();
    this.socket = null;
    this.setState({ status: "closed", reviews: [] });
  };

  /** All tools of the conversation, by group. */
  listTools(): Promise<ToolGroup[]> {
    if (this.current.status !== "ready") return Promise.reject(new Error("the page is not connected"));
    const id = `l${++this.listCount}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.lists.get(id)?.reject(new Error("no reply")), LIST_LIMIT_MS);
      const end = () => {
        clearTimeout(timer);
        this.lists.delete(id);
      };
      this.lists.set(id, {
        resolve: (groups) => {
          end();
          resolve(groups);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      });
      this.send({ type: "list_tools", id });
    });
  }

  // ---- connect and reconnect ------------------------------------------------------------------

  private reconnectNow = () => {
    if (this.stopped || this.socket) return;
    clearTimeout(this.retryTimer);
    this.delay = MIN_RETRY_DELAY_MS;
    this.connect();
  };

  private connect() {
    const address = new URL("/v1/pages", this.options.server ?? location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = (this.options.open ?? ((url) => new WebSocket(url)))(address.href);
    this.socket = socket;
    this.setState({ status: "connecting" });
    socket.onopen = () => void this.introduce(socket);
    socket.onmessage = (event) => this.onMessage(socket, event.data);
    socket.onclose = (event) => this.onClose(socket, event);
    this.restartSilence(socket);
  }

  private async introduce(socket: WebSocket) {
    const { token, conversation } = this.options;
    try {
      const secret = await token?.();
      if (socket !== this.socket) return;
      if (secret !== undefined) this.send({ type: "auth", token: secret });
      this.send({ type: "page", page: this.page, conversation, sdk: SDK_NAME });
    } catch (error) {
      this.setState({ problem: errorText(error, MAX_ERROR_CHARACTERS) });
      socket.close();
    }
  }

  private onClose(socket: WebSocket, { code, reason }: { code: number; reason: string }) {
    if (socket !== this.socket || this.stopped) return;
    this.socket = null;
    clearTimeout(this.silenceTimer);
    clearTimeout(this.manifestTimer);
    this.calls.cancelAll();
    this.rejectLists("the connection was lost");
    const final = FINAL_CLOSE_CODES[code];
    const problem = reason || final || this.current.problem;
    this.setState({ status: final ? "closed" : "waiting", reviews: [], problem });
    if (final) return;
    this.retryTimer = setTimeout(() => this.connect(), this.delay * (0.75 + Math.random() / 2));
    this.delay = Math.min(this.delay * 2, MAX_RETRY_DELAY_MS);
  }

  private restartSilence(socket: WebSocket) {
    clearTimeout(this.silenceTimer);
    this.silenceTimer = setTimeout(() => socket.close(), SILENCE_LIMIT_MS);
  }

  // ---- frames -----------------------------------------------------------------------------------

  private send = (frame: PageFrame) => {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(frame));
  };

  private onMessage(socket: WebSocket, data: unknown) {
    if (socket !== this.socket) return;
    this.restartSilence(socket);
    const frame = parseFrame(data);
    if (frame) this.handle(frame);
    else socket.close();
  }

  private handle(frame: ServerFrame) {
    switch (frame.type) {
      case "ready":
        this.limits = { ...DEFAULT_LIMITS, ...frame.limits };
        this.setState({ status: "ready", own: frame.own, problem: "" });
        return this.scheduleManifest();
      case "manifest_accepted":
        this.delay = MIN_RETRY_DELAY_MS;
        this.setState({ reviews: frame.tools });
        // Sent again for an earlier manifest, it says nothing about a refused one.
        return frame.id === `m${this.manifestCount}` ? this.setState({ problem: "" }) : undefined;
      case "manifest_refused":
        return this.setState({ reviews: [], problem: frame.problem });
      case "tool_call":
        return void this.calls.run(frame);
      case "tool_cancel":
        return this.calls.cancel(frame.id);
      case "panes_request": {
        const panes = this.options.registry.panes().slice(0, MAX_PANES);
        return this.send({ type: "panes", id: frame.id, panes });
      }
      case "context_request":
        return void this.sendContext(frame.id, frame.instance);
      case "tools":
        return this.lists.get(frame.id)?.resolve(frame.groups);
      case "error":
        return this.lists.get(frame.about)?.reject(new Error(frame.detail));
      case "ping":
        return this.send({ type: "pong" });
      case "pong":
        return;
      default:
        // A newer server may send frames that this version does not know.
        return;
    }
  }

  private async sendContext(id: string, instance: string) {
    try {
      let file: ContextFile | null = null;
      const snapshot = await withinLimit(async () => {
        const context = this.options.registry.readContext(instance);
        file = context.file;
        return context.value;
      });
      sendJsonValue(
        this.send,
        { type: "context", id, ok: true, ...(file ?? {}) },
        snapshot,
        this.limits,
        `pane \`${instance}\``,
      );
    } catch (error) {
      this.send({ type: "context", id, ok: false, error: errorText(error, MAX_ERROR_CHARACTERS) });
    }
  }

  // ---- the manifest -----------------------------------------------------------------------------

  private scheduleManifest = () => {
    clearTimeout(this.manifestTimer);
    this.manifestTimer = setTimeout(() => void this.sendManifest(), MANIFEST_DELAY_MS);
  };

  private async sendManifest() {
    const socket = this.socket;
    if (!socket || this.current.status !== "ready") return;
    const number = ++this.manifestCount;
    const text = JSON.stringify(this.options.registry.tools());
    if (text.length > this.limits.manifest) {
      return this.setState({
        problem: `the manifest has ${text.length} characters; at most ${this.limits.manifest} are allowed`,
      });
    }
    const digest = await digestOf(text);
    // The registry or the connection changed meanwhile.
    if (socket !== this.socket || number !== this.manifestCount) return;
    const texts = splitText(text, this.limits.frame);
    for (const [at, part] of texts.entries()) {
      const frame = { id: `m${number}`, part: at + 1, parts: texts.length, digest, text: part };
      this.send({ type: "manifest", ...frame });
    }
  }

  // ---- state ------------------------------------------------------------------------------------

  private setState(changes: Partial<ConnectionState>) {
    this.current = { ...this.current, ...changes };
    for (const listener of this.listeners) listener();
  }

  private rejectLists(reason: string) {
    for (const list of [...this.lists.values()]) list.reject(new Error(reason));
  }
}

function parseFrame(data: unknown): ServerFrame | null {
  try {
    const frame: unknown = JSON.parse(String(data));
    return typeof frame === "object" && frame !== null && "type" in frame ? (frame as ServerFrame) : null;
  } catch {
    return null;
  }
}

/** The value, or an error after the time in which the server expects a context. */
function withinLimit<T>(read: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the pane did not answer in time")), CONTEXT_LIMIT_MS);
  });
  return Promise.race([read(), late]).finally(() => clearTimeout(timer));
}
