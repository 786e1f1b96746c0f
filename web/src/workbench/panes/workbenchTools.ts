/** The tools that the workbench gives to the agent; the server carries out those of files and terminals. */
import type { AgentToolDecl, Json, ToolRegistry, WidgetDecl, Withdraw } from "assent-sdk";
import { onServer } from "../api";
import type { DocumentStore } from "../editor/documents";
import { makeDocumentTool, makeEditorTools } from "../editor/editorTools";
import type { LayoutStore } from "../layout/layoutStore";
import { makeLayoutVerbs } from "../layout/layoutVerbs";
import { STUB_WIDGET } from "../stub/stub";
import type { CallLog } from "./callLog";
import { CLUBHOUSE_WIDGET } from "./clubhouse";
import { OFFERED_KINDS } from "./kinds";
import { PATH, rootProperty, textSchema } from "./schemas";

const makeFileTools = (roots: readonly string[]): AgentToolDecl[] =>
  FILE_TOOLS.map((tool) => {
    const properties = (tool.params?.["properties"] ?? {}) as Record<string, Json>;
    return {
      ...tool,
      params: { ...tool.params, type: "object", properties: { ...properties, ...rootProperty(roots) } },
    };
  });

const FILE_TOOLS: readonly AgentToolDecl[] = [
  {
    name: "files.list",
    description: "Lists the entries of a directory.",
    params: textSchema({ path: PATH }),
    specifierTemplate: "{path}",
    handler: onServer("files.list"),
  },
  {
    name: "files.read",
    description: "Reads a text file.",
    params: textSchema({ path: PATH }),
    specifierTemplate: "{path}",
    handler: onServer("files.read"),
  },
  {
    name: "files.create",
    description: "Creates a file that does not exist yet. Its directory must exist.",
    params: textSchema({ path: PATH, content: "The text of the file." }, ["content"]),
    sideEffect: true,
    specifierTemplate: "{path}",
    handler: onServer("files.create"),
  },
  {
    name: "files.mkdir",
    description: "Creates a directory. Its parent must exist.",
    params: textSchema({ path: PATH }),
    sideEffect: true,
    specifierTemplate: "{path}",
    handler: onServer("files.mkdir"),
  },
  {
    name: "files.write",
    description: "Replaces the whole text of a file. Use `editor.proposeEdit` to change a part of it.",
    params: textSchema({ path: PATH, content: "The whole text." }),
    sideEffect: true,
    specifierTemplate: "{path}",
    handler: onServer("files.write"),
  },
  {
    name: "files.rename",
    description: "Renames or moves a file or a directory; never over an existing one.",
    params: textSchema({ path: PATH, to: "The new path." }),
    sideEffect: true,
    specifierTemplate: "{path}",
    handler: onServer("files.rename"),
  },
  {
    name: "files.delete",
    description: "Deletes a file, or a directory with everything in it.",
    params: textSchema({ path: PATH }),
    sideEffect: true,
    specifierTemplate: "{path}",
    handler: onServer("files.delete"),
  },
];

const TERMINAL_ID = "The id of a terminal, from `terminal.list`.";
const TERMINAL_TOOLS: readonly AgentToolDecl[] = [
  {
    name: "terminal.list",
    description: "Lists the open terminals of the person. Open a pane of kind `terminal` if there is none.",
    handler: onServer("terminal.list"),
  },
  {
    name: "terminal.read",
    description:
      "Reads the recent output of the commands that you ran in a terminal, or all of it if the person shares it.",
    params: textSchema({ terminal: TERMINAL_ID }),
    handler: onServer("terminal.read"),
  },
  {
    name: "terminal.exec",
    description:
      "Runs one shell command in the directory of a terminal, as a process of its own, and returns its output " +
      "and exit status. Refused while another program runs there. Use the tools of files to read and change files.",
    params: {
      ...textSchema({ command: "The command line.", terminal: TERMINAL_ID }),
      properties: {
        command: { type: "string", description: "The command line." },
        terminal: { type: "string", description: TERMINAL_ID },
        seconds: { type: "integer", description: "The time limit; 120 if absent, at most 600." },
      },
    },
    sideEffect: true,
    specifierTemplate: "{command}",
    handler: onServer("terminal.exec"),
  },
];

/** The widget that shows calls; an agent can clear the list, but not the audit. */
const makeCallsWidget = (calls: CallLog): WidgetDecl => ({
  id: "observability",
  title: "Calls",
  agentTools: [
    {
      name: "observability.clear",
      description: "Clears the list of calls that the page shows. The audit of the server stays.",
      sideEffect: true,
      handler: () => ({ cleared: calls.clear() }),
    },
  ],
});

type Offer = {
  registry: ToolRegistry;
  layout: LayoutStore;
  documents: DocumentStore;
  calls: CallLog;
  reach: { files: boolean; terminal: boolean; roots: readonly string[] };
};

/** Declare all tools of the workbench; files and terminals only where the person may use them. */
export function offerTools({ registry, layout, documents, calls, reach }: Offer): Withdraw {
  const widgets: WidgetDecl[] = [makeCallsWidget(calls), CLUBHOUSE_WIDGET];
  if (import.meta.env.DEV) widgets.push(STUB_WIDGET);
  if (reach.files) {
    widgets.push({ id: "files", title: "Files", agentTools: makeFileTools(reach.roots) });
    widgets.push({
      id: "editor",
      title: "Editor",
      agentTools: makeEditorTools(documents, layout, reach.roots),
    });
  }
  if (reach.terminal) widgets.push({ id: "terminal", title: "Terminal", agentTools: TERMINAL_TOOLS });
  const withdrawals = widgets.map((widget) =>
    registry.addWidget({ ...widget, agentTools: calls.recorded(widget.agentTools ?? []) }),
  );
  withdrawals.push(registry.addLayout(makeLayoutVerbs(layout, OFFERED_KINDS)));
  // A command of the palette that an agent cannot run: it has no `agent`.
  withdrawals.push(registry.addCommand({ id: "layout.reset", title: "Reset the layout", run: layout.reset }));
  if (reach.files)
    withdrawals.push(offerWhileOpen(registry, layout, makeDocumentTool(documents, reach.roots)));
  return () => {
    for (const withdraw of withdrawals) withdraw();
  };
}

/** Offer a tool as long as a document is open in a pane. */
function offerWhileOpen(registry: ToolRegistry, layout: LayoutStore, tool: AgentToolDecl): Withdraw {
  let withdraw: Withdraw | null = null;
  const update = () => {
    const isOpen = Object.values(layout.current.panes).some(
      (pane) => pane.kind === "editor" && pane.resource,
    );
    if (isOpen) withdraw ??= registry.addTools([tool]);
    else {
      withdraw?.();
      withdraw = null;
    }
  };
  const end = layout.subscribe(update);
  update();
  return () => {
    end();
    withdraw?.();
  };
}
