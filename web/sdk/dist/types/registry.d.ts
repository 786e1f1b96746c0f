/** The registry: the tools that the page offers now, and the panes that are open now. */
import { type AgentToolDecl, type CommandDecl, type ContextProvider, type LayoutVerb, type PaneDecl, type PanelDecl, type ToolHandler, type WidgetDecl } from "./declarations";
import type { PaneState, SerializedTool } from "./protocol";
/** A declared tool with its handler; `left` is aborted when the tool is withdrawn. */
export type RegisteredTool = {
    serialized: SerializedTool;
    handler: ToolHandler;
    left: AbortSignal;
};
/** Withdraws what was declared. */
export type Withdraw = () => void;
/** An open pane; its owner changes it and closes it. */
export type OpenPane = {
    update: (changes: Partial<Omit<PaneDecl, "instanceId">>) => void;
    setContext: (provider: ContextProvider) => Withdraw;
    close: Withdraw;
};
export declare class ToolRegistry {
    private readonly byName;
    private readonly paneEntries;
    /** By instance; a component can declare its context before its pane is reported as open. */
    private readonly contexts;
    private readonly commandEntries;
    private readonly listeners;
    /** Call the listener after each change of the tools. */
    subscribe: (listener: () => void) => Withdraw;
    /** Add a command; without `agent` it is not a tool. */
    addCommand(command: CommandDecl): Withdraw;
    addWidget: (widget: WidgetDecl) => Withdraw;
    addPanel: (panel: PanelDecl) => Withdraw;
    /** Add tools that leave together, such as those of an open document. */
    addTools(tools: readonly AgentToolDecl[]): Withdraw;
    /** Offer the layout verbs that the page can carry out. */
    addLayout(verbs: Partial<Record<LayoutVerb, ToolHandler>>): Withdraw;
    /** All commands of the page, for its own palette. */
    commands: () => CommandDecl[];
    tools: () => SerializedTool[];
    find: (name: string) => RegisteredTool | undefined;
    openPane(decl: PaneDecl): OpenPane;
    /** Give a pane its context provider; a pane has one, and it is read while the pane is open. */
    setContext(instanceId: string, provider: ContextProvider): Withdraw;
    panes: () => PaneState[];
    /** What a pane shows now; throws for a pane that is not open or has no context. */
    readContext(instanceId: string): unknown;
    private add;
    private checkName;
    private announceChange;
}
