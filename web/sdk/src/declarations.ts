/** What a page declares: commands, the tools of its widgets and panels, and its panes. */

/** A value that JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON schema of type `object`. */
export type ObjectSchema = { type: "object"; [key: string]: Json };

export type ToolArguments = Record<string, unknown>;

/** What a handler knows about its call. */
export type ToolCall = {
  id: string;
  /** Whether a person allowed this very call, so that the page need not ask again. */
  approved: boolean;
  /** The workspace root for which the call was decided; only for files, editors and terminals. */
  root: string;
  /** With it the server carries the call out once; only for files, editors and terminals of its own page. */
  ticket: string;
  /** Aborted when the call is cancelled, takes too long, or its pane closes. */
  signal: AbortSignal;
  /** Report progress, so that a long call is not taken for one that hangs; people see the text. */
  progress: (text?: string) => void;
  /** Wait for a person; this time does not count toward the limits of the call. */
  waitForPerson: <T>(answer: Promise<T>) => Promise<T>;
};

export type ToolHandler = (args: ToolArguments, call: ToolCall) => unknown;

/** A tool of a widget, a panel or an open document. */
export type AgentToolDecl = {
  /** A name with its group before the dot, such as `terminal.exec`. */
  name: string;
  /** What the model reads: what the tool does, its arguments, and when not to use it. */
  description: string;
  params?: ObjectSchema;
  /** True if the tool changes anything. */
  sideEffect?: boolean;
  /** The text that permission rules match, with `{argument}` in place of arguments. */
  specifierTemplate?: string;
  handler: ToolHandler;
};

/** A command of the page; an agent can run it only if `agent` is present. */
export type CommandDecl = {
  id: string;
  title: string;
  run: (args: ToolArguments, call?: ToolCall) => unknown;
  agent?: {
    description: string;
    params?: ObjectSchema;
    sideEffect?: boolean;
    specifierTemplate?: string;
  };
};

export type WidgetDecl = { id: string; title: string; agentTools?: readonly AgentToolDecl[] };
export type PanelDecl = WidgetDecl;

/** The verbs that change only the arrangement of panes; the server has their descriptions. */
export const LAYOUT_VERBS = [
  "open_pane",
  "split_pane",
  "close_pane",
  "focus_pane",
  "switch_workspace",
] as const;
export type LayoutVerb = (typeof LAYOUT_VERBS)[number];

export type PaneDecl = { instanceId: string; kind: string; title: string; focused?: boolean };

/** Returns what a pane shows, when an agent asks. */
export type ContextProvider = () => unknown;

/** The file of the workspace that a pane shows; an agent reads the pane only if it may read the file. */
export type ContextFile = { file: string; root?: string };
