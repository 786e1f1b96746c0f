/** A question in the chat of the workbench: its number, because the dock shows the card. */

import { useMe } from "@/api/queries";
import { OutcomeLine } from "@/inbox/OutcomeLine";
import type { QuestionCardProps } from "@/inbox/QuestionCard";
import { QuestionCard } from "@/inbox/QuestionCard";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import { useWorkbench } from "../services";
import { HeldNumber } from "./HeldNumber";
import { heldHeadline, useHeldCalls } from "./heldCalls";

export function HeldRow(props: QuestionCardProps) {
  const t = useTranslate();
  const { approval, token } = props;
  const me = useMe().data?.id ?? "";
  const { conversation } = useWorkbench();
  const number = useHeldCalls(conversation.id).find((one) => one.approval.id === approval.id)?.number;
  // Only its conversation has the token that applies a proposal.
  if (token) return <QuestionCard {...props} />;
  return (
    <div className="box flex flex-wrap items-center gap-x-2.5 gap-y-1 px-3.5 py-2">
      {number !== undefined && <HeldNumber number={number} />}
      <code className="min-w-0 grow truncate font-medium">
        <VisibleText text={heldHeadline(approval)} />
      </code>
      {approval.state === "pending" ? (
        <b className="font-semibold text-ask">{t("needsYourOk")}</b>
      ) : (
        <OutcomeLine approval={approval} me={me} />
      )}
    </div>
  );
}
