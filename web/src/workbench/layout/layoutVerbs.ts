/** The layout verbs of an agent: they arrange panes and never change what the panes show. */
import type { LayoutVerb, ToolArguments, ToolHandler } from "assent-sdk";
import { type Direction, PANE_KINDS, type PaneKind } from "./arrangement";
import type { LayoutStore } from "./layoutStore";
import { WORKSPACES, type WorkspaceName } from "./workspaces";

/** Panes that exist only in development builds are not opened for an agent elsewhere. */
export function makeLayoutVerbs(
  store: LayoutStore,
  offered: ReadonlySet<PaneKind>,
): Record<LayoutVerb, ToolHandler> {
  const readKind = (args: ToolArguments): PaneKind => {
    const kind = PANE_KINDS.find((one) => one === args["kind"] && offered.has(one));
    if (!kind) throw new Error(`there is no such kind of pane: use ${[...offered].join(", ")}`);
    return kind;
  };
  const readId = (args: ToolArguments): string => {
    const id = String(args["instanceId"] ?? "");
    if (!store.current.panes[id]) throw new Error(`no pane \`${id}\` is open: list the open panes again`);
    return id;
  };
  return {
    open_pane: (args) => ({ instanceId: store.open(readKind(args), readText(args, "resource"))?.id }),
    split_pane: (args) => {
      const opened =
        args["kind"] === undefined ? null : { kind: readKind(args), resource: readText(args, "resource") };
      return { instanceId: store.split(readId(args), readDirection(args), opened)?.id };
    },
    close_pane: (args) => {
      store.close(readId(args));
      return { closed: true };
    },
    focus_pane: (args) => {
      store.focus(readId(args));
      return { focused: true };
    },
    switch_workspace: (args) => {
      store.switchTo(readWorkspace(args));
      return { workspace: store.workspace };
    },
  };
}

function readText(args: ToolArguments, name: string): string {
  const value = args[name] ?? "";
  if (typeof value !== "string") throw new Error(`\`${name}\` must be a text`);
  return value;
}

function readDirection(args: ToolArguments): Direction {
  const direction = args["direction"];
  if (direction === "horizontal" || direction === "vertical") return direction;
  throw new Error("`direction` must be `horizontal` or `vertical`");
}

function readWorkspace(args: ToolArguments): WorkspaceName {
  const found = WORKSPACES.find((one) => one === args["workspace"]);
  if (!found) throw new Error(`there is no such workspace: use ${WORKSPACES.join(", ")}`);
  return found;
}
