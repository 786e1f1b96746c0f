import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import type { DynamicToolUIPart } from "ai";
import { expect, test } from "vitest";
import { queryClient } from "@/api/queries";
import type { AuditRow } from "@/api/types";
import { DecisionEntriesContext, entriesByCall } from "./decisionEntries";
import { FormattedText, parseTextBlocks } from "./FormattedText";
import { groupPartsIntoThreadItems, type MessagePart } from "./subtasks";
import { ToolRow } from "./ToolRow";
import { countActions } from "./TurnLog";

test("fenced code is separated from text", () => {
  expect(parseTextBlocks("Run this:\n```sh\nls -la\n```\nthen stop.")).toEqual([
    { kind: "text", text: "Run this:" },
    { kind: "code", text: "ls -la" },
    { kind: "text", text: "then stop." },
  ]);
});

test("the text of a model is always shown as plain text", () => {
  const { container } = render(
    <FormattedText text={"<img src=x onerror=alert(1)> [go](https://x.example) `code` \u202e"} />,
  );
  expect(container.querySelector("img, a")).toBeNull();
  expect(container.querySelector("code")?.textContent).toBe("code");
  expect(container.textContent).toContain("\\u202e");
});

const toolPart = (rest: Partial<DynamicToolUIPart>) =>
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
  render(<ToolRow part={toolPart(rest as Partial<DynamicToolUIPart>)} name="run_command" question={null} />);
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
      <QueryClientProvider client={queryClient}>
        <DecisionEntriesContext value={reasons}>
          <ToolRow
            part={toolPart({ state: "output-error", errorText } as Partial<DynamicToolUIPart>)}
            name="run_command"
            question={null}
          />
        </DecisionEntriesContext>
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
      part={toolPart({ state: "output-available", output } as Partial<DynamicToolUIPart>)}
      name="write_file"
      question={null}
    />,
  );
  expect([...container.querySelectorAll(".diff-line code")].map((line) => line.textContent)).toEqual([
    "b",
    "c",
  ]);
});

const subtaskCall = (id: string, input: object) => ({
  ...toolPart({ state: "input-available", input } as Partial<DynamicToolUIPart>),
  toolName: "run_subtask",
  toolCallId: id,
});
const subtaskPart = (id: string, title: string) =>
  toolPart({ toolCallId: id, title, state: "input-available" });
const questionPart = (call: string) =>
  ({ type: "data-assent", id: `q-${call}`, data: { toolCallId: call } }) as MessagePart;

/** An outline of the parts: each call by its id, each subtask by its name with its calls. */
const outlineOfParts = (parts: MessagePart[]) =>
  groupPartsIntoThreadItems(parts, "chat").map((item) =>
    item.kind === "part"
      ? (item.part as DynamicToolUIPart).toolCallId
      : [
          item.request.name,
          item.call?.toolCallId,
          ...item.parts.map((one) => ("toolCallId" in one ? one.toolCallId : one.type)),
        ],
  );

test("the calls and questions of a subtask are grouped under the call that started it", () => {
  expect(
    outlineOfParts([
      subtaskPart("a", ""),
      subtaskCall("s", { task: "count", name: "scribe" }),
      subtaskCall("t", { task: "look" }),
      subtaskPart("22.x", "chat/helper: look"),
      subtaskPart("11.x", "chat/scribe: count"),
      questionPart("11.x"),
      subtaskPart("b", ""),
    ]),
  ).toEqual(["a", ["scribe", "s", "11.x", "data-assent"], ["helper", "t", "22.x"], "b"]);
});

test("two subtasks with the same task are separate, and a long task is matched by its beginning", () => {
  const task = "é".repeat(200);
  const title = `chat/helper: ${task}`.slice(0, 120);
  expect(
    outlineOfParts([
      subtaskCall("s", { task }),
      subtaskCall("t", { task }),
      subtaskPart("1.x", title),
      subtaskPart("2.x", title),
    ]),
  ).toEqual([
    ["helper", "s", "1.x"],
    ["helper", "t", "2.x"],
  ]);
});

test("a subtask is shown even if the call that started it is not", () => {
  expect(outlineOfParts([subtaskPart("1.x", "other/scout: see: all")])).toEqual([
    ["scout", undefined, "1.x"],
  ]);
});

test("a turn counts its calls by what became of them", () => {
  const call = (toolCallId: string, rest: Partial<DynamicToolUIPart>) => toolPart({ toolCallId, ...rest });
  const done = { state: "output-available", output: {} } as const;
  const asked = { type: "data-assent", data: { id: "q1", toolCallId: "6" } } as unknown as MessagePart;
  const answered = { type: "data-assent", data: { id: "q2", toolCallId: "7" } } as unknown as MessagePart;
  const parts: MessagePart[] = [
    call("1", done),
    call("2", done),
    call("3", { state: "output-error", errorText: "no such file" }),
    call("4", { state: "output-error", errorText: "blocked" }),
    call("5", { ...done, toolName: "editor.proposeEdit" }),
    call("6", { state: "input-available" }),
    asked,
    call("7", { state: "input-available" }),
    answered,
  ];
  const rows = [
    { entry: { call: "1", verdict: "run", stage: "read" } },
    { entry: { call: "2", verdict: "run", stage: "mode" } },
    { entry: { call: "4", verdict: "deny", stage: "plan" } },
  ] as unknown as AuditRow[];

  expect(Object.fromEntries(countActions(parts, entriesByCall(rows), new Set(["q1"])))).toEqual({
    read: 1,
    ran: 1,
    failed: 1,
    denied: 1,
    proposed: 1,
    asked: 1,
  });
});
