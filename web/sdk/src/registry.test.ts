import { describe, expect, it, vi } from "vitest";
import { ToolRegistry } from "./registry";

const TOOL = { name: "stub.getValue", description: "Reads the value.", handler: () => 1 };

describe("declarations", () => {
  it("serializes tools of widgets without their handlers", () => {
    const registry = new ToolRegistry();
    const params = { type: "object" as const, properties: { value: { type: "string" } } };
    registry.addWidget({
      id: "stub",
      title: "Stub",
      agentTools: [
        TOOL,
        {
          name: "stub.setValue",
          description: "Sets.",
          params,
          sideEffect: true,
          specifierTemplate: "{value}",
          handler: () => 2,
        },
      ],
    });

    expect(registry.tools()).toEqual([
      { name: "stub.getValue", description: "Reads the value.", kind: "agentTool" },
      {
        name: "stub.setValue",
        description: "Sets.",
        params,
        sideEffect: true,
        specifierTemplate: "{value}",
        kind: "agentTool",
      },
    ]);
  });

  it("makes a command a tool only if it is declared for agents", () => {
    const registry = new ToolRegistry();
    registry.addCommand({ id: "theme.toggle", title: "Change the theme", run: () => {} });
    registry.addCommand({
      id: "files.reload",
      title: "Reload",
      run: () => {},
      agent: { description: "Reloads." },
    });

    expect(registry.tools()).toEqual([{ name: "files.reload", description: "Reloads.", kind: "command" }]);
    expect(registry.commands().map((one) => one.id)).toEqual(["theme.toggle", "files.reload"]);
  });

  it("withdraws the tools of an open document with the document", () => {
    const registry = new ToolRegistry();
    const changed = vi.fn();
    registry.subscribe(changed);
    const close = registry.addTools([TOOL]);
    const tool = registry.find("stub.getValue");
    close();
    close();

    expect(registry.tools()).toEqual([]);
    expect(tool?.left.aborted).toBe(true);
    expect(changed).toHaveBeenCalledTimes(2);
  });

  it("refuses a name that is taken or cannot be sent", () => {
    const registry = new ToolRegistry();
    registry.addTools([TOOL]);

    expect(() => registry.addTools([TOOL])).toThrow("already declared");
    expect(() => registry.addTools([{ ...TOOL, name: "two words" }])).toThrow("invalid tool name");
    expect(() =>
      registry.addTools([
        { ...TOOL, name: "a" },
        { ...TOOL, name: "a" },
      ]),
    ).toThrow("already declared");
    expect(registry.tools()).toHaveLength(1);
  });
});

describe("panes", () => {
  it("reports instances, and whether each has a context", () => {
    const registry = new ToolRegistry();
    const first = registry.openPane({ instanceId: "editor-1", kind: "editor", title: "a.ts" });
    registry.openPane({ instanceId: "editor-2", kind: "editor", title: "b.ts", focused: true });
    first.setContext(() => ({ text: "one" }));

    expect(registry.panes()).toEqual([
      { instanceId: "editor-1", kind: "editor", title: "a.ts", focused: false, hasContext: true },
      { instanceId: "editor-2", kind: "editor", title: "b.ts", focused: true, hasContext: false },
    ]);
    expect(registry.readContext("editor-1").value).toEqual({ text: "one" });
  });

  it("gives an error for a closed pane and for a pane without context", () => {
    const registry = new ToolRegistry();
    const pane = registry.openPane({ instanceId: "p", kind: "stub", title: "Stub" });

    expect(() => registry.readContext("p")).toThrow("has no context");
    pane.setContext(() => "text")();
    expect(() => registry.readContext("p")).toThrow("has no context");
    pane.close();
    expect(() => registry.readContext("p")).toThrow("no pane `p` is open");
  });
});
