/** The label of a tab: its icon, name, and what waits or is unsaved there. */
import { Icon } from "@/ui/Icon";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import { HeldNumber } from "../dock/HeldNumber";
import { placeOf, useHeldCalls } from "../dock/heldCalls";
import { useDocument } from "../editor/documents";
import type { Pane } from "../layout/arrangement";
import { useWorkbench } from "../services";
import { PANE_ICONS, useKindLabel } from "./kinds";

export function PaneTab({ pane }: { pane: Pane }) {
  const t = useTranslate();
  const label = useKindLabel();
  const { conversation, documents } = useWorkbench();
  const open = useDocument(documents, pane.kind === "editor" ? pane.resource : "");
  const held = useHeldCalls(conversation.id).filter(({ approval }) => {
    const place = placeOf(approval, documents.root);
    return place?.kind === pane.kind && (place.resource === "" || place.resource === pane.resource);
  });
  return (
    <>
      <Icon name={PANE_ICONS[pane.kind]} size="small" />
      <span className="truncate">
        <VisibleText text={label(pane)} />
      </span>
      {open?.dirty && (
        <span className="unsaved" title={t("unsaved")}>
          <span className="sr-only">{t("unsaved")}</span>
        </span>
      )}
      {held.map(({ approval, number }) => (
        <HeldNumber key={approval.id} number={number} />
      ))}
    </>
  );
}
