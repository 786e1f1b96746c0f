import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PageConnection } from "./connection";
import type { ToolCall } from "./declarations";
import { digestOf } from "./frames";
import { DEFAULT_LIMITS } from "./protocol";
import { ToolRegistry } from "./registry";
import { FakeSocket } from "./test/fakeSocket";

const READY = {
  type: "ready",
  page: "p",
  conversation: "c",
  origin: "http://localhost",
  own: true,
  limits: DEFAULT_LIMITS,
};

let sockets: FakeSocket[];
let registry: ToolRegistry;
let connection: PageConnection;
const socket = () => sockets.at(-1) as FakeSocket;

beforeEach(() => {
  vi.useFakeTimers();
  sockets = [];
  registry = new ToolRegistry();
  connection = makeConnection();
});
afterEach(() => {
  connection.stop();
  vi.useRealTimers();
  sessionStorage.clear();
});

function makeConnection(more: { token?: () => string } = {}) {
  const open = (address: string) => {
    sockets.push(new FakeSocket(address));
    return socket() as unknown as WebSocket;
  };
  return new PageConnection({ server: "http://127.0.0.1:1", conversation: "c1", registry, open, ...more });
}

async function connect(limits: Partial<typeof DEFAULT_LIMITS> = {}) {
  connection.start();
  socket().accept();
  await vi.waitFor(() => expect(socket().framesOf("page")).toHaveLength(1));
  socket().receive({ ...READY, limits: { ...DEFAULT_LIMITS, ...limits } });
}

/** Wait for the manifest of this number; the digest is made outside the fake clock. */
async function manifest(count = 1, from = socket()) {
  await vi.advanceTimersByTimeAsync(30);
  await vi.waitFor(() => expect(from.framesOf("manifest").length).toBeGreaterThanOrEqual(count));
  return from.framesOf("manifest");
}

async function call(tool: string, args: object = {}, id = "c1", approved = false) {
  socket().receive({ type: "tool_call", id, tool, args, approved });
  await vi.advanceTimersByTimeAsync(0);
}
const results = () => socket().framesOf("tool_result");

describe("connecting", () => {
  it("sends the token only where the page has one, then the page and the manifest", async () => {
    connection = makeConnection({ token: () => "secret" });
    registry.addTools([{ name: "a.b", description: "d", handler: () => 1 }]);
    await connect();
    const [frame] = await manifest();

    expect(socket().address).toBe("ws://127.0.0.1:1/v1/pages");
    expect(socket().sent.map((one) => one.type)).toEqual(["auth", "page", "manifest"]);
    expect(socket().sent[0]).toEqual({ type: "auth", token: "secret" });
    const text = JSON.stringify(registry.tools());
    expect(frame).toEqual({
      type: "manifest",
      id: "m1",
      part: 1,
      parts: 1,
      digest: await digestOf(text),
      text,
    });
  });

  it("sends a large manifest in parts that fit into frames", async () => {
    for (let at = 0; at < 30; at++) {
      registry.addTools([{ name: `g.t${at}`, description: "d".repeat(300), handler: () => 1 }]);
    }
    await connect({ frame: 2_000 });
    const frames = await manifest(2);

    expect(frames.map((one) => one["part"])).toEqual(frames.map((_, at) => at + 1));
    expect(frames.map((one) => one["text"]).join("")).toBe(JSON.stringify(registry.tools()));
    for (const one of frames) expect(JSON.stringify(one).length).toBeLessThanOrEqual(2_000);
  });

  it("sends the manifest again after a change, once for changes that come together", async () => {
    await connect();
    await manifest();
    registry.addTools([{ name: "a.b", description: "d", handler: () => 1 }]);
    registry.addTools([{ name: "a.c", description: "d", handler: () => 1 }]);
    const frames = await manifest(2);

    expect(frames).toHaveLength(2);
    expect(frames[1]?.["text"]).toContain("a.c");
  });

  it("reports what the server made of the tools, and why it refused them", async () => {
    await connect();
    await manifest();
    socket().receive({
      type: "manifest_accepted",
      id: "m1",
      tools: [{ name: "a.b", effect: "external", review: "new" }],
    });
    expect(connection.state.reviews).toEqual([{ name: "a.b", effect: "external", review: "new" }]);
    socket().receive({ type: "manifest_refused", id: "m2", problem: "tool 1" });

    expect(connection.state).toMatchObject({ status: "ready", problem: "tool 1", reviews: [] });
  });

  it("refuses to send a manifest that is larger than the limit", async () => {
    registry.addTools([{ name: "a.b", description: "d".repeat(300), handler: () => 1 }]);
    await connect({ manifest: 100 });
    await vi.advanceTimersByTimeAsync(30);

    expect(connection.state.problem).toContain("at most 100");
    expect(socket().framesOf("manifest")).toEqual([]);
  });
});

