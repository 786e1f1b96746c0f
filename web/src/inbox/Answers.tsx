/** The answers: yes on the left, no on the right; locked ones put no first and ask for a deliberate yes. */
import { useState } from "react";
import type { Approval } from "@/api/types";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Icon } from "@/ui/Icon";
import { Sentence } from "@/ui/VisibleText";
import { useSay } from "@/words/words";
import { HoldButton } from "./HoldButton";
import { isHeld, nounOf } from "./question";

export type Panel = "none" | "always" | "edit" | "reason";

type Props = {
  approval: Approval;
  armed: boolean;
  busy: boolean;
  /** Why no answer can be given now; empty if one can. */
  barred: string;
  /** Something of the act has not been shown yet. */
  unseen: boolean;
  /** No yes can be given here: not all was seen, or a proposal's token is in its conversation. */
  barredYes: boolean;
  /** A yes may reach further than this call. */
  mayWiden: boolean;
  /** What a yes for the conversation would cover, as rules spell it. */
  reach: readonly string[];
  onShowAll: () => void;
  onOnce: () => void;
  onConversation: () => void;
  onDeny: () => void;
  onLater: () => void;
  onPanel: (panel: Panel) => void;
  mayPress: () => boolean;
};

export function Answers(props: Props) {
  const say = useSay();
  const { approval, barred, unseen, barredYes, mayWiden, reach, onShowAll } = props;
  // What cannot be pressed now stands where it always stands: nobody has to look for it later.
  const given = { ...props, busy: props.busy || barred !== "" };
  return (
    <>
      {unseen && (
        <p className="flex flex-wrap items-center gap-3 border-t border-line py-2.5 text-ink-2">
          <Icon name="read" size="small" />
          {say("openFirst")}
          <Button small hotkey="X" onClick={onShowAll}>
            {say("showAll")}
          </Button>
        </p>
      )}
      {isHeld(approval) ? <LockedAnswers {...given} /> : <OpenAnswers {...given} />}
      {approval.delivery === "propose" && !unseen && barredYes && (
        <p className="reach">{say("proposalElsewhere")}</p>
      )}
      {mayWiden && approval.call.conversation && reach.length > 0 && (
        <p className="reach">
          <Sentence text={say("reach", { rules: reach.map((one) => `\`${one}\``).join(", ") })} />
        </p>
      )}
      {barred ? (
        <p className="answers-note">
          <Icon name="offline" size="small" /> {barred}
        </p>
      ) : (
        <Arming armed={props.armed} />
      )}
    </>
  );
}

function OpenAnswers({
  approval,
  busy,
  barredYes,
  mayWiden,
  onOnce,
  onConversation,
  onDeny,
  onLater,
  onPanel,
}: Props) {
  const say = useSay();
  return (
    <div className="answers">
      <div className="answers-yes">
        <Button look="go" hotkey="Y" disabled={busy || barredYes} onClick={onOnce}>
          {say(approval.delivery === "propose" ? "apply" : "allowOnce")}
        </Button>
        {mayWiden && approval.call.conversation && (
          <Button className="btn-mid" disabled={busy} onClick={onConversation}>
            <span className="long-word">{say("allowConversation")}</span>
            <span className="short-word">{say("allowConversationShort")}</span>
          </Button>
        )}
        {mayWiden && (
          <Button className="btn-mid" hotkey="A" disabled={busy} onClick={() => onPanel("always")}>
            {say("always")}
          </Button>
        )}
      </div>
      <No busy={busy} onDeny={onDeny} onLater={onLater} onPanel={onPanel} />
    </div>
  );
}

function No({ busy, onDeny, onLater, onPanel }: Pick<Props, "busy" | "onDeny" | "onLater" | "onPanel">) {
  const say = useSay();
  return (
    <div className="answers-no">
      <Button look="quiet" hotkey="L" disabled={busy} onClick={onLater}>
        {say("later")}
      </Button>
      <Button look="quiet" disabled={busy} onClick={() => onPanel("reason")}>
        {say("sayWhy")}
      </Button>
      <Button look="stop" hotkey="N" disabled={busy} onClick={onDeny}>
        {say("denyButton")}
      </Button>
    </div>
  );
}

function LockedAnswers({ approval, busy, barredYes, onOnce, onDeny, onLater, onPanel, mayPress }: Props) {
  const say = useSay();
  const destructive = approval.tool.effect === "destructive";
  return (
    <div className={`answers ${destructive ? "answers-typed" : "answers-locked"}`}>
      <div className="answers-yes">
        <Button look="stop" hotkey="N" disabled={busy} onClick={onDeny}>
          {say("denyButton")}
        </Button>
        <Button look="quiet" disabled={busy} onClick={() => onPanel("reason")}>
          {say("sayWhy")}
        </Button>
        <Button look="quiet" hotkey="L" disabled={busy} onClick={onLater}>
          {say("later")}
        </Button>
      </div>
      <div className="answers-no">
        {destructive ? (
          <TypedYes approval={approval} disabled={busy || barredYes} onYes={onOnce} />
        ) : (
          <HoldButton disabled={busy || barredYes} onHeld={onOnce} mayStart={mayPress}>
            {say("holdToAllow")}
          </HoldButton>
        )}
      </div>
    </div>
  );
}

/** A yes to what cannot be undone: its noun has to be typed. */
function TypedYes({
  approval,
  disabled,
  onYes,
}: {
  approval: Approval;
  disabled: boolean;
  onYes: () => void;
}) {
  const say = useSay();
  const noun = nounOf(approval);
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
        label={say("typeToAllow", { noun })}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button type="submit" disabled={disabled || !matches}>
        {say("allowOnce")}
      </Button>
    </form>
  );
}

function Arming({ armed }: { armed: boolean }) {
  const say = useSay();
  return (
    <p className={`arming ${armed ? "" : "arming-waiting"}`}>
      <Icon name="keys" size="small" />
      {say(armed ? "armed" : "arming")}
      <i aria-hidden="true" />
    </p>
  );
}
