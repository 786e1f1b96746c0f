/** The arrangement of panes: a tree of splits and tab groups, changed by pure functions. */

export const PANE_KINDS = ["files", "editor", "terminal", "calls", "status", "clubhouse", "stub"] as const;
export type PaneKind = (typeof PANE_KINDS)[number];
/** `resource` is what the pane shows, such as the path of a file; empty for a pane that exists once. */
export type Pane = { id: string; kind: PaneKind; resource: string };
export type Direction = "horizontal" | "vertical";
export type TabGroup = { type: "tabs"; id: string; panes: readonly string[]; active: string };
export type Split = { type: "split"; id: string; direction: Direction; children: readonly LayoutNode[] };
export type LayoutNode = TabGroup | Split;
export type Arrangement = {
  root: LayoutNode | null;
  panes: Readonly<Record<string, Pane>>;
  /** The pane that had the focus last. */
  focused: string;
  /** Makes ids unique. */
  count: number;
};

/** A pane of these kinds exists once, whatever it is opened with. */
const SINGLE_KINDS: ReadonlySet<PaneKind> = new Set(["files", "calls", "status", "clubhouse", "stub"]);

export const EMPTY: Arrangement = { root: null, panes: {}, focused: "", count: 0 };

/** Find an open pane that shows the same. */
export function findPane(now: Arrangement, kind: PaneKind, resource: string): Pane | undefined {
  const isSame = (pane: Pane) =>
    pane.kind === kind && (SINGLE_KINDS.has(kind) || (resource !== "" && pane.resource === resource));
  return Object.values(now.panes).find(isSame);
}

/** Open a pane, or focus the one that already shows the same. An editor without a file takes the file. */
export function openPane(now: Arrangement, kind: PaneKind, resource = ""): Arrangement {
  const open = findPane(now, kind, resource);
  if (open) return focusPane(now, open.id);
  const empty =
    resource && Object.values(now.panes).find((pane) => pane.kind === kind && pane.resource === "");
  if (kind === "editor" && empty) return focusPane(setResource(now, empty.id, resource), empty.id);
  const { next, pane } = addPane(now, kind, resource);
  const near = groups(next.root).find((group) => group.panes.some((id) => next.panes[id]?.kind === kind));
  const target = near ?? groupOf(next, now.focused) ?? groups(next.root).at(-1);
  if (!target) return { ...next, root: newGroup(next, pane.id) };
  return { ...next, root: replaceNode(next.root, target.id, withTab(target, pane.id)) };
}

/** Split the group of a pane; the new half shows another pane, or moves this one out of its tabs. */
export function splitPane(
  now: Arrangement,
  id: string,
  direction: Direction,
  opened: { kind: PaneKind; resource: string } | null,
): Arrangement {
  const group = groupOf(now, id);
  if (!group) return now;
  const shown = opened && findPane(now, opened.kind, opened.resource);
  if (shown) return movePane(now, shown.id, group.id, direction);
  if (!opened) return group.panes.length > 1 ? movePane(now, id, group.id, direction) : now;
  const { next, pane } = addPane(now, opened.kind, opened.resource);
  return { ...next, root: splitNode(next, group, pane.id, direction) };
}

/** Close a pane; its neighbour becomes active. */
export function closePane(now: Arrangement, id: string): Arrangement {
  const group = groupOf(now, id);
  if (!group) return now;
  const { [id]: _closed, ...panes } = now.panes;
  const root = withoutTab(now.root, group, id);
  const at = group.panes.indexOf(id);
  const rest = group.panes.filter((one) => one !== id);
  const neighbour = rest[Math.min(at, rest.length - 1)] ?? groups(root)[0]?.active ?? "";
  return { ...now, panes, root, focused: now.focused === id ? neighbour : now.focused };
}

/** Bring a pane to the front of its tabs. */
export function focusPane(now: Arrangement, id: string): Arrangement {
  const group = groupOf(now, id);
  if (!group || (now.focused === id && group.active === id)) return now;
  return { ...now, focused: id, root: replaceNode(now.root, group.id, { ...group, active: id }) };
}

/** Move a pane into the next or the previous group. */
export function moveToNeighbour(now: Arrangement, id: string, step: 1 | -1): Arrangement {
  const all = groups(now.root);
  const from = all.findIndex((group) => group.panes.includes(id));
  const to = all[(from + step + all.length) % all.length];
  const source = all[from];
  if (!source || !to || source === to) return now;
  const root = replaceNode(withoutTab(now.root, source, id), to.id, withTab(to, id));
  return { ...now, root, focused: id };
}

/** Open and focus a pane, and give its kind a new resource, such as the id of a terminal that started. */
export function setResource(now: Arrangement, id: string, resource: string): Arrangement {
  const pane = now.panes[id];
  if (!pane || pane.resource === resource) return now;
  return { ...now, panes: { ...now.panes, [id]: { ...pane, resource } } };
}

