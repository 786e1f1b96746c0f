/** Draws the content of each open pane into an element of its own, and reports the pane to agents. */
import { PaneInstance } from "assent-sdk/react";
import { Suspense, useEffect, useMemo, useRef } from "react";
import { createPortal } from "react-dom";
import { ErrorBoundary } from "@/shell/ErrorBoundary";
import { Skeleton } from "@/ui/states";
import { PANE_COMPONENTS, useKindLabel } from "../panes/kinds";
import { useWorkbench } from "../services";
import { type Pane, panesInOrder } from "./arrangement";
import { useArrangement } from "./layoutStore";
import type { PaneElements } from "./PaneLayout";

/** The elements of all panes; each one lives as long as the workbench. */
export function usePaneElements(): PaneElements {
  const made = useRef(new Map<string, HTMLElement>());
  return useMemo(
    () => ({
      of: (id) => {
        const known = made.current.get(id);
        if (known) return known;
        const element = document.createElement("div");
        element.className = "pane-content";
        made.current.set(id, element);
        return element;
      },
    }),
    [],
  );
}

export function PaneHost({ elements }: { elements: PaneElements }) {
  const { layout } = useWorkbench();
  const now = useArrangement(layout);
  return panesInOrder(now).map((pane) => (
    <PaneContent key={pane.id} pane={pane} focused={pane.id === now.focused} element={elements.of(pane.id)} />
  ));
}

type PaneContentProps = { pane: Pane; focused: boolean; element: HTMLElement };

function PaneContent({ pane, focused, element }: PaneContentProps) {
  const { registry } = useWorkbench();
  const title = useKindLabel()(pane);
  const Content = PANE_COMPONENTS[pane.kind];
  useEffect(() => {
    const opened = registry.openPane({ instanceId: pane.id, kind: pane.kind, title, focused });
    return opened.close;
  }, [registry, pane.id, pane.kind, title, focused]);
  return createPortal(
    <PaneInstance id={pane.id}>
      <ErrorBoundary>
        <Suspense fallback={<Skeleton rows={4} />}>{Content && <Content pane={pane} />}</Suspense>
      </ErrorBoundary>
    </PaneInstance>,
    element,
  );
}
