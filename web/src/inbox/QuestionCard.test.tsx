import { QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { queryClient, queryKeys } from "@/api/queries";
import type { ApprovalDetail } from "@/api/types";
import { ARMING_DELAY_MS, HOLD_DURATION_MS } from "@/keys/arming";
import { watchWindowReturn } from "@/keys/windowReturn";
import { setOnline } from "@/live/status";
import * as samples from "@/test/samples";
import { QuestionCard } from "./QuestionCard";

let sentRequests: { path: string; body: unknown }[] = [];
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
  sentRequests = [];
  vi.stubGlobal("IntersectionObserver", undefined);
  vi.stubGlobal("fetch", async (path: string, options: RequestInit) => {
    sentRequests.push({ path, body: JSON.parse(String(options.body ?? "null")) });
    const reply = path.endsWith("/preview") ? { looked_at: 0, covered: [], denied: [] } : {};
    return new Response(JSON.stringify(reply), { status: 200 });
  });
  Reflect.deleteProperty(window, "IntersectionObserver");
  queryClient.clear();
  queryClient.setQueryData(queryKeys.me, { id: "ana", kind: "person", administrator: true });
  unwatch = watchWindowReturn(window);
});
afterEach(() => {
  unwatch();
  setOnline(true);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function renderCard(approval: ApprovalDetail, selected = true) {
  return render(
    <QueryClientProvider client={queryClient}>
      <QuestionCard approval={approval} selected={selected} />
    </QueryClientProvider>,
  );
}
const advanceTime = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const waitUntilArmed = () => advanceTime(ARMING_DELAY_MS + 60);
const pressKey = (name: string, target: Window | Element = window, rest = {}) =>
  fireEvent.keyDown(target, { key: name, ...rest });
const sentAnswers = () => sentRequests.map((one) => (one.body as { answer: { say: string } }).answer.say);

describe("keys", () => {
  test("answer only after the card has been visible for half a second", async () => {
    renderCard(samples.pushApproval());
    pressKey("y");
    await advanceTime(ARMING_DELAY_MS - 50);
    pressKey("y");
    expect(sentRequests).toEqual([]);

    await waitUntilArmed();
    pressKey("y");
    await advanceTime(0);
    expect(sentAnswers()).toEqual(["once"]);
  });
  test("send the digest of the call that was shown", async () => {
    const asked = samples.pushApproval();
    renderCard(asked);
    await waitUntilArmed();
    pressKey("n");
    await advanceTime(0);
    expect(sentRequests).toEqual([
      { path: `/v1/approvals/${asked.id}/answer`, body: { digest: asked.digest, answer: { say: "deny" } } },
    ]);
  });
  test("do nothing on a card that is not selected", async () => {
    renderCard(samples.pushApproval(), false);
    await waitUntilArmed();
    pressKey("y");
    await advanceTime(0);
    expect(sentRequests).toEqual([]);
  });
  test("do nothing while a person types, on key repeat or with a modifier", async () => {
    renderCard(samples.pushApproval());
    await waitUntilArmed();
    const field = document.createElement("textarea");
    document.body.append(field);
    pressKey("y", field);
    pressKey("y", window, { repeat: true });
    pressKey("y", window, { ctrlKey: true });
    await advanceTime(0);
    expect(sentRequests).toEqual([]);
    field.remove();
  });
  test("wait again when another question is shown in the same card", async () => {
    const { rerender } = renderCard(samples.pushApproval());
    await waitUntilArmed();
    rerender(
      <QueryClientProvider client={queryClient}>
        <QuestionCard approval={samples.compoundApproval()} selected />
      </QueryClientProvider>,
    );
    pressKey("y");
    await advanceTime(0);
    expect(sentRequests).toEqual([]);
  });
  test("never allow a locked question", async () => {
    renderCard(samples.breakerApproval());
    await waitUntilArmed();
    pressKey("y");
    await advanceTime(0);
    expect(sentRequests).toEqual([]);
  });
  test("A opens the editor and answers nothing", async () => {
    renderCard(samples.pushApproval());
    await waitUntilArmed();
    pressKey("a");
    await advanceTime(300);
    expect(screen.getByText("How broad")).toBeTruthy();
    expect(sentRequests.filter((one) => one.path.endsWith("/answer"))).toEqual([]);
  });
});

describe("clicks", () => {
  test("on a card that has just appeared are ignored", async () => {
    renderCard(samples.pushApproval());
    fireEvent.click(screen.getByRole("button", { name: "Allow once" }));
    await advanceTime(0);
    expect(sentRequests).toEqual([]);
  });
  test("that activate the window are ignored once", async () => {
    renderCard(samples.pushApproval());
    await waitUntilArmed();
    fireEvent.focus(window);
    fireEvent.click(screen.getByRole("button", { name: "Allow once" }));
    await advanceTime(0);
    expect(sentRequests).toEqual([]);

    fireEvent.click(screen.getByRole("button", { name: "Allow once" }));
    await advanceTime(0);
    expect(sentAnswers()).toEqual(["once"]);
  });
});

describe("allowing a dangerous call", () => {
  test("needs the button to be held to the end", async () => {
    renderCard(samples.breakerApproval());
    await waitUntilArmed();
    const hold = screen.getByRole("button", { name: /Hold to allow once/ });
    fireEvent.pointerDown(hold, { button: 0 });
    await advanceTime(HOLD_DURATION_MS - 100);
    fireEvent.pointerUp(hold);
    await advanceTime(HOLD_DURATION_MS);
    expect(sentRequests).toEqual([]);

    fireEvent.pointerDown(hold, { button: 0 });
    await advanceTime(HOLD_DURATION_MS + 50);
    expect(sentAnswers()).toEqual(["once"]);
  });
  test("can be done by holding a key", async () => {
    renderCard(samples.breakerApproval());
    await waitUntilArmed();
    pressKey(" ", screen.getByRole("button", { name: /Hold to allow once/ }));
    await advanceTime(HOLD_DURATION_MS + 50);
    expect(sentAnswers()).toEqual(["once"]);
  });
  test("needs a typed word if the tool is destructive", async () => {
    renderCard(samples.destructiveApproval());
    await waitUntilArmed();
    const yes = screen.getByRole<HTMLButtonElement>("button", { name: "Allow once" });
    expect(yes.disabled).toBe(true);

    fireEvent.change(screen.getByLabelText("Type “ortiz” to allow"), { target: { value: "Ortiz" } });
    fireEvent.submit(yes.form as HTMLFormElement);
    await advanceTime(0);
    expect(sentAnswers()).toEqual(["once"]);
  });
});

describe("the card", () => {
  test("shows all of a long command before the command can be allowed", async () => {
    renderCard(samples.longApproval());
    await waitUntilArmed();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Allow once" }).disabled).toBe(true);
    expect(screen.getByText(/characters not shown/)).toBeTruthy();
    expect(screen.getAllByText(/paste\.example/).length).toBeGreaterThan(0);
    pressKey("y");
    await advanceTime(0);
    expect(sentRequests).toEqual([]);

    pressKey("x");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Allow once" }).disabled).toBe(false);
  });
  test("never shows markup, and makes hidden characters visible", () => {
    const { container } = renderCard(samples.hostileApproval());
    expect(container.querySelector(".said b[style]")).toBeNull();
    expect(container.querySelector(".said a")).toBeNull();
    expect(container.textContent).toContain("\\u202e");
    expect(container.textContent).not.toContain("\u202e");
  });
  test("shows the agent's description last, shortened and labelled", () => {
    const { container } = renderCard(samples.hostileApproval());
    expect(container.querySelector(".card")?.lastElementChild?.className).toBe("said");
    expect(container.querySelector(".said q")?.textContent?.length).toBeLessThan(300);
  });
});

describe("the input of a command", () => {
  const yes = () => screen.getByRole<HTMLButtonElement>("button", { name: "Allow once" });
  const heads = () => [...document.querySelectorAll(".fed-head")].map((one) => one.textContent);

  test("is shown inside the command if it consists of whole lines", () => {
    renderCard(samples.heredocApproval());
    expect(heads()).toEqual(["Input to python3 -: 3 lines"]);
    expect(document.querySelector(".command .fed-text")?.textContent).toContain("import json\nrows");
    expect(document.querySelector(".command")?.textContent).toMatch(/^ask: python3 - <<'EOF'\n.*EOF$/s);
    expect(screen.getByText(/A remembered yes applies to exactly this text/)).toBeTruthy();
  });
  test("is located by characters as the server counts them", () => {
    renderCard(samples.heredocApproval("print('\u{1f600}')\n"));
    expect(document.querySelector(".command .fed-text")?.textContent).toBe("print('\u{1f600}')\n");
  });
  test("is shown separately if it occurs twice in the command", () => {
    const asked = samples.heredocApproval("a\n");
    const command = `${asked.call.args["command"]}\npython3 - <<'X'\na\nX`;
    renderCard({ ...asked, call: { ...asked.call, args: { command } } });
    expect(document.querySelector(".command .fed-text")).toBeNull();
    expect(document.querySelector(".fed > .fed-text")?.textContent).toBe("a\n");
  });
  test("can be a file, shown with its path and a short digest", () => {
    renderCard(samples.fileInputApproval());
    expect(heads()).toEqual(["Input to psql shop: db/seed.sqlsha256 4f1c9e02ab37…"]);
    expect(screen.getByText(/to exactly this content/)).toBeTruthy();
  });
  test("can be a file that was not read", () => {
    renderCard({
      ...samples.fileInputApproval({ digest: "", can_be_named: false }),
      always: NO_LASTING_ANSWERS,
    });
    expect(screen.getByText(/was not read, so a yes cannot be remembered/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Always…" })).toBeNull();
  });
  test("can come from a pipe, and then no lasting answer is offered", async () => {
    renderCard({ ...samples.pipeInputApproval(), always: NO_LASTING_ANSWERS });
    await waitUntilArmed();
    expect(heads()).toEqual(["Input to psql shop: a pipe, or the input of the group or loop around it"]);
    expect(screen.getByText("No rule can describe this input, so a yes cannot be remembered.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "For this conversation" })).toBeNull();
    pressKey("a");
    expect(screen.queryByText("How broad")).toBeNull();
    expect(yes().disabled).toBe(false);
  });
  test("has a note if nothing is known about the program", () => {
    renderCard(samples.fileInputApproval({ digest: "", can_be_named: false, must_be_named: false }));
    expect(screen.getByText(/Unknown program/)).toBeTruthy();
  });
  test("can be an argument of the tool", () => {
    renderCard(samples.argumentInputApproval());
    expect(heads()).toEqual(["Input to python3 -: the argument stdin, 3 lines"]);
    expect(document.querySelector(".fed-text")?.textContent).toContain("rows = json.load");
    expect([...document.querySelectorAll(".arguments dt")].map((one) => one.textContent)).toEqual([
      "timeout",
    ]);
  });
  test("must be opened before the call can be allowed if it is long", async () => {
    renderCard(samples.argumentInputApproval(`${"x = 1\n".repeat(500)}rm()\n`));
    await waitUntilArmed();
    pressKey("y");
    await advanceTime(0);
    expect(yes().disabled).toBe(true);
    expect(sentRequests).toEqual([]);

    pressKey("x");
    expect(yes().disabled).toBe(false);
  });
  test("shows hidden characters", () => {
    renderCard(samples.argumentInputApproval("print('\u202e')\n"));
    expect(document.querySelector(".fed-text")?.textContent).toContain("\\u202e");
  });
});

test("other arguments of a command are shown, without the agent's description", () => {
  renderCard(
    samples.makeApproval({ args: { command: "make", description: "Builds.", run_in_background: true } }),
  );
  expect([...document.querySelectorAll(".arguments > *")].map((one) => one.textContent)).toEqual([
    "run_in_background",
    "true",
  ]);
});

describe("the card of an ended question", () => {
  test.each([
    [samples.answeredByJon, "jon allowed this once"],
    [samples.deniedByMe, "You denied this"],
    [samples.expiredApproval, "Expired without an answer. The call will not run."],
    [samples.withdrawnApproval, "Withdrawn. The call will not run."],
    [samples.unknownApproval, /Result unknown/],
  ])("says who and how, and offers no answer", (make, words) => {
    renderCard(make());
    expect(screen.getByText(words)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Allow once" })).toBeNull();
  });
});

test("while the server does not reply all buttons are disabled, and the card says so", async () => {
  renderCard(samples.pushApproval());
  act(() => setOnline(false));
  await waitUntilArmed();
  pressKey("y");
  await advanceTime(0);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Allow once" }).disabled).toBe(true);
  expect(screen.getByText(/Nothing you press is saved/)).toBeTruthy();
  expect(sentRequests).toEqual([]);
});

test("a denial can contain a message", async () => {
  renderCard(samples.mailApproval());
  await waitUntilArmed();
  fireEvent.click(screen.getByRole("button", { name: "Add a reason…" }));
  fireEvent.change(screen.getByLabelText("Message to the agent"), {
    target: { value: "Wait until Friday." },
  });
  fireEvent.click(screen.getByRole("button", { name: "Deny with this message" }));
  await advanceTime(0);
  expect(sentRequests[0]?.body).toMatchObject({ answer: { say: "deny", reason: "Wait until Friday." } });
});

describe("a change of a file", () => {
  test("shows the lines of the file on disk with their numbers", () => {
    renderCard(samples.overwriteApproval());
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
  test("cannot be allowed before it is loaded", async () => {
    const { diff: _, suggestions: __, always: ___, ...listed } = samples.overwriteApproval();
    renderCard(listed as ApprovalDetail);
    await waitUntilArmed();
    pressKey("y");
    await advanceTime(0);
    expect(sentRequests).toEqual([]);
  });
  test("shows that the file changed after a person looked at it", () => {
    const asked = samples.overwriteApproval();
    renderCard({ ...asked, file: asked.file && { ...asked.file, changes: 1 } });
    expect(screen.getByRole("status").textContent).toContain(
      "The file has changed since you opened this card.",
    );
  });
  test("shows why the file is not compared", () => {
    const { file } = samples.overwriteApproval();
    renderCard(
      samples.overwriteApproval({
        diff: "",
        file: file && { ...file, state: "secret", why: "the file is secret" },
      }),
    );
    expect(screen.getByText("Not compared with the file: it is in a location for secrets.")).toBeTruthy();
    expect(document.querySelector(".diff")).toBeNull();
  });
});

test("edited arguments are shown beside the requested arguments", () => {
  const asked = samples.overwriteApproval();
  const args = { ...asked.call.args, path: "deploy/other.yaml" };
  const answer = { ...SAMPLE_ANSWER, args };
  renderCard({ ...asked, state: "done", answer, answered_at: asked.asked_at });
  expect(screen.getByRole("region", { name: "Asked" }).textContent).toBe("Askedpathdeploy/compose.yaml");
  expect(screen.getByRole("region", { name: "Ran" }).textContent).toBe("Ranpathdeploy/other.yaml");
  expect(screen.getByText("1 of 2 arguments was changed.")).toBeTruthy();
});

const NO_LASTING_ANSWERS = {
  becomes: "rule" as const,
  scope: "choice" as const,
  lifetime: "choice" as const,
  widened: true,
  conversation: [],
};

const SAMPLE_ANSWER = {
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