/** All groups, in reading order. */
export function groups(node: LayoutNode | null): TabGroup[] {
  if (!node) return [];
  return node.type === "tabs" ? [node] : node.children.flatMap(groups);
}

/** The panes in reading order. */
export const panesInOrder = (now: Arrangement): Pane[] =>
  groups(now.root).flatMap((group) => group.panes.flatMap((id) => now.panes[id] ?? []));

/** The tree without the panes of some kinds, such as those that are drawers on a narrow screen. */
export function withoutKinds(now: Arrangement, kinds: ReadonlySet<PaneKind>): LayoutNode | null {
  return panesInOrder(now)
    .filter((pane) => kinds.has(pane.kind))
    .reduce<LayoutNode | null>((root, { id }) => {
      const group = groups(root).find((one) => one.panes.includes(id));
      return group ? withoutTab(root, group, id) : root;
    }, now.root);
}

/** Whether a value from storage is an arrangement that can be drawn. */
export function isArrangement(value: unknown): value is Arrangement {
  if (typeof value !== "object" || value === null) return false;
  const { root, panes, focused, count } = value as Partial<Arrangement>;
  if (typeof panes !== "object" || panes === null) return false;
  if (typeof focused !== "string" || typeof count !== "number" || root === undefined) return false;
  const isPane = (pane: Pane) => PANE_KINDS.includes(pane.kind) && typeof pane.resource === "string";
  try {
    const shown = groups(root).flatMap((group) => group.panes);
    return shown.length === Object.keys(panes).length && shown.every((id) => panes[id] && isPane(panes[id]));
  } catch {
    return false;
  }
}

// ---- private ------------------------------------------------------------------------------------

function addPane(now: Arrangement, kind: PaneKind, resource: string) {
  const count = now.count + 1;
  const pane: Pane = { id: `${kind}-${count}`, kind, resource: SINGLE_KINDS.has(kind) ? "" : resource };
  const next = { ...now, count, panes: { ...now.panes, [pane.id]: pane }, focused: pane.id };
  return { next, pane };
}

const groupOf = (now: Arrangement, id: string) => groups(now.root).find((group) => group.panes.includes(id));

const newGroup = (now: Arrangement, pane: string): TabGroup => ({
  type: "tabs",
  id: `group-${now.count}-${pane}`,
  panes: [pane],
  active: pane,
});

const withTab = (group: TabGroup, id: string): TabGroup => ({
  ...group,
  panes: [...group.panes, id],
  active: id,
});

function movePane(now: Arrangement, id: string, groupId: string, direction: Direction): Arrangement {
  const next = { ...now, count: now.count + 1, focused: id };
  const source = groupOf(now, id);
  const root = source ? withoutTab(now.root, source, id) : now.root;
  const target = groups(root).find((group) => group.id === groupId);
  if (!target) return now;
  return { ...next, root: splitNode({ ...next, root }, target, id, direction) };
}

/** The tree in which a group is replaced by itself and a new group beside or below it. */
function splitNode(now: Arrangement, group: TabGroup, pane: string, direction: Direction): LayoutNode | null {
  const split: Split = {
    type: "split",
    id: `split-${now.count}-${pane}`,
    direction,
    children: [group, newGroup(now, pane)],
  };
  return flatten(replaceNode(now.root, group.id, split));
}

function replaceNode(node: LayoutNode | null, id: string, by: LayoutNode): LayoutNode | null {
  if (!node) return null;
  if (node.id === id) return by;
  if (node.type === "tabs") return node;
  return { ...node, children: node.children.flatMap((child) => replaceNode(child, id, by) ?? []) };
}

function withoutTab(root: LayoutNode | null, group: TabGroup, id: string): LayoutNode | null {
  const at = group.panes.indexOf(id);
  const panes = group.panes.filter((one) => one !== id);
  if (panes.length === 0) return flatten(removeNode(root, group.id));
  const active = group.active === id ? (panes[Math.min(at, panes.length - 1)] ?? "") : group.active;
  return replaceNode(root, group.id, { ...group, panes, active });
}

function removeNode(node: LayoutNode | null, id: string): LayoutNode | null {
  if (!node || node.id === id) return null;
  if (node.type === "tabs") return node;
  return { ...node, children: node.children.flatMap((child) => removeNode(child, id) ?? []) };
}

/** Splits with one child become that child; a split in a split of the same direction joins it. */
function flatten(node: LayoutNode | null): LayoutNode | null {
  if (!node || node.type === "tabs") return node;
  const children = node.children.flatMap((child) => {
    const flat = flatten(child);
    if (flat?.type === "split" && flat.direction === node.direction) return flat.children;
    return flat ?? [];
  });
  const [only] = children;
  if (!only) return null;
  return children.length === 1 ? only : { ...node, children };
}
