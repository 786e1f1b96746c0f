/** Gives the agent of a conversation tools that live in a web page. */
export { type ConnectionOptions, type ConnectionState, PageConnection } from "./connection";
export {
  type AgentToolDecl,
  type CommandDecl,
  type ContextFile,
  type ContextProvider,
  type Json,
  LAYOUT_VERBS,
  type LayoutVerb,
  type ObjectSchema,
  type PaneDecl,
  type PanelDecl,
  type ToolArguments,
  type ToolCall,
  type ToolHandler,
  type WidgetDecl,
} from "./declarations";
export type {
  ListedTool,
  PaneState,
  Review,
  SerializedTool,
  ToolGroup,
  ToolReview,
} from "./protocol";
export { type OpenPane, ToolRegistry, type Withdraw } from "./registry";
