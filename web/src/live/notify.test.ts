import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Approval } from "@/api/types";
import { showNotification } from "./notify";

const shown: { title: string; body: string; tag: string }[] = [];

class FakeNotification {
  static permission = "granted";
  onclick = () => {};
  constructor(title: string, { body, tag }: { body: string; tag: string }) {
    shown.push({ title, body, tag });
  }
}

const question = {
  id: "a1",
  call: { agent: "release-bot", tool: "terminal.exec", args: { command: "git push" } },
} as unknown as Approval;
const translate = ((key: string, values: object) => `${key} ${JSON.stringify(values)}`) as never;

beforeEach(() => {
  shown.length = 0;
  vi.stubGlobal("Notification", FakeNotification);
  localStorage.setItem("assent.notify", "yes");
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  localStorage.clear();
});

const makeVisible = (state: "visible" | "hidden") =>
  vi.spyOn(document, "visibilityState", "get").mockReturnValue(state);

test("a hidden page shows a notification with agent and tool, and never the arguments", () => {
  makeVisible("hidden");
  showNotification(question, translate);

  expect(shown).toHaveLength(1);
  expect(shown[0]?.tag).toBe("a1");
  expect(shown[0]?.body).toContain("release-bot");
  expect(shown[0]?.body).toContain("terminal.exec");
  expect(JSON.stringify(shown)).not.toContain("git push");
});

test("a page that is seen shows none, and neither does one whose user did not turn them on", () => {
  makeVisible("visible");
  showNotification(question, translate);
  makeVisible("hidden");
  localStorage.removeItem("assent.notify");
  showNotification(question, translate);

  expect(shown).toEqual([]);
});
