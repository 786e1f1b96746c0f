import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection, type Message } from "./connection";

/** One end of a socket; the test is the server at the other. */
class Socket {
  static made: Socket[] = [];
  readyState: number = WebSocket.CONNECTING;
  sent: unknown[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  constructor(readonly address: string) {
    Socket.made.push(this);
  }
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  close(code = 1000) {
    this.readyState = WebSocket.CLOSED;
    this.onclose?.({ code });
  }
  accept() {
    this.readyState = WebSocket.OPEN;
    this.onopen?.();
  }
  says(...messages: Message[]) {
    for (const message of messages) this.onmessage?.({ data: JSON.stringify(message) });
  }
}

let heard: (readonly Message[])[] = [];
let online: boolean[] = [];
let signedOut = 0;
let connection: Connection;
const last = () => Socket.made.at(-1) as Socket;

beforeEach(() => {
  vi.useFakeTimers();
  [Socket.made, heard, online, signedOut] = [[], [], [], 0];
  connection = new Connection({
    onMessages: (messages) => heard.push(messages),
    onStatus: (now) => online.push(now),
    onSignedOut: () => {
      signedOut += 1;
    },
    open: (address) => new Socket(address) as unknown as WebSocket,
  });
  connection.start();
});
afterEach(() => {
  connection.stop();
  vi.useRealTimers();
});

test("many messages at once are one change of the page", () => {
  last().accept();
  last().says({ type: "pending", id: "a" }, { type: "pending", id: "b" }, { type: "ready", cursor: "7" });
  expect(heard).toEqual([]);
  vi.advanceTimersByTime(20);

  expect(heard.map((messages) => messages.map((one) => one.type))).toEqual([["pending", "pending", "ready"]]);
  expect(online).toEqual([true]);
});

test("it comes back by itself and asks for what it missed", () => {
  last().accept();
  expect(last().sent).toEqual([{ type: "resume" }]);
  last().says({ type: "ready", cursor: "7" }, { type: "asked", cursor: "9", id: "c" });
  last().close(1012);
  expect(online).toEqual([true, false]);
  vi.advanceTimersByTime(1000);
  last().accept();

  expect(Socket.made).toHaveLength(2);
  expect(last().sent).toEqual([{ type: "resume", after: "9" }]);
});

test("it waits longer each time, but never long", () => {
  for (let tries = 0; tries < 12; tries++) {
    last().close(1006);
    vi.advanceTimersByTime(15_000);
  }
  expect(Socket.made).toHaveLength(13);
});

test("a connection that says nothing, as after a sleep, is given up", () => {
  last().accept();
  last().says({ type: "ready", cursor: "7" });
  vi.advanceTimersByTime(39_000);
  last().says({ type: "ping" });
  vi.advanceTimersByTime(39_000);
  expect(Socket.made).toHaveLength(1);
  vi.advanceTimersByTime(3_000);

  expect(Socket.made).toHaveLength(2);
});

test("who is no longer known is told so", () => {
  last().accept();
  last().close(4401);
  expect(signedOut).toBe(1);
});
