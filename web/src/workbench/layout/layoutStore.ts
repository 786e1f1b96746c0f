/** The layout of the workbench: which workspace is shown, and the arrangement of each. */
import { useSyncExternalStore } from "react";
import {
  type Arrangement,
  closePane,
  type Direction,
  focusPane,
  isArrangement,
  moveToNeighbour,
  openPane,
  type Pane,
  type PaneKind,
  setResource,
  splitPane,
} from "./arrangement";
import { makeWorkspaces, WORKSPACES, type WorkspaceName } from "./workspaces";

const STORAGE_KEY = "assent.workbench";

type LayoutState = { workspace: WorkspaceName; arrangements: Record<WorkspaceName, Arrangement> };

export class LayoutStore {
  private state: LayoutState = readStored();
  private readonly listeners = new Set<() => void>();

  get current(): Arrangement {
    return this.state.arrangements[this.state.workspace];
  }
  get workspace(): WorkspaceName {
    return this.state.workspace;
  }

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };

  /** Open a pane; returns the one that now shows the resource. */
  open = (kind: PaneKind, resource = ""): Pane | undefined => {
    this.change(openPane(this.current, kind, resource));
    return this.current.panes[this.current.focused];
  };
  split = (id: string, direction: Direction, opened: { kind: PaneKind; resource: string } | null) => {
    this.change(splitPane(this.current, id, direction, opened));
    return this.current.panes[this.current.focused];
  };
  close = (id: string) => this.change(closePane(this.current, id));
  focus = (id: string) => this.change(focusPane(this.current, id));
  move = (id: string, step: 1 | -1) => this.change(moveToNeighbour(this.current, id, step));
  setResource = (id: string, resource: string) => this.change(setResource(this.current, id, resource));

  switchTo = (workspace: WorkspaceName) => this.setState({ ...this.state, workspace });
  /** Restore the panes that the current workspace starts with. */
  reset = () => this.change(makeWorkspaces()[this.state.workspace]);

  private change(next: Arrangement) {
    if (next === this.current) return;
    const { workspace, arrangements } = this.state;
    this.setState({ workspace, arrangements: { ...arrangements, [workspace]: next } });
  }

  private setState(next: LayoutState) {
    this.state = next;
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify(next));
    } catch {
      // Without storage the layout lasts as long as the page.
    }
    for (const listener of this.listeners) listener();
  }
}

export const useArrangement = (store: LayoutStore) =>
  useSyncExternalStore(store.subscribe, () => store.current);
export const useWorkspaceName = (store: LayoutStore) =>
  useSyncExternalStore(store.subscribe, () => store.workspace);

function readStored(): LayoutState {
  const usual: LayoutState = { workspace: "code", arrangements: makeWorkspaces() };
  try {
    const found = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "null") as Partial<LayoutState> | null;
    if (!found) return usual;
    const arrangements = { ...usual.arrangements };
    for (const name of WORKSPACES) {
      const stored = found.arrangements?.[name];
      if (isArrangement(stored)) arrangements[name] = stored;
    }
    return { workspace: WORKSPACES.find((name) => name === found.workspace) ?? "code", arrangements };
  } catch {
    return usual;
  }
}
