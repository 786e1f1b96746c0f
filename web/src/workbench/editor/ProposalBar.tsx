/** The bar over a proposed change: Accept and Decline answer the same question that the dock shows. */
import { useRef } from "react";
import { useApproval } from "@/api/queries";
import { mergeLatestState, useSendAnswer } from "@/inbox/answering";
import { needsConfirmation } from "@/inbox/question";
import { useArming } from "@/keys/useArming";
import { useConnectionStatus } from "@/live/status";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { useTranslate } from "@/words/words";
import { HeldNumber } from "../dock/HeldNumber";
import type { HeldCall } from "../dock/heldCalls";
import type { Proposal } from "./documents";

type HeldProposalBarProps = {
  held: HeldCall;
  /** Whether the file is no longer the one that the agent read. */
  stale: boolean;
  showsProposal: boolean;
  onShow: () => void;
};

export function HeldProposalBar({ held, stale, showsProposal, onShow }: HeldProposalBarProps) {
  const t = useTranslate();
  const element = useRef<HTMLDivElement>(null);
  const approval = mergeLatestState(useApproval(held.approval.id).data, held.approval);
  const { online } = useConnectionStatus();
  const answering = useSendAnswer(approval);
  const arming = useArming(element, {
    showing: `${approval.id} ${approval.state} ${approval.digest} ${showsProposal}`,
    selected: false,
    onKey: () => {},
  });
  // What was not shown here is answered on the card, which shows all of it.
  const canAccept =
    showsProposal &&
    !stale &&
    !approval.clipped &&
    !needsConfirmation(approval) &&
    online &&
    !answering.isPending;
  const answer = (say: "once" | "deny") => {
    const click = arming.click();
    if (click === "counts") answering.mutate({ say });
    else showToast(t(click === "returns" ? "clickOnlyFocused" : "tooSoon"), "clock");
  };
  return (
    <div ref={element} className="editor-bar tone-ask" role="status" data-armed={arming.armed}>
      <HeldNumber number={held.number} />
      <span className="grow">
        <b className="font-semibold">{t("proposedBy", { agent: approval.call.agent })}</b>{" "}
        {t(stale ? "proposalStale" : "notSavedYet")}
      </span>
      <Button small look="quiet" onClick={onShow}>
        {t(showsProposal ? "showFile" : "showProposal")}
      </Button>
      <Button small look="stop" disabled={!online || answering.isPending} onClick={() => answer("deny")}>
        {t("decline")}
      </Button>
      <Button small look="go" disabled={!canAccept} onClick={() => answer("once")}>
        {t("accept")}
      </Button>
    </div>
  );
}

/** A change that the policy let run, and that still waits for a person to accept it. */
export function ProposalBar({ proposal }: { proposal: Proposal }) {
  const t = useTranslate();
  return (
    <div className="editor-bar tone-edit" role="status">
      <span className="grow">
        <b className="font-semibold">{t("proposedEdit")}</b> {t("notSavedYet")}
      </span>
      <Button small look="stop" onClick={proposal.decline}>
        {t("decline")}
      </Button>
      <Button small look="go" onClick={() => void proposal.accept()}>
        {t("accept")}
      </Button>
    </div>
  );
}
