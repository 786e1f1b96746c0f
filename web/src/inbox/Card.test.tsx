import { QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { client, keys } from "@/api/queries";
import type { ApprovalDetail } from "@/api/types";
import { GRACE_MS, HOLD_MS } from "@/keys/arming";
import { watchWindow } from "@/keys/windowReturn";
import { setOnline } from "@/live/status";
import * as samples from "@/test/samples";
import { Card } from "./Card";

let sent: { path: string; body: unknown }[] = [];
let unwatch: () => void;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: [
      "setTimeout",
      "clearTimeout",
      "setInterval",
      "clearInterval",
      "performance",
      "requestAnimationFrame",
      "cancelAnimationFrame",
    ],
  });
  sent = [];
  vi.stubGlobal("IntersectionObserver", undefined);
  vi.stubGlobal("fetch", async (path: string, options: RequestInit) => {
    sent.push({ path, body: JSON.parse(String(options.body ?? "null")) });
    const reply = path.endsWith("/preview") ? { looked_at: 0, covered: [], denied: [] } : {};
    return new Response(JSON.stringify(reply), { status: 200 });
  });
  Reflect.deleteProperty(window, "IntersectionObserver");
  client.clear();
  client.setQueryData(keys.me, { id: "ana", kind: "person", administrator: true });
  unwatch = watchWindow(window);
});
afterEach(() => {
  unwatch();
  setOnline(true);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function show(approval: ApprovalDetail, selected = true) {
  return render(
    <QueryClientProvider client={client}>
      <Card approval={approval} selected={selected} />
    </QueryClientProvider>,
  );
}
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const armed = () => wait(GRACE_MS + 60);
const key = (name: string, target: Window | Element = window, rest = {}) =>
  fireEvent.keyDown(target, { key: name, ...rest });
const answers = () => sent.map((one) => (one.body as { answer: { say: string } }).answer.say);

describe("keys", () => {
  test("answer once the card was painted and half a second has passed, not before", async () => {
    show(samples.push());
    key("y");
    await wait(GRACE_MS - 50);
    key("y");
    expect(sent).toEqual([]);

    await armed();
    key("y");
    await wait(0);
    expect(answers()).toEqual(["once"]);
  });
  test("carry the digest of what was shown", async () => {
    const asked = samples.push();
    show(asked);
    await armed();
    key("n");
    await wait(0);
    expect(sent).toEqual([
      { path: `/v1/approvals/${asked.id}/answer`, body: { digest: asked.digest, answer: { say: "deny" } } },
    ]);
  });
  test("do nothing on a card that is not selected", async () => {
    show(samples.push(), false);
    await armed();
    key("y");
    await wait(0);
    expect(sent).toEqual([]);
  });
  test("do nothing while somebody types, on repeat or with a modifier", async () => {
    show(samples.push());
    await armed();
    const field = document.createElement("textarea");
    document.body.append(field);
    key("y", field);
    key("y", window, { repeat: true });
    key("y", window, { ctrlKey: true });
    await wait(0);
    expect(sent).toEqual([]);
    field.remove();
  });
  test("arm anew for another question in the same place", async () => {
    const { rerender } = show(samples.push());
    await armed();
    rerender(
      <QueryClientProvider client={client}>
        <Card approval={samples.compound()} selected />
      </QueryClientProvider>,
    );
    key("y");
    await wait(0);
    expect(sent).toEqual([]);
  });
  test("never answer a locked question with yes", async () => {
    show(samples.breaker());
    await armed();
    key("y");
    await wait(0);
    expect(sent).toEqual([]);
  });
  test("A opens the editor and answers nothing", async () => {
    show(samples.push());
    await armed();
    key("a");
    await wait(300);
    expect(screen.getByText("How broad")).toBeTruthy();
    expect(sent.filter((one) => one.path.endsWith("/answer"))).toEqual([]);
  });
});

describe("clicks", () => {
  test("on a card that has just appeared are too soon", async () => {
    show(samples.push());
    fireEvent.click(screen.getByRole("button", { name: "Allow once" }));
    await wait(0);
    expect(sent).toEqual([]);
  });
  test("that bring the window back are ignored once", async () => {
    show(samples.push());
    await armed();
    fireEvent.focus(window);
    fireEvent.click(screen.getByRole("button", { name: "Allow once" }));
    await wait(0);
    expect(sent).toEqual([]);

    fireEvent.click(screen.getByRole("button", { name: "Allow once" }));
    await wait(0);
    expect(answers()).toEqual(["once"]);
  });
});

describe("a dangerous yes", () => {
  test("has to be held to its end", async () => {
    show(samples.breaker());
    await armed();
    const hold = screen.getByRole("button", { name: /Hold to allow once/ });
    fireEvent.pointerDown(hold, { button: 0 });
    await wait(HOLD_MS - 100);
    fireEvent.pointerUp(hold);
    await wait(HOLD_MS);
    expect(sent).toEqual([]);

    fireEvent.pointerDown(hold, { button: 0 });
    await wait(HOLD_MS + 50);
    expect(answers()).toEqual(["once"]);
  });
  test("can be held by key", async () => {
    show(samples.breaker());
    await armed();
    key(" ", screen.getByRole("button", { name: /Hold to allow once/ }));
    await wait(HOLD_MS + 50);
    expect(answers()).toEqual(["once"]);
  });
  test("to what was declared destructive needs its noun", async () => {
    show(samples.destructive());
    await armed();
    const yes = screen.getByRole<HTMLButtonElement>("button", { name: "Allow once" });
    expect(yes.disabled).toBe(true);

    fireEvent.change(screen.getByLabelText("Type “ortiz” to allow"), { target: { value: "Ortiz" } });
    fireEvent.submit(yes.form as HTMLFormElement);
    await wait(0);
    expect(answers()).toEqual(["once"]);
  });
});

describe("what is shown", () => {
  test("is all of a long command before it can be allowed", async () => {
    show(samples.long());
    await armed();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Allow once" }).disabled).toBe(true);
    expect(screen.getByText(/characters not shown/)).toBeTruthy();
    expect(screen.getAllByText(/paste\.example/).length).toBeGreaterThan(0);
    key("y");
    await wait(0);
    expect(sent).toEqual([]);

    key("x");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Allow once" }).disabled).toBe(false);
  });
  test("never becomes markup, and hides nothing", () => {
    const { container } = show(samples.hostile());
    expect(container.querySelector(".said b[style]")).toBeNull();
    expect(container.querySelector(".said a")).toBeNull();
    expect(container.textContent).toContain("\\u202e");
    expect(container.textContent).not.toContain("\u202e");
  });
  test("puts the agent's words last, clipped and labelled", () => {
    const { container } = show(samples.hostile());
    expect(container.querySelector(".card")?.lastElementChild?.className).toBe("said");
    expect(container.querySelector(".said q")?.textContent?.length).toBeLessThan(300);
  });
});

describe("what is fed to a command", () => {
  const yes = () => screen.getByRole<HTMLButtonElement>("button", { name: "Allow once" });
  const heads = () => [...document.querySelectorAll(".fed-head")].map((one) => one.textContent);

  test("is shown in its place where it is whole lines of the command", () => {
    show(samples.heredoc());
    expect(heads()).toEqual(["Input to python3 -: 3 lines"]);
    expect(document.querySelector(".command .fed-text")?.textContent).toContain("import json\nrows");
    expect(document.querySelector(".command")?.textContent).toMatch(/^ask: python3 - <<'EOF'\n.*EOF$/s);
    expect(screen.getByText(/A remembered yes applies to exactly this text/)).toBeTruthy();
  });
  test("counts characters as the server does", () => {
    show(samples.heredoc("print('\u{1f600}')\n"));
    expect(document.querySelector(".command .fed-text")?.textContent).toBe("print('\u{1f600}')\n");
  });
  test("is shown by itself where it stands in the command twice", () => {
    const asked = samples.heredoc("a\n");
    const command = `${asked.call.args["command"]}\npython3 - <<'X'\na\nX`;
    show({ ...asked, call: { ...asked.call, args: { command } } });
    expect(document.querySelector(".command .fed-text")).toBeNull();
    expect(document.querySelector(".fed > .fed-text")?.textContent).toBe("a\n");
  });
  test("is a file with its path and a short digest", () => {
    show(samples.fedFile());
    expect(heads()).toEqual(["Input to psql shop: db/seed.sqlsha256 4f1c9e02ab37…"]);
    expect(screen.getByText(/to exactly this content/)).toBeTruthy();
  });
  test("is a file that nobody read", () => {
    show({ ...samples.fedFile({ digest: "", can_be_named: false }), always: NOTHING_LASTS });
    expect(screen.getByText(/was not read, so a yes cannot be remembered/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Always…" })).toBeNull();
  });
  test("comes from a pipe, and then no lasting yes is offered", async () => {
    show({ ...samples.fedByPipe(), always: NOTHING_LASTS });
    await armed();
    expect(heads()).toEqual(["Input to psql shop: a pipe, or the input of the group or loop around it"]);
    expect(screen.getByText("No rule can describe this input, so a yes cannot be remembered.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "For this conversation" })).toBeNull();
    key("a");
    expect(screen.queryByText("How broad")).toBeNull();
    expect(yes().disabled).toBe(false);
  });
  test("says so where nothing is known of the program", () => {
    show(samples.fedFile({ digest: "", can_be_named: false, must_be_named: false }));
    expect(screen.getByText(/Unknown program/)).toBeTruthy();
  });
  test("is an argument of the tool, beside the others", () => {
    show(samples.fedArgument());
    expect(heads()).toEqual(["Input to python3 -: the argument stdin, 3 lines"]);
    expect(document.querySelector(".fed-text")?.textContent).toContain("rows = json.load");
    expect([...document.querySelectorAll(".arguments dt")].map((one) => one.textContent)).toEqual([
      "timeout",
    ]);
  });
  test("has to be opened before it can be allowed where it is long", async () => {
    show(samples.fedArgument(`${"x = 1\n".repeat(500)}rm()\n`));
    await armed();
    key("y");
    await wait(0);
    expect(yes().disabled).toBe(true);
    expect(sent).toEqual([]);

    key("x");
    expect(yes().disabled).toBe(false);
  });
  test("hides nothing", () => {
    show(samples.fedArgument("print('\u202e')\n"));
    expect(document.querySelector(".fed-text")?.textContent).toContain("\\u202e");
  });
});

test("arguments beside a command are shown, and the agent's own words are not among them", () => {
  show(samples.approval({ args: { command: "make", description: "Builds.", run_in_background: true } }));
  expect([...document.querySelectorAll(".arguments > *")].map((one) => one.textContent)).toEqual([
    "run_in_background",
    "true",
  ]);
});

describe("a card that is over", () => {
  test.each([
    [samples.answeredByJon, "jon allowed this once"],
    [samples.deniedByMe, "You denied this"],
    [samples.expired, "Expired without an answer. The call will not run."],
    [samples.withdrawn, "Withdrawn. The call will not run."],
    [samples.unknown, /Result unknown/],
  ])("says who and how, and offers no answer", (make, words) => {
    show(make());
    expect(screen.getByText(words)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Allow once" })).toBeNull();
  });
});

test("while the server is silent nothing can be pressed, and the card says so", async () => {
  show(samples.push());
  act(() => setOnline(false));
  await armed();
  key("y");
  await wait(0);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Allow once" }).disabled).toBe(true);
  expect(screen.getByText(/Nothing you press is saved/)).toBeTruthy();
  expect(sent).toEqual([]);
});

test("a no can carry a message", async () => {
  show(samples.mail());
  await armed();
  fireEvent.click(screen.getByRole("button", { name: "Add a reason…" }));
  fireEvent.change(screen.getByLabelText("Message to the agent"), {
    target: { value: "Wait until Friday." },
  });
  fireEvent.click(screen.getByRole("button", { name: "Deny with this message" }));
  await wait(0);
  expect(sent[0]?.body).toMatchObject({ answer: { say: "deny", reason: "Wait until Friday." } });
});

describe("a change of a file", () => {
  test("shows the lines of the file on disk with their numbers", () => {
    show(samples.overwrite());
    const removed = document.querySelector(".diff-remove");
    expect([...(removed?.children ?? [])].map((one) => one.textContent)).toEqual([
      "10",
      "",
      "−",
      "  image: 0.8",
    ]);
    expect(screen.getByText("overwrites 61 lines")).toBeTruthy();
    expect(screen.getByText("50 unchanged lines")).toBeTruthy();
  });
  test("cannot be allowed before it is there", async () => {
    const { diff: _, suggestions: __, always: ___, ...listed } = samples.overwrite();
    show(listed as ApprovalDetail);
    await armed();
    key("y");
    await wait(0);
    expect(sent).toEqual([]);
  });
  test("says that the file changed since somebody looked", () => {
    const asked = samples.overwrite();
    show({ ...asked, file: asked.file && { ...asked.file, changes: 1 } });
    expect(screen.getByRole("status").textContent).toContain(
      "The file has changed since you opened this card.",
    );
  });
  test("says why it is not compared", () => {
    const { file } = samples.overwrite();
    show(
      samples.overwrite({ diff: "", file: file && { ...file, state: "secret", why: "the file is secret" } }),
    );
    expect(screen.getByText("Not compared with the file: it is in a location for secrets.")).toBeTruthy();
    expect(document.querySelector(".diff")).toBeNull();
  });
});

test("edited arguments are shown as what was asked and what ran", () => {
  const asked = samples.overwrite();
  const args = { ...asked.call.args, path: "deploy/other.yaml" };
  const answer = { ...ANSWER, args };
  show({ ...asked, state: "done", answer, answered_at: asked.asked_at });
  expect(screen.getByRole("region", { name: "Asked" }).textContent).toBe("Askedpathdeploy/compose.yaml");
  expect(screen.getByRole("region", { name: "Ran" }).textContent).toBe("Ranpathdeploy/other.yaml");
  expect(screen.getByText("1 of 2 arguments was changed.")).toBeTruthy();
});

const NOTHING_LASTS = {
  becomes: "rule" as const,
  scope: "choice" as const,
  lifetime: "choice" as const,
  widened: true,
  conversation: [],
};

const ANSWER = {
  say: "once" as const,
  by: "ana",
  reason: "",
  rules: [],
  scope: null,
  lifetime: null,
  until: null,
  uses: null,
  released_by: "",
};
