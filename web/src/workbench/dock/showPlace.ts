/** Shows where a held call belongs: its pane comes to the front and is outlined for a second. */
import { findPane, panesInOrder } from "../layout/arrangement";
import type { LayoutStore } from "../layout/layoutStore";
import type { Place } from "./heldCalls";

const OUTLINE_MS = 1_000;

export function showPlace(layout: LayoutStore, { kind, resource }: Place) {
  const known =
    findPane(layout.current, kind, resource) ??
    (kind === "editor" ? undefined : panesInOrder(layout.current).find((pane) => pane.kind === kind));
  const pane = known ?? layout.open(kind, resource);
  if (!pane) return;
  layout.focus(pane.id);
  requestAnimationFrame(() => {
    const tab = document.querySelector<HTMLElement>(`[data-pane="${CSS.escape(pane.id)}"]`);
    const group = tab?.closest<HTMLElement>(".pane");
    tab?.focus();
    group?.classList.add("shown-here");
    setTimeout(() => group?.classList.remove("shown-here"), OUTLINE_MS);
  });
}
