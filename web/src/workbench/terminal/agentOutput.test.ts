import { expect, test } from "vitest";
import { AgentOutput } from "./agentOutput";

test("a line that arrives in pieces is one line, without the escape sequences of its colours", () => {
  const output = new AgentOutput();
  for (const piece of ["first\r\nsec", "ond \u001b[3", "1mred\u001b[0m", "\u001b]0;title\u0007!\r\n"]) {
    output.add(piece);
  }

  expect(output.lastLines(10)).toBe("first\nsecond red!\n");
  expect(output.lastLines(2)).toBe("second red!\n");
});

test("only the end of a long output is kept", () => {
  const output = new AgentOutput();
  for (let line = 0; line < 50_000; line++) output.add(`line ${line}\n`);

  const kept = output.lastLines(1_000_000);
  expect(kept.length).toBeLessThanOrEqual(100_000);
  expect(kept).toContain("line 49999");
});
