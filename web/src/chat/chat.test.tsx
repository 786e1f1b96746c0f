import { render, screen } from "@testing-library/react";
import type { DynamicToolUIPart } from "ai";
import { expect, test } from "vitest";
import { blocksOf, Prose } from "./Prose";
import { ToolRow } from "./ToolRow";

test("fenced code is told from words", () => {
  expect(blocksOf("Run this:\n```sh\nls -la\n```\nthen stop.")).toEqual([
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
] as const)("a call says what came of it: %o", (rest, word) => {
  render(<ToolRow part={part(rest as Partial<DynamicToolUIPart>)} name="run_command" question={null} />);
  expect(screen.getByText(word)).toBeTruthy();
  expect(screen.getByText("run_command make")).toBeTruthy();
});

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
