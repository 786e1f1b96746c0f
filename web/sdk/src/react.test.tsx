import { act, render } from "@testing-library/react";
import { expect, it } from "vitest";
import type { AgentToolDecl } from "./declarations";
import { PageTools, PaneInstance, useAgentContext, useAgentTools, useCommand } from "./react";
import { ToolRegistry } from "./registry";

function Pane({ text, version = "" }: { text: string; version?: string }) {
  useAgentContext(() => ({ text }));
  const tool: AgentToolDecl = { name: "doc.read", description: version, handler: () => text };
  useAgentTools([tool], version);
  useCommand({ id: "doc.close", title: "Close", run: () => text, agent: { description: "Closes." } });
  return null;
}

const draw = (registry: ToolRegistry, text: string, version?: string) => (
  <PageTools registry={registry}>
    <PaneInstance id="p1">
      <Pane text={text} {...(version ? { version } : {})} />
    </PaneInstance>
  </PageTools>
);

it("declares while it is mounted, and always answers with what is shown now", () => {
  const registry = new ToolRegistry();
  registry.openPane({ instanceId: "p1", kind: "doc", title: "Doc" });
  let changes = 0;
  registry.subscribe(() => {
    changes += 1;
  });
  const { rerender, unmount } = render(draw(registry, "one"));
  expect(registry.readContext("p1").value).toEqual({ text: "one" });
  const before = changes;
  rerender(draw(registry, "two"));

  expect(changes).toBe(before);
  expect(registry.readContext("p1").value).toEqual({ text: "two" });
  expect(registry.find("doc.read")?.handler({}, {} as never)).toBe("two");
  expect(registry.find("doc.close")?.handler({}, {} as never)).toBe("two");
  act(() => rerender(draw(registry, "two", "v2")));
  expect(registry.find("doc.read")?.serialized.description).toBe("v2");
  unmount();
  expect(registry.tools()).toEqual([]);
  expect(() => registry.readContext("p1")).toThrow("has no context");
});
