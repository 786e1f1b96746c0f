/** The live connection: receives missed messages, then new ones, and reconnects. */
import { API_PREFIX } from "@/api/http";

/** A message of the server: a question, its outcome, or a status. */
export type LiveMessage = { type: string; cursor?: string; id?: string; approval?: unknown };

type LiveConnectionOptions = {
  onMessages: (messages: readonly LiveMessage[]) => void;
  onStatus: (online: boolean) => void;
  /** Called when the session has ended. */
  onSignedOut: () => void;
  open?: (address: string) => WebSocket;
};

/** Milliseconds without a message after which the connection counts as lost; the server pings every 15 s. */
const SILENCE_LIMIT_MS = 40_000;
const MIN_RETRY_DELAY_MS = 400;
const MAX_RETRY_DELAY_MS = 10_000;
const SIGNED_OUT_CLOSE_CODE = 4401;
const FORBIDDEN_CLOSE_CODE = 4403;

export class LiveConnection {
  private socket: WebSocket | null = null;
  private cursor: string | null = null;
  private delay = MIN_RETRY_DELAY_MS;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private silenceTimer: ReturnType<typeof setTimeout> | undefined;
  private queue: LiveMessage[] = [];
  private flushTimer: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;

  constructor(private readonly options: LiveConnectionOptions) {}

  start = () => {
    addEventListener("online", this.reconnectNow);
    addEventListener("offline", this.disconnect);
    document.addEventListener("visibilitychange", this.onVisibilityChange);
    this.connect();
  };

  stop = () => {
    this.stopped = true;
    removeEventListener("online", this.reconnectNow);
    removeEventListener("offline", this.disconnect);
    document.removeEventListener("visibilitychange", this.onVisibilityChange);
    for (const timer of [this.retryTimer, this.silenceTimer, this.flushTimer]) clearTimeout(timer);
    this.socket?.close();
  };

  /** Reconnect without waiting for the timer. */
  private reconnectNow = () => {
    if (this.socket?.readyState === WebSocket.OPEN) return;
    clearTimeout(this.retryTimer);
    this.delay = MIN_RETRY_DELAY_MS;
    this.connect();
  };

  /** The browser notices a lost network long before the socket does. */
  private disconnect = () => {
    const socket = this.socket;
    if (!socket) return;
    socket.onclose = null;
    socket.close();
    this.onClose(socket, 0);
  };

  private onVisibilityChange = () => {
    if (document.visibilityState === "visible") this.reconnectNow();
  };

  private connect() {
    if (this.stopped || this.socket?.readyState === WebSocket.CONNECTING) return;
    const address = new URL(`${API_PREFIX}live`, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = (this.options.open ?? ((url) => new WebSocket(url)))(address.href);
    this.socket = socket;
    socket.onopen = () => {
      socket.send(
        JSON.stringify(this.cursor === null ? { type: "resume" } : { type: "resume", after: this.cursor }),
      );
      this.restartSilenceTimer();
    };
    socket.onmessage = (event) => this.onMessage(event.data);
    socket.onclose = (event) => this.onClose(socket, event.code);
  }

  private onMessage(data: unknown) {
    this.restartSilenceTimer();
    const message = JSON.parse(String(data)) as LiveMessage;
    if (message.cursor) this.cursor = message.cursor;
    if (message.type === "ready") {
      this.delay = MIN_RETRY_DELAY_MS;
      this.options.onStatus(true);
    }
    this.queue.push(message);
    // Messages that arrive together cause one update of the page.
    this.flushTimer ??= setTimeout(() => {
      const messages = this.queue;
      this.queue = [];
      this.flushTimer = undefined;
      this.options.onMessages(messages);
    }, 16);
  }

  private onClose(socket: WebSocket, code: number) {
    if (socket !== this.socket || this.stopped) return;
    clearTimeout(this.silenceTimer);
    this.socket = null;
    this.options.onStatus(false);
    if (code === SIGNED_OUT_CLOSE_CODE || code === FORBIDDEN_CLOSE_CODE) this.options.onSignedOut();
    this.retryTimer = setTimeout(() => this.connect(), this.delay * (0.75 + Math.random() / 2));
    this.delay = Math.min(this.delay * 2, MAX_RETRY_DELAY_MS);
  }

  /** Close a connection that has been silent too long, for example after the computer slept. */
  private restartSilenceTimer() {
    clearTimeout(this.silenceTimer);
    this.silenceTimer = setTimeout(() => this.socket?.close(), SILENCE_LIMIT_MS);
  }
}
