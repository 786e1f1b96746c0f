/** The named arrangements that the workbench starts with. */
import { type Arrangement, EMPTY, focusPane, openPane, type PaneKind, splitPane } from "./arrangement";

export const WORKSPACES = ["code", "review", "monitor"] as const;
export type WorkspaceName = (typeof WORKSPACES)[number];

const splitLast = (
  now: Arrangement,
  beside: PaneKind,
  direction: "horizontal" | "vertical",
  kind: PaneKind,
) => {
  const pane = Object.values(now.panes).find((one) => one.kind === beside);
  return pane ? splitPane(now, pane.id, direction, { kind, resource: "" }) : now;
};

function codeWorkspace(): Arrangement {
  let now = openPane(EMPTY, "files");
  now = splitLast(now, "files", "horizontal", "editor");
  now = splitLast(now, "editor", "vertical", "terminal");
  now = splitLast(now, "terminal", "horizontal", "calls");
  return splitLast(now, "files", "vertical", "status");
}

function reviewWorkspace(): Arrangement {
  let now = openPane(EMPTY, "files");
  now = splitLast(now, "files", "horizontal", "editor");
  return splitLast(now, "editor", "vertical", "calls");
}

function monitorWorkspace(): Arrangement {
  let now = openPane(EMPTY, "calls");
  now = splitLast(now, "calls", "horizontal", "status");
  return splitLast(now, "status", "vertical", "clubhouse");
}

export const makeWorkspaces = (): Record<WorkspaceName, Arrangement> => ({
  code: focusKind(codeWorkspace(), "editor"),
  review: focusKind(reviewWorkspace(), "editor"),
  monitor: focusKind(monitorWorkspace(), "clubhouse"),
});

function focusKind(now: Arrangement, kind: PaneKind): Arrangement {
  const pane = Object.values(now.panes).find((one) => one.kind === kind);
  return pane ? focusPane(now, pane.id) : now;
}
