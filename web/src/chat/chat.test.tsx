import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import type { DynamicToolUIPart } from "ai";
import { expect, test } from "vitest";
import { client } from "@/api/queries";
import type { AuditRow } from "@/api/types";
import { Prose, parseBlocks } from "./Prose";
import { entriesByCall, ReasonsContext } from "./reasons";
import { groupSubtasks, type Part } from "./subtasks";
import { ToolRow } from "./ToolRow";

test("fenced code is told from words", () => {
  expect(parseBlocks("Run this:\n```sh\nls -la\n```\nthen stop.")).toEqual([
    { kind: "text", text: "Run this:" },
    { kind: "code", text: "ls -la" },
    { kind: "text", text: "then stop." },
  ]);
});

test("a model's words are text, whatever they look like", () => {
  const { container } = render(
    <Prose text={"<img src=x onerror=alert(1)> [go](https://x.example) `code` \u202e"} />,
  );
  expect(container.querySelector("img, a")).toBeNull();
  expect(container.querySelector("code")?.textContent).toBe("code");
  expect(container.textContent).toContain("\\u202e");
});

const part = (rest: Partial<DynamicToolUIPart>) =>
  ({
    type: "dynamic-tool",
    toolName: "run_command",
    toolCallId: "1",
    input: { command: "make" },
    ...rest,
  }) as DynamicToolUIPart;

test.each([
  [{ state: "output-available", output: { text: "ok", data: {} } }, "Ran"],
  [{ state: "output-denied" }, "Denied"],
  [{ state: "output-error", errorText: "no such file" }, "Failed"],
  [{ state: "input-available" }, "working"],
  [{ state: "output-available", output: { text: "waits", data: { waits: true } } }, "working"],
] as const)("a call says what came of it: %o", (rest, word) => {
  render(<ToolRow part={part(rest as Partial<DynamicToolUIPart>)} name="run_command" question={null} />);
  expect(screen.getByText(word)).toBeTruthy();
  expect(screen.getByText("run_command make")).toBeTruthy();
});

test.each([
  [
    "deny",
    '{"error": "blocked_in_plan_mode", "message": "plan mode only reads"}',
    "Denied",
    "plan mode only reads",
  ],
  ["deny", "not decided", "Denied", "not decided"],
  ["run", '{"message": "as if it were refused"}', "Failed", '{"message": "as if it were refused"}'],
])(
  "a call is denied where the audit says so, not where its error does: %s",
  (verdict, errorText, word, told) => {
    const reasons = entriesByCall([{ entry: { call: "1", verdict, stage: "plan", rule: "" } } as AuditRow]);
    render(
      <QueryClientProvider client={client}>
        <ReasonsContext value={reasons}>
          <ToolRow
            part={part({ state: "output-error", errorText } as Partial<DynamicToolUIPart>)}
            name="run_command"
            question={null}
          />
        </ReasonsContext>
      </QueryClientProvider>,
    );
    expect(screen.getByText(word)).toBeTruthy();
    expect(screen.getByText(told)).toBeTruthy();
  },
);

test("a saved file shows its changed lines", () => {
  const output = { text: "saved", data: { before: "a\nb", after: "a\nc" } };
  const { container } = render(
    <ToolRow
      part={part({ state: "output-available", output } as Partial<DynamicToolUIPart>)}
      name="write_file"
      question={null}
    />,
  );
  expect([...container.querySelectorAll(".diff-line code")].map((line) => line.textContent)).toEqual([
    "b",
    "c",
  ]);
});

const sends = (id: string, input: object) => ({
  ...part({ state: "input-available", input } as Partial<DynamicToolUIPart>),
  toolName: "run_subtask",
  toolCallId: id,
});
const done = (id: string, title: string) => part({ toolCallId: id, title, state: "input-available" });
const asked = (call: string) =>
  ({ type: "data-assent", id: `q-${call}`, data: { toolCallId: call } }) as Part;

/** What stands where: a call by its id, a helper by its name with the calls it made. */
const outline = (parts: Part[]) =>
  groupSubtasks(parts, "chat").map((item) =>
    item.kind === "part"
      ? (item.part as DynamicToolUIPart).toolCallId
      : [
          item.request.name,
          item.call?.toolCallId,
          ...item.parts.map((one) => ("toolCallId" in one ? one.toolCallId : one.type)),
        ],
  );

test("a helper's calls and questions stand under the call that sent it", () => {
  expect(
    outline([
      done("a", ""),
      sends("s", { task: "count", name: "scribe" }),
      sends("t", { task: "look" }),
      done("22.x", "chat/helper: look"),
      done("11.x", "chat/scribe: count"),
      asked("11.x"),
      done("b", ""),
    ]),
  ).toEqual(["a", ["scribe", "s", "11.x", "data-assent"], ["helper", "t", "22.x"], "b"]);
});

test("two helpers with one task are told apart, and a long task is known by its beginning", () => {
  const task = "é".repeat(200);
  const title = `chat/helper: ${task}`.slice(0, 120);
  expect(
    outline([sends("s", { task }), sends("t", { task }), done("1.x", title), done("2.x", title)]),
  ).toEqual([
    ["helper", "s", "1.x"],
    ["helper", "t", "2.x"],
  ]);
});

test("a helper whose sender is not shown is shown all the same", () => {
  expect(outline([done("1.x", "other/scout: see: all")])).toEqual([["scout", undefined, "1.x"]]);
});
