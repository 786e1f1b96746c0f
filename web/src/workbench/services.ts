/** What the panes of a workbench share. */
import type { PageConnection, ToolRegistry } from "assent-sdk";
import { createContext, use } from "react";
import type { Conversation } from "@/api/types";
import type { DocumentStore } from "./editor/documents";
import type { LayoutStore } from "./layout/layoutStore";
import type { CallLog } from "./panes/callLog";

export type Workbench = {
  conversation: Conversation;
  registry: ToolRegistry;
  connection: PageConnection;
  layout: LayoutStore;
  documents: DocumentStore;
  calls: CallLog;
};

export const WorkbenchContext = createContext<Workbench | null>(null);

/** The workbench around this component. */
export function useWorkbench(): Workbench {
  const found = use(WorkbenchContext);
  if (!found) throw new Error("this component belongs into a workbench");
  return found;
}