describe("reconnecting", () => {
  it("waits longer after each failure, and sends the manifest again", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    await connect();
    await manifest();
    socket().end(1012);
    expect(connection.state.status).toBe("waiting");
    await vi.advanceTimersByTimeAsync(500);
    expect(sockets).toHaveLength(2);
    socket().end(1006);
    await vi.advanceTimersByTimeAsync(999);
    expect(sockets).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(sockets).toHaveLength(3);
    socket().accept();
    await vi.waitFor(() => expect(socket().framesOf("page")).toHaveLength(1));
    socket().receive(READY);

    expect(await manifest()).toHaveLength(1);
    expect(socket().framesOf("page")[0]?.["page"]).toBe(sockets[0]?.framesOf("page")[0]?.["page"]);
    vi.restoreAllMocks();
  });

  it.each([1003, 1009, 4400, 4401, 4403, 4404, 4409])("does not connect again after %i", async (code) => {
    await connect();
    socket().end(code);
    await vi.advanceTimersByTimeAsync(60_000);

    expect(sockets).toHaveLength(1);
    expect(connection.state.status).toBe("closed");
    expect(connection.state.problem).not.toBe("");
  });

  it("closes a connection that is silent, and answers a ping", async () => {
    await connect();
    socket().receive({ type: "ping" });
    expect(socket().sent.at(-1)).toEqual({ type: "pong" });
    await vi.advanceTimersByTimeAsync(60_000);

    expect(sockets[0]?.readyState).toBe(3);
  });

  it("keeps its page id through a reload, but not in a duplicated tab", () => {
    dispatchEvent(new Event("pagehide"));
    const kept = sessionStorage.getItem("assent.page");
    expect(kept).toMatch(/^[0-9a-f]{32}$/);
    makeConnection();

    expect(sessionStorage.getItem("assent.page")).toBeNull();
  });
});

describe("calls", () => {
  const tool = (handler: (args: Record<string, unknown>, call: ToolCall) => unknown) =>
    registry.addTools([{ name: "t.x", description: "d", handler }]);

  it("returns the value of the handler", async () => {
    tool(async (args, { approved, root, ticket }) => ({ args, approved, root, ticket }));
    await connect();
    await call("t.x", { a: 1 }, "c9", true);

    expect(results()).toEqual([
      {
        type: "tool_result",
        id: "c9",
        ok: true,
        value: { args: { a: 1 }, approved: true, root: "", ticket: "" },
      },
    ]);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("no such file")), "no such file"],
    ["throws at once", () => raise(new Error("at once")), "at once"],
    ["throws nothing of use", () => Promise.reject(""), "the tool failed"],
    ["returns a cycle", () => cycle(), "circular"],
    ["returns too much", () => "x".repeat(DEFAULT_LIMITS.value), "at most"],
  ])("a handler that %s gives an error", async (_, handler, message) => {
    tool(handler);
    await connect();
    await call("t.x");

    expect(results()).toHaveLength(1);
    expect(results()[0]).toMatchObject({ id: "c1", ok: false, error: expect.stringContaining(message) });
  });

  it("a handler that hangs gives an error in bounded time, and its signal is aborted", async () => {
    let aborted = false;
    tool((_, { signal }) => {
      signal.addEventListener("abort", () => {
        aborted = true;
      });
      return new Promise(() => {});
    });
    await connect();
    await call("t.x");
    await vi.advanceTimersByTimeAsync(27_000);

    expect(results()).toEqual([
      { type: "tool_result", id: "c1", ok: false, error: "the tool did not answer in time" },
    ]);
    expect(aborted).toBe(true);
  });

  it("a handler that reports progress has more time, but not for ever", async () => {
    tool((_, { progress, signal }) => {
      const timer = setInterval(() => progress("more"), 10_000);
      signal.addEventListener("abort", () => clearInterval(timer));
      return new Promise(() => {});
    });
    await connect();
    await call("t.x");
    await keepAlive(539_000);
    expect(results()).toEqual([]);
    await keepAlive(2_000);

    expect(results()[0]).toMatchObject({ ok: false, error: "the tool took too long" });
    expect(socket().framesOf("tool_progress")[0]).toEqual({ type: "tool_progress", id: "c1", text: "more" });
  });

  it("does not count the time in which a person is asked", async () => {
    let answer: (said: string) => void = () => {};
    tool((_, { waitForPerson }) =>
      waitForPerson(
        new Promise<string>((resolve) => {
          answer = resolve;
        }),
      ),
    );
    await connect();
    await call("t.x");
    await keepAlive(1_200_000);
    expect(results()).toEqual([]);
    answer("accepted");
    await vi.advanceTimersByTimeAsync(0);

    expect(results()).toEqual([{ type: "tool_result", id: "c1", ok: true, value: "accepted" }]);
    expect(socket().framesOf("tool_progress")).toEqual([
      { type: "tool_progress", id: "c1", waiting: true },
      { type: "tool_progress", id: "c1" },
    ]);
  });

  it("a pane that leaves during a call gives an error", async () => {
    const close = tool(() => new Promise(() => {}));
    await connect();
    await call("t.x");
    close();
    await vi.advanceTimersByTimeAsync(0);

    expect(results()[0]).toMatchObject({ ok: false, error: "the pane that offered this tool was closed" });
  });

  it("a tool that left before its call gives an error", async () => {
    await connect();
    await call("t.x");

    expect(results()[0]).toMatchObject({ ok: false, error: "this page no longer offers `t.x`" });
  });

  it("a cancelled call is aborted and sends no result", async () => {
    let reason = "";
    tool((_, { signal }) => {
      signal.addEventListener("abort", () => {
        reason = String(signal.reason);
      });
      return new Promise(() => {});
    });
    await connect();
    await call("t.x");
    socket().receive({ type: "tool_cancel", id: "c1" });
    await vi.advanceTimersByTimeAsync(60_000);

    expect(reason).toContain("cancelled");
    expect(results()).toEqual([]);
  });

  it("a call whose connection was lost sends no result on the next one", async () => {
    let finish: (value: string) => void = () => {};
    tool(
      () =>
        new Promise<string>((resolve) => {
          finish = resolve;
        }),
    );
    await connect();
    await call("t.x");
    socket().end(1006);
    await vi.advanceTimersByTimeAsync(1_000);
    socket().accept();
    await vi.advanceTimersByTimeAsync(0);
    finish("late");
    await vi.advanceTimersByTimeAsync(0);

    expect(sockets).toHaveLength(2);
    expect(results()).toEqual([]);
  });

  it("sends a large value in parts", async () => {
    tool(() => "é\n".repeat(50_000));
    await connect();
    await call("t.x");
    const text = results()
      .map((one) => one["text"])
      .join("");

    expect(JSON.parse(text)).toBe("é\n".repeat(50_000));
    for (const one of results()) expect(JSON.stringify(one).length).toBeLessThanOrEqual(DEFAULT_LIMITS.frame);
    expect(results().at(-1)).toMatchObject({ ok: true, part: results().length, parts: results().length });
  });
});

