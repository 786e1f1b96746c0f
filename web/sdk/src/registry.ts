/** The registry: the tools that the page offers now, and the panes that are open now. */
import {
  type AgentToolDecl,
  type CommandDecl,
  type ContextFile,
  type ContextProvider,
  LAYOUT_VERBS,
  type LayoutVerb,
  type PaneDecl,
  type PanelDecl,
  type ToolHandler,
  type WidgetDecl,
} from "./declarations";
import type { PaneState, SerializedTool } from "./protocol";

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** A declared tool with its handler; `left` is aborted when the tool is withdrawn. */
export type RegisteredTool = { serialized: SerializedTool; handler: ToolHandler; left: AbortSignal };

/** Withdraws what was declared. */
export type Withdraw = () => void;

/** An open pane; its owner changes it and closes it. */
export type OpenPane = {
  update: (changes: Partial<Omit<PaneDecl, "instanceId">>) => void;
  setContext: (provider: ContextProvider, file?: () => ContextFile | null) => Withdraw;
  close: Withdraw;
};

/** What a pane shows, and the file that it comes from. */
export type PaneContext = { value: unknown; file: ContextFile | null };

type ContextEntry = { provider: ContextProvider; file: () => ContextFile | null };

export class ToolRegistry {
  private readonly byName = new Map<string, RegisteredTool>();
  private readonly paneEntries = new Map<string, PaneDecl>();
  /** By instance; a component can declare its context before its pane is reported as open. */
  private readonly contexts = new Map<string, ContextEntry>();
  private readonly commandEntries = new Map<string, CommandDecl>();
  private readonly listeners = new Set<() => void>();

  /** Call the listener after each change of the tools. */
  subscribe = (listener: () => void): Withdraw => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Add a command; without `agent` it is not a tool. */
  addCommand(command: CommandDecl): Withdraw {
    const { agent, id, run } = command;
    const withdraw = agent
      ? this.add([{ serialized: { name: id, ...definitionOf(agent), kind: "command" }, handler: run }])
      : () => {};
    this.commandEntries.set(id, command);
    return () => {
      if (this.commandEntries.get(id) === command) this.commandEntries.delete(id);
      withdraw();
    };
  }

  addWidget = (widget: WidgetDecl): Withdraw => this.addTools(widget.agentTools ?? []);
  addPanel = (panel: PanelDecl): Withdraw => this.addTools(panel.agentTools ?? []);

  /** Add tools that leave together, such as those of an open document. */
  addTools(tools: readonly AgentToolDecl[]): Withdraw {
    return this.add(
      tools.map(({ handler, ...tool }) => ({
        serialized: { name: tool.name, ...definitionOf(tool), kind: "agentTool" as const },
        handler,
      })),
    );
  }

  /** Offer the layout verbs that the page can carry out. */
  addLayout(verbs: Partial<Record<LayoutVerb, ToolHandler>>): Withdraw {
    return this.add(
      LAYOUT_VERBS.flatMap((name) => {
        const handler = verbs[name];
        // The server has its own definitions of these names.
        const serialized = { name, description: `Layout: ${name}`, kind: "layout" as const };
        return handler ? [{ serialized, handler }] : [];
      }),
    );
  }

  /** All commands of the page, for its own palette. */
  commands = (): CommandDecl[] => [...this.commandEntries.values()];

  tools = (): SerializedTool[] => [...this.byName.values()].map((tool) => tool.serialized);

  find = (name: string): RegisteredTool | undefined => this.byName.get(name);

  // ---- panes ----------------------------------------------------------------------------------

  openPane(decl: PaneDecl): OpenPane {
    if (this.paneEntries.has(decl.instanceId)) throw new Error(`pane \`${decl.instanceId}\` is already open`);
    const entry = { ...decl };
    this.paneEntries.set(decl.instanceId, entry);
    return {
      update: (changes) => Object.assign(entry, changes),
      setContext: (provider, file) => this.setContext(decl.instanceId, provider, file),
      close: () => {
        if (this.paneEntries.get(decl.instanceId) === entry) this.paneEntries.delete(decl.instanceId);
      },
    };
  }

  /** Give a pane its context provider; a pane has one, and it is read while the pane is open. */
  setContext(
    instanceId: string,
    provider: ContextProvider,
    file: () => ContextFile | null = () => null,
  ): Withdraw {
    const entry = { provider, file };
    this.contexts.set(instanceId, entry);
    return () => {
      if (this.contexts.get(instanceId) === entry) this.contexts.delete(instanceId);
    };
  }

  panes = (): PaneState[] =>
    [...this.paneEntries.values()].map(({ focused = false, ...pane }) => ({
      ...pane,
      focused,
      hasContext: this.contexts.has(pane.instanceId),
    }));

  /** What a pane shows now; throws for a pane that is not open or has no context. */
  readContext(instanceId: string): PaneContext {
    if (!this.paneEntries.has(instanceId)) {
      throw new Error(`no pane \`${instanceId}\` is open: list the open panes again`);
    }
    const entry = this.contexts.get(instanceId);
    if (!entry) throw new Error(`pane \`${instanceId}\` has no context`);
    return { value: entry.provider(), file: entry.file() };
  }

  // ---- private ----------------------------------------------------------------------------------

  private add(tools: ReadonlyArray<Omit<RegisteredTool, "left">>): Withdraw {
    for (const { serialized } of tools) this.checkName(serialized.name, tools);
    const leaving = new AbortController();
    for (const tool of tools) this.byName.set(tool.serialized.name, { ...tool, left: leaving.signal });
    if (tools.length > 0) this.announceChange();
    return () => {
      if (leaving.signal.aborted) return;
      leaving.abort(new Error("the pane that offered this tool was closed"));
      for (const { serialized } of tools) this.byName.delete(serialized.name);
      if (tools.length > 0) this.announceChange();
    };
  }

  private checkName(name: string, added: ReadonlyArray<Omit<RegisteredTool, "left">>) {
    if (!TOOL_NAME.test(name)) {
      throw new TypeError(`invalid tool name \`${name}\`: use letters, digits, \`_\`, \`.\` and \`-\``);
    }
    const isTwice = added.filter((one) => one.serialized.name === name).length > 1;
    if (isTwice || this.byName.has(name)) throw new Error(`tool \`${name}\` is already declared`);
  }

  private announceChange() {
    for (const listener of this.listeners) listener();
  }
}

type Definition = Omit<AgentToolDecl, "name" | "handler">;

/** The fields of a definition that are present, so that none is sent as undefined. */
function definitionOf({ description, params, sideEffect, specifierTemplate }: Definition) {
  return {
    description,
    ...(params ? { params } : {}),
    ...(sideEffect ? { sideEffect } : {}),
    ...(specifierTemplate === undefined ? {} : { specifierTemplate }),
  };
}
