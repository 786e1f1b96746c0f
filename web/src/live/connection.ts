/** The one live connection: says what was missed, then what happens, and comes back by itself. */
import { V1 } from "@/api/http";

/** A message of the server: a question, what became of one, or how things stand. */
export type Message = { type: string; cursor?: string; id?: string; approval?: unknown };

type Options = {
  onMessages: (messages: readonly Message[]) => void;
  onStatus: (online: boolean) => void;
  /** Nobody is signed in any more. */
  onSignedOut: () => void;
  open?: (address: string) => WebSocket;
};

/** The server gives a sign of life every 15 seconds. */
const SILENCE = 40_000;
const SHORTEST = 400;
const LONGEST = 10_000;
const SIGNED_OUT = 4401;
const FORBIDDEN = 4403;

export class Connection {
  private socket: WebSocket | null = null;
  private cursor: string | null = null;
  private delay = SHORTEST;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private watch: ReturnType<typeof setTimeout> | undefined;
  private waiting: Message[] = [];
  private flush: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;

  constructor(private readonly options: Options) {}

  start = () => {
    addEventListener("online", this.hurry);
    addEventListener("offline", this.cut);
    document.addEventListener("visibilitychange", this.woken);
    this.connect();
  };

  stop = () => {
    this.stopped = true;
    removeEventListener("online", this.hurry);
    removeEventListener("offline", this.cut);
    document.removeEventListener("visibilitychange", this.woken);
    for (const timer of [this.timer, this.watch, this.flush]) clearTimeout(timer);
    this.socket?.close();
  };

  /** Try again now rather than later. */
  private hurry = () => {
    if (this.socket?.readyState === WebSocket.OPEN) return;
    clearTimeout(this.timer);
    this.delay = SHORTEST;
    this.connect();
  };

  /** The browser knows that it has no network long before a silent socket would tell. */
  private cut = () => {
    const socket = this.socket;
    if (!socket) return;
    socket.onclose = null;
    socket.close();
    this.lost(socket, 0);
  };

  private woken = () => {
    if (document.visibilityState === "visible") this.hurry();
  };

  private connect() {
    if (this.stopped || this.socket?.readyState === WebSocket.CONNECTING) return;
    const address = new URL(`${V1}live`, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = (this.options.open ?? ((url) => new WebSocket(url)))(address.href);
    this.socket = socket;
    socket.onopen = () => {
      socket.send(
        JSON.stringify(this.cursor === null ? { type: "resume" } : { type: "resume", after: this.cursor }),
      );
      this.listen();
    };
    socket.onmessage = (event) => this.heard(event.data);
    socket.onclose = (event) => this.lost(socket, event.code);
  }

  private heard(data: unknown) {
    this.listen();
    const message = JSON.parse(String(data)) as Message;
    if (message.cursor) this.cursor = message.cursor;
    if (message.type === "ready") {
      this.delay = SHORTEST;
      this.options.onStatus(true);
    }
    this.waiting.push(message);
    // Many things at once are one change of the page.
    this.flush ??= setTimeout(() => {
      const messages = this.waiting;
      this.waiting = [];
      this.flush = undefined;
      this.options.onMessages(messages);
    }, 16);
  }

  private lost(socket: WebSocket, code: number) {
    if (socket !== this.socket || this.stopped) return;
    clearTimeout(this.watch);
    this.socket = null;
    this.options.onStatus(false);
    if (code === SIGNED_OUT || code === FORBIDDEN) this.options.onSignedOut();
    this.timer = setTimeout(() => this.connect(), this.delay * (0.75 + Math.random() / 2));
    this.delay = Math.min(this.delay * 2, LONGEST);
  }

  /** A connection that says nothing for so long is none, as after a sleep. */
  private listen() {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => this.socket?.close(), SILENCE);
  }
}
