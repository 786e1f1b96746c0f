/** The dock: the questions of this conversation and of others, above the chat. It takes room and covers nothing. */
import { useEffect, useState } from "react";
import { useApproval, usePendingQuestions } from "@/api/queries";
import { useConversationTitles } from "@/chat/conversations";
import { mergeLatestState } from "@/inbox/answering";
import { QuestionCard } from "@/inbox/QuestionCard";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import { useWorkbench } from "../services";
import { HeldNumber } from "./HeldNumber";
import { heldHeadline, placeOf, useHeldCalls } from "./heldCalls";
import { showPlace } from "./showPlace";

export function Dock() {
  const t = useTranslate();
  const { conversation, layout, documents } = useWorkbench();
  const held = useHeldCalls(conversation.id);
  const titles = useConversationTitles();
  const { data: pending = [] } = usePendingQuestions();
  const others = pending.filter(
    (one) => one.state === "pending" && one.later_at === null && one.call.conversation !== conversation.id,
  );
  const all = [...held.map((one) => one.approval), ...others];
  const [chosen, setChosen] = useState("");
  const at = Math.max(
    0,
    all.findIndex((one) => one.id === chosen),
  );
  const current = all[at];
  const id = current?.id ?? "";
  // The list has no differences of files; the question itself has.
  const detail = useApproval(id).data;
  // The shown question of this conversation stays; one of another makes room, unless a person moved to it.
  const isHere = current?.call.conversation === conversation.id;
  useEffect(() => {
    if (isHere) setChosen(id);
  }, [isHere, id]);
  if (!current) return null;
  const number = held.find((one) => one.approval.id === current.id)?.number;
  const place = placeOf(current, documents.root);
  // A question of another conversation is one line until the person opens it: this one may need the room.
  const isFolded = !isHere && chosen === "";
  const move = (step: 1 | -1) => setChosen(all[(at + step + all.length) % all.length]?.id ?? "");
  const title = number === undefined ? titles[current.call.conversation] : null;
  return (
    <section className="dock" aria-label={t("dock")}>
      <header className="dock-head">
        {number === undefined ? <Icon name="ask" size="small" /> : <HeldNumber number={number} />}
        <b className="font-semibold">{t("needsYourOk")}</b>
        <span className="meta">{t("dockCount", { here: held.length, all: all.length })}</span>
        <span className="grow" />
        {isFolded ? (
          <Button small onClick={() => setChosen(id)}>
            {t("show")}
          </Button>
        ) : (
          all.length > 1 && (
            <>
              <Button small look="quiet" icon="back" aria-label={t("previous")} onClick={() => move(-1)} />
              <Button small look="quiet" icon="next" aria-label={t("next")} onClick={() => move(1)} />
            </>
          )
        )}
        {place && number !== undefined && (
          <Button
            small
            look="quiet"
            icon="external"
            aria-label={t("showWhere")}
            title={t("showWhere")}
            onClick={() => showPlace(layout, place)}
          />
        )}
      </header>
      {isFolded ? (
        <p className="dock-line truncate">
          <VisibleText text={`${title || current.call.agent || t("anyAgent")}: `} />
          <code>
            <VisibleText text={heldHeadline(current)} />
          </code>
        </p>
      ) : (
        <div className="dock-body">
          <QuestionCard
            key={current.id}
            approval={mergeLatestState(detail, current)}
            selected
            title={title}
            onMove={(meaning) => meaning !== "back" && move(meaning === "next" ? 1 : -1)}
          />
        </div>
      )}
    </section>
  );
}
