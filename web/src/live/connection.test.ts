import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LiveConnection, type LiveMessage } from "./connection";

/** A fake WebSocket; the test acts as the server. */
class FakeSocket {
  static made: FakeSocket[] = [];
  readyState: number = WebSocket.CONNECTING;
  sent: unknown[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  constructor(readonly address: string) {
    FakeSocket.made.push(this);
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
  says(...messages: LiveMessage[]) {
    for (const message of messages) this.onmessage?.({ data: JSON.stringify(message) });
  }
}

let receivedMessages: (readonly LiveMessage[])[] = [];
let online: boolean[] = [];
let signedOut = 0;
let connection: LiveConnection;
const lastSocket = () => FakeSocket.made.at(-1) as FakeSocket;

beforeEach(() => {
  vi.useFakeTimers();
  [FakeSocket.made, receivedMessages, online, signedOut] = [[], [], [], 0];
  connection = new LiveConnection({
    onMessages: (messages) => receivedMessages.push(messages),
    onStatus: (now) => online.push(now),
    onSignedOut: () => {
      signedOut += 1;
    },
    open: (address) => new FakeSocket(address) as unknown as WebSocket,
  });
  connection.start();
});
afterEach(() => {
  connection.stop();
  vi.useRealTimers();
});

test("messages that arrive together cause one update of the page", () => {
  lastSocket().accept();
  lastSocket().says(
    { type: "pending", id: "a" },
    { type: "pending", id: "b" },
    { type: "ready", cursor: "7" },
  );
  expect(receivedMessages).toEqual([]);
  vi.advanceTimersByTime(20);

  expect(receivedMessages.map((messages) => messages.map((one) => one.type))).toEqual([
    ["pending", "pending", "ready"],
  ]);
  expect(online).toEqual([true]);
});

test("the connection reconnects and requests the missed messages", () => {
  lastSocket().accept();
  expect(lastSocket().sent).toEqual([{ type: "resume" }]);
  lastSocket().says({ type: "ready", cursor: "7" }, { type: "asked", cursor: "9", id: "c" });
  lastSocket().close(1012);
  expect(online).toEqual([true, false]);
  vi.advanceTimersByTime(1000);
  lastSocket().accept();

  expect(FakeSocket.made).toHaveLength(2);
  expect(lastSocket().sent).toEqual([{ type: "resume", after: "9" }]);
});

test("the delay before a reconnect grows up to a maximum", () => {
  for (let tries = 0; tries < 12; tries++) {
    lastSocket().close(1006);
    vi.advanceTimersByTime(15_000);
  }
  expect(FakeSocket.made).toHaveLength(13);
});

test("a silent connection is closed", () => {
  lastSocket().accept();
  lastSocket().says({ type: "ready", cursor: "7" });
  vi.advanceTimersByTime(39_000);
  lastSocket().says({ type: "ping" });
  vi.advanceTimersByTime(39_000);
  expect(FakeSocket.made).toHaveLength(1);
  vi.advanceTimersByTime(3_000);

  expect(FakeSocket.made).toHaveLength(2);
});

test("the end of the session is reported", () => {
  lastSocket().accept();
  lastSocket().close(4401);
  expect(signedOut).toBe(1);
});
