/** Draws the arrangement: splits that are resized by keys or pointer, and groups of tabs. */
import { DropdownMenu, Tabs } from "radix-ui";
import { Fragment, useEffect, useRef } from "react";
import { Group, Panel, Separator } from "react-resizable-panels";
import { Button } from "@/ui/Button";
import { useTranslate } from "@/words/words";
import { useKindLabel } from "../panes/kinds";
import { PaneTab } from "../panes/PaneTab";
import { useWorkbench } from "../services";
import type { LayoutNode, Pane, TabGroup } from "./arrangement";
import { useArrangement } from "./layoutStore";

const MIN_PANE_PX = 120;
/** The share of a split that a side pane gets at first, in percent. */
const SIDE_SHARE = 20;

export function PaneTree({ node, elements }: { node: LayoutNode; elements: PaneElements }) {
  const t = useTranslate();
  if (node.type === "tabs") return <PaneGroup group={node} elements={elements} />;
  const shares = initialShares(node.children);
  return (
    <Group orientation={node.direction} id={node.id} className="pane-split">
      {node.children.map((child, at) => (
        <Fragment key={child.id}>
          {at > 0 && <Separator className="pane-grip" aria-label={t("resizePanes")} />}
          <Panel id={child.id} minSize={MIN_PANE_PX} defaultSize={`${shares[at] ?? 50}%`}>
            <PaneTree node={child} elements={elements} />
          </Panel>
        </Fragment>
      ))}
    </Group>
  );
}

/** The stable element of each pane, into which its content is drawn. */
export type PaneElements = { of: (id: string) => HTMLElement };

/** Files and status are narrow at first; the rest is shared equally. */
function initialShares(children: readonly LayoutNode[]): number[] {
  const sides = children.map(isSide);
  const rest = sides.filter((side) => !side).length;
  if (rest === 0 || rest === children.length) return children.map(() => 100 / children.length);
  const left = 100 - SIDE_SHARE * (children.length - rest);
  return sides.map((side) => (side ? SIDE_SHARE : left / rest));
}

const isSide = (node: LayoutNode): boolean =>
  node.type === "tabs" ? node.panes.every((id) => /^(files|status)-/.test(id)) : node.children.every(isSide);

function PaneGroup({ group, elements }: { group: TabGroup; elements: PaneElements }) {
  const { layout } = useWorkbench();
  const { panes } = useArrangement(layout);
  const t = useTranslate();
  const label = useKindLabel();
  const shown = group.panes.flatMap((id) => panes[id] ?? []);
  const active = panes[group.active];
  return (
    <Tabs.Root
      className="pane"
      value={group.active}
      onValueChange={layout.focus}
      activationMode="manual"
      onFocusCapture={() => layout.focus(group.active)}
    >
      <div className="pane-head">
        <Tabs.List className="pane-tabs" aria-label={t("openPanes")}>
          {shown.map((pane) => (
            <Tabs.Trigger key={pane.id} value={pane.id} className="pane-tab" data-pane={pane.id}>
              <PaneTab pane={pane} />
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {active && <PaneMenu pane={active} isAlone={shown.length === 1} name={label(active)} />}
      </div>
      {shown.map((pane) => (
        <Tabs.Content key={pane.id} value={pane.id} className="pane-body" tabIndex={-1}>
          <PaneSlot element={elements.of(pane.id)} />
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}

/** Places the element of a pane here; the pane keeps its state when it moves. */
export function PaneSlot({ element }: { element: HTMLElement }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.append(element);
    return () => element.remove();
  }, [element]);
  return <div ref={place} className="contents" />;
}

function PaneMenu({ pane, isAlone, name }: { pane: Pane; isAlone: boolean; name: string }) {
  const t = useTranslate();
  const { layout } = useWorkbench();
  const items = [
    { label: t("splitRight"), run: () => layout.split(pane.id, "horizontal", null), off: isAlone },
    { label: t("splitDown"), run: () => layout.split(pane.id, "vertical", null), off: isAlone },
    { label: t("moveNext"), run: () => layout.move(pane.id, 1), off: false },
    { label: t("movePrevious"), run: () => layout.move(pane.id, -1), off: false },
    { label: t("closePane"), run: () => layout.close(pane.id), off: false },
  ];
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button look="quiet" small icon="more" aria-label={t("paneMenu", { name })} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={4} collisionPadding={12}>
          {items.map(({ label, run, off }) => (
            <DropdownMenu.Item key={label} className="menu-item" disabled={off} onSelect={run}>
              <span />
              <span>{label}</span>
              <span />
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** A pane over the others, for kinds that have no room on a narrow screen. */
export function PaneDrawer({
  pane,
  elements,
  onClose,
}: {
  pane: Pane;
  elements: PaneElements;
  onClose: () => void;
}) {
  const t = useTranslate();
  const label = useKindLabel();
  const element = useRef<HTMLElement>(null);
  useEffect(() => element.current?.focus(), []);
  return (
    <section
      ref={element}
      className="pane pane-drawer"
      aria-label={label(pane)}
      tabIndex={-1}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <div className="pane-head">
        <h2 className="pane-title">{label(pane)}</h2>
        <Button look="quiet" small icon="close" aria-label={t("close")} onClick={onClose} />
      </div>
      <div className="pane-body">
        <PaneSlot element={elements.of(pane.id)} />
      </div>
    </section>
  );
}
