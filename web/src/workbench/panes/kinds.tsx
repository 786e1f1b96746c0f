/** The kinds of panes: their component, icon and name. */
import { type ComponentType, lazy } from "react";
import type { IconName } from "@/ui/Icon";
import { useTranslate } from "@/words/words";
import { PANE_KINDS, type Pane, type PaneKind } from "../layout/arrangement";
import { CallsPane } from "./CallsPane";
import { ClubhousePane } from "./ClubhousePane";
import { StatusPane } from "./StatusPane";

export type PaneProps = { pane: Pane };

/** The stub exists in development builds only, as a shape to copy. */
const StubPane = import.meta.env.DEV ? lazy(() => import("../stub/StubPane")) : null;

export const PANE_COMPONENTS: Readonly<Record<PaneKind, ComponentType<PaneProps> | null>> = {
  files: lazy(() => import("../files/FilesPane")),
  editor: lazy(() => import("../editor/EditorPane")),
  terminal: lazy(() => import("../terminal/TerminalPane")),
  calls: CallsPane,
  status: StatusPane,
  clubhouse: ClubhousePane,
  stub: StubPane,
};

export const PANE_ICONS: Readonly<Record<PaneKind, IconName>> = {
  files: "folder",
  editor: "edit",
  terminal: "execute",
  calls: "history",
  status: "run",
  clubhouse: "person",
  stub: "settings",
};

/** The kinds that this build can open. */
export const OFFERED_KINDS: ReadonlySet<PaneKind> = new Set(
  PANE_KINDS.filter((kind) => PANE_COMPONENTS[kind] !== null),
);

/** A function that names a pane: its kind, and what it shows. */
export function useKindLabel(): (pane: Pane) => string {
  const t = useTranslate();
  return ({ kind, resource }) => (kind === "editor" && fileName(resource)) || t(`pane.${kind}`);
}

export const fileName = (path: string) => path.slice(path.lastIndexOf("/") + 1);
