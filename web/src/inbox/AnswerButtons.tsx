/** The answer buttons: allow on the left, deny on the right. Locked questions show deny first. */
import { useState } from "react";
import type { Approval } from "@/api/types";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Icon } from "@/ui/Icon";
import { Sentence } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import { HoldButton } from "./HoldButton";
import { confirmationWord, needsConfirmation } from "./question";

export type AnswerPanel = "none" | "always" | "edit" | "reason";

type AnswerButtonsProps = {
  approval: Approval;
  armed: boolean;
  busy: boolean;
  /** Why the buttons are disabled; empty if they are enabled. */
  disabledReason: string;
  /** Whether a part of the call has not been shown yet. */
  unseen: boolean;
  /** Whether the call cannot be allowed here: a part was not shown, or the proposal's token is missing. */
  yesDisabled: boolean;
  /** Whether an answer may also allow later calls. */
  canWiden: boolean;
  /** The rules that the answer "for this conversation" would add. */
  reach: readonly string[];
  onShowAll: () => void;
  onOnce: () => void;
  onConversation: () => void;
  onDeny: () => void;
  onLater: () => void;
  onPanel: (panel: AnswerPanel) => void;
  canPress: () => boolean;
};

export function AnswerButtons(props: AnswerButtonsProps) {
  const t = useTranslate();
  const { approval, disabledReason, unseen, yesDisabled, canWiden, reach, onShowAll } = props;
  // Disabled buttons stay in place, so that the layout does not move.
  const answerProps = { ...props, busy: props.busy || disabledReason !== "" };
  return (
    <>
      {unseen && (
        <p className="flex flex-wrap items-center gap-3 border-t border-line py-2.5 text-ink-2">
          <Icon name="read" size="small" />
          {t("openFirst")}
          <Button small hotkey="X" onClick={onShowAll}>
            {t("showAll")}
          </Button>
        </p>
      )}
      {needsConfirmation(approval) ? (
        <LockedAnswerButtons {...answerProps} />
      ) : (
        <UnlockedAnswerButtons {...answerProps} />
      )}
      {approval.delivery === "propose" && !unseen && yesDisabled && (
        <p className="reach">{t("proposalElsewhere")}</p>
      )}
      {canWiden && approval.call.conversation && reach.length > 0 && (
        <p className="reach">
          <Sentence text={t("reach", { rules: reach.map((one) => `\`${one}\``).join(", ") })} />
        </p>
      )}
      {disabledReason ? (
        <p className="answers-note">
          <Icon name="offline" size="small" /> {disabledReason}
        </p>
      ) : (
        <ArmingNote armed={props.armed} />
      )}
    </>
  );
}

function UnlockedAnswerButtons({
  approval,
  busy,
  yesDisabled,
  canWiden,
  onOnce,
  onConversation,
  onDeny,
  onLater,
  onPanel,
}: AnswerButtonsProps) {
  const t = useTranslate();
  return (
    <div className="answers">
      <div className="answers-yes">
        <Button look="go" hotkey="Y" disabled={busy || yesDisabled} onClick={onOnce}>
          {t(approval.delivery === "propose" ? "apply" : "allowOnce")}
        </Button>
        {canWiden && approval.call.conversation && (
          <Button className="btn-mid" disabled={busy} onClick={onConversation}>
            <span className="long-word">{t("allowConversation")}</span>
            <span className="short-word">{t("allowConversationShort")}</span>
          </Button>
        )}
        {canWiden && (
          <Button className="btn-mid" hotkey="A" disabled={busy} onClick={() => onPanel("always")}>
            {t("always")}
          </Button>
        )}
      </div>
      <DenyButtons busy={busy} onDeny={onDeny} onLater={onLater} onPanel={onPanel} />
    </div>
  );
}

function DenyButtons({
  busy,
  onDeny,
  onLater,
  onPanel,
}: Pick<AnswerButtonsProps, "busy" | "onDeny" | "onLater" | "onPanel">) {
  const t = useTranslate();
  return (
    <div className="answers-no">
      <Button look="quiet" hotkey="L" disabled={busy} onClick={onLater}>
        {t("later")}
      </Button>
      <Button look="quiet" disabled={busy} onClick={() => onPanel("reason")}>
        {t("sayWhy")}
      </Button>
      <Button look="stop" hotkey="N" disabled={busy} onClick={onDeny}>
        {t("denyButton")}
      </Button>
    </div>
  );
}

function LockedAnswerButtons({
  approval,
  busy,
  yesDisabled,
  onOnce,
  onDeny,
  onLater,
  onPanel,
  canPress,
}: AnswerButtonsProps) {
  const t = useTranslate();
  const destructive = approval.tool.effect === "destructive";
  return (
    <div className={`answers ${destructive ? "answers-typed" : "answers-locked"}`}>
      <div className="answers-yes">
        <Button look="stop" hotkey="N" disabled={busy} onClick={onDeny}>
          {t("denyButton")}
        </Button>
        <Button look="quiet" disabled={busy} onClick={() => onPanel("reason")}>
          {t("sayWhy")}
        </Button>
        <Button look="quiet" hotkey="L" disabled={busy} onClick={onLater}>
          {t("later")}
        </Button>
      </div>
      <div className="answers-no">
        {destructive ? (
          <TypedConfirmation approval={approval} disabled={busy || yesDisabled} onYes={onOnce} />
        ) : (
          <HoldButton disabled={busy || yesDisabled} onHeld={onOnce} canStart={canPress}>
            {t("holdToAllow")}
          </HoldButton>
        )}
      </div>
    </div>
  );
}

/** Allow a destructive call: the person types its confirmation word. */
function TypedConfirmation({
  approval,
  disabled,
  onYes,
}: {
  approval: Approval;
  disabled: boolean;
  onYes: () => void;
}) {
  const t = useTranslate();
  const noun = confirmationWord(approval);
  const [typed, setTyped] = useState("");
  const matches = typed.trim().toLowerCase() === noun;
  return (
    <form
      className="whole flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (matches && !disabled) onYes();
      }}
    >
      <TextField
        label={t("typeToAllow", { noun })}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button type="submit" disabled={disabled || !matches}>
        {t("allowOnce")}
      </Button>
    </form>
  );
}

function ArmingNote({ armed }: { armed: boolean }) {
  const t = useTranslate();
  return (
    <p className={`arming ${armed ? "" : "arming-waiting"}`}>
      <Icon name="keys" size="small" />
      {t(armed ? "armed" : "arming")}
      <i aria-hidden="true" />
    </p>
  );
}