describe("panes", () => {
  it("are listed and read when the server asks", async () => {
    const pane = registry.openPane({ instanceId: "p1", kind: "stub", title: "Stub" });
    let value = "one";
    pane.setContext(
      () => ({ value }),
      () => ({ file: `/${value}.md`, root: "docs" }),
    );
    await connect();
    value = "two";
    socket().receive({ type: "panes_request", id: "p" });
    socket().receive({ type: "context_request", id: "x", instance: "p1" });
    socket().receive({ type: "context_request", id: "y", instance: "gone" });
    await vi.advanceTimersByTimeAsync(0);

    expect(socket().framesOf("panes")[0]).toEqual({
      type: "panes",
      id: "p",
      panes: [{ instanceId: "p1", kind: "stub", title: "Stub", focused: false, hasContext: true }],
    });
    expect(socket().framesOf("context")).toEqual([
      { type: "context", id: "x", ok: true, value: { value: "two" }, file: "/two.md", root: "docs" },
      { type: "context", id: "y", ok: false, error: "no pane `gone` is open: list the open panes again" },
    ]);
  });

  it("a context that hangs gives an error in bounded time", async () => {
    registry
      .openPane({ instanceId: "p1", kind: "stub", title: "Stub" })
      .setContext(() => new Promise(() => {}));
    await connect();
    socket().receive({ type: "context_request", id: "x", instance: "p1" });
    await vi.advanceTimersByTimeAsync(9_000);

    expect(socket().framesOf("context")[0]).toMatchObject({
      ok: false,
      error: "the pane did not answer in time",
    });
  });
});

describe("the list of tools", () => {
  it("is returned, or the reason why there is none", async () => {
    await connect();
    const groups = [{ group: "stub", tools: [] }];
    const first = connection.listTools();
    const second = connection.listTools();
    socket().receive({ type: "tools", id: "l1", groups });
    socket().receive({ type: "error", about: "l2", detail: "no catalog" });

    expect(await first).toEqual(groups);
    await expect(second).rejects.toThrow("no catalog");
  });

  it("fails when the connection is lost", async () => {
    await connect();
    const list = connection.listTools();
    socket().end(1006);

    await expect(list).rejects.toThrow("lost");
  });
});

/** Let time pass on a server that sends pings. */
async function keepAlive(milliseconds: number) {
  for (let passed = 0; passed < milliseconds; passed += 1_000) {
    await vi.advanceTimersByTimeAsync(1_000);
    socket().receive({ type: "ping" });
  }
}

function raise(error: Error): never {
  throw error;
}

function cycle() {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
}
