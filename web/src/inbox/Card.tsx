/** The card: one question, the same everywhere it is shown. */
import { useRef, useState } from "react";
import { useMe } from "@/api/queries";
import type { Approval, ApprovalDetail, Said } from "@/api/types";
import type { Meaning } from "@/keys/arming";
import { useArming } from "@/keys/useArming";
import { useOnline } from "@/live/status";
import { toast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { EffectChip } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { useNow } from "@/ui/now";
import { VisibleText } from "@/ui/VisibleText";
import type { Key } from "@/words/en";
import { clock, countdown, secondsSince, secondsUntil, span } from "@/words/time";
import { useWords } from "@/words/words";
import { ActView, isLoading, isLong } from "./ActView";
import { AlwaysEditor } from "./AlwaysEditor";
import { Answers, type Panel } from "./Answers";
import { useAnswer, useApply, useLater } from "./answering";
import { EditArguments } from "./EditArguments";
import { useWhole } from "./excerpt";
import { isOnceOnly } from "./fed";
import { Irreversible } from "./Irreversible";
import { OverLine } from "./OverLine";
import { actOf, actsOf, editedOf, headline, hiddenCharacters, isHeld, partsOf, saysOf } from "./question";
import { Remark } from "./Remark";
import { Said as SaidByAgent } from "./Said";
import { Versus } from "./Versus";
import { WhereLine } from "./WhereLine";
import { WhyView } from "./WhyView";

type Props = {
  approval: Approval | ApprovalDetail;
  /** Keys work on this card. */
  selected: boolean;
  /** What its conversation is called; null where that goes without saying. */
  title?: string | null | undefined;
  /** What applies a proposal, where its conversation shows it. */
  token?: string | undefined;
  /** Keys that mean something outside the card. */
  onMove?: (meaning: Meaning) => void;
  onAnswered?: () => void;
};

export function Card({ approval: given, selected, title, token, onMove, onAnswered }: Props) {
  const { say } = useWords();
  const approval = useWhole(given);
  const me = useMe().data?.id ?? "";
  const element = useRef<HTMLElement>(null);
  const [panel, setPanel] = useState<Panel>("none");
  const [whole, setWhole] = useState(false);
  const answering = useAnswer(approval);
  const later = useLater(approval);
  const applying = useApply(approval);
  const { online, since } = useOnline();
  const act = actOf(approval);
  const unseen = (isLong(act) && !whole) || isLoading(act) || approval.clipped;
  const edited = editedOf(approval);
  const open = approval.state === "pending";
  const busy = answering.isPending || later.isPending || applying.isPending;
  // A proposal is applied, by whoever has its token, or denied: no other yes is one.
  const proposal = approval.delivery === "propose";

  const give = (answer: Said) => {
    if (busy || !open || !online) return;
    answering.mutate(answer, { onSuccess: () => onAnswered?.() });
  };
  const once = () => {
    if (!proposal) give({ say: "once" });
    else if (token && !busy && open && online) applying.mutate(token);
  };
  const putOff = () =>
    open && online && !busy && later.mutate(undefined, { onSuccess: () => onAnswered?.() });
  const detail = hasDetail(approval) ? approval : null;
  const mayEdit = !proposal && !approval.clipped;
  const barredYes = unseen || (proposal && !token);
  const held = isHeld(approval);
  const mayAllow = !held && !barredYes;
  // What cannot be undone gets no lasting yes by the way: a rule for it is written on purpose.
  const mayWiden =
    approval.decision.always_offered &&
    actsOf(approval).length === 0 &&
    !unseen &&
    !proposal &&
    !isOnceOnly(approval) &&
    detail?.always.becomes !== "nothing";

  /** Keys that answer or open something, on a question that still waits. */
  const pressedKey = (meaning: Meaning) => {
    if (meaning === "show") return setWhole((shown) => !shown);
    if (!online || panel !== "none") return;
    if (meaning === "once" && mayAllow) once();
    if (meaning === "deny") give({ say: "deny" });
    if (meaning === "later") putOff();
    if (meaning === "always" && mayWiden && detail) setPanel("always");
    if (meaning === "edit" && mayEdit) setPanel("edit");
  };
  const arming = useArming(element, {
    showing: `${approval.id} ${approval.state} ${approval.digest}`,
    selected,
    onKey: (meaning) => {
      if (meaning === "back" && panel !== "none") setPanel("none");
      else if (meaning === "next" || meaning === "previous" || meaning === "back") onMove?.(meaning);
      else if (open) pressedKey(meaning);
    },
  });

  /** Whether a press on an answer counts; if not, the person is told why. */
  const mayPress = () => {
    const click = arming.click();
    if (click !== "counts") toast(say(click === "returns" ? "clickOnlyFocused" : "tooSoon"), "clock");
    return click === "counts";
  };
  const pressed = (then: () => void) => () => mayPress() && then();
  const back = () => setPanel("none");
  const hidden = hiddenCharacters(approval.call.args);

  return (
    <article
      ref={element}
      className={`card ${open ? "" : "card-over"} ${open && held ? "card-locked" : ""}`}
      aria-label={say("question", {
        agent: approval.call.agent,
        tool: approval.call.tool,
        what: headline(approval),
      })}
      tabIndex={-1}
      data-state={approval.state}
      data-armed={arming.armed}
    >
      {open && <Irreversible approval={approval} />}
      {open && approval.locked && <LockLine approval={approval} hidden={hidden} />}
      {open && !!approval.file?.changes && (
        <p className="lockline" role="status">
          <Icon name="warn" size="small" />
          {say("fileChanged")}
        </p>
      )}
      <Head approval={approval} />
      {edited && !open ? (
        <Versus approval={approval} ran={edited} />
      ) : (
        <ActView
          approval={approval}
          act={act}
          whole={whole}
          onShowAll={() => setWhole(true)}
          foot={
            open && (
              <Foot
                approval={approval}
                whole={whole}
                onEdit={mayEdit ? () => setPanel("edit") : undefined}
                onWhole={setWhole}
              />
            )
          }
        />
      )}
      {open ? (
        <>
          <WhyView approval={approval} suggestions={detail?.suggestions ?? []} />
          <WhereLine approval={approval} title={title} />
          {panel === "none" && (
            <Answers
              approval={approval}
              armed={arming.armed}
              busy={busy}
              barred={online ? "" : say("offlineAnswers", { time: since })}
              unseen={unseen}
              barredYes={barredYes}
              mayWiden={mayWiden}
              reach={detail?.always.conversation ?? []}
              onShowAll={() => setWhole(true)}
              onOnce={pressed(once)}
              onConversation={pressed(() => give({ say: "conversation" }))}
              onDeny={pressed(() => give({ say: "deny" }))}
              onLater={pressed(putOff)}
              onPanel={setPanel}
              mayPress={mayPress}
            />
          )}
          {panel === "always" && detail && (
            <AlwaysEditor approval={detail} busy={busy || !online} onAnswer={give} onBack={back} />
          )}
          {panel === "edit" && (
            <EditArguments
              approval={approval}
              busy={busy || !online}
              held={held}
              mayPress={mayPress}
              onAnswer={(args) => give({ say: "once", args })}
              onBack={back}
            />
          )}
          {panel === "reason" && (
            <Remark
              busy={busy || !online}
              onDeny={(reason) => give({ say: "deny", reason })}
              onAllow={mayAllow && !proposal ? (reason) => give({ say: "once", reason }) : undefined}
              onBack={back}
            />
          )}
        </>
      ) : (
        <OverLine approval={approval} me={me} />
      )}
      <SaidByAgent text={saysOf(approval)} />
    </article>
  );
}

const hasDetail = (approval: Approval | ApprovalDetail): approval is ApprovalDetail =>
  "suggestions" in approval;

function LockLine({ approval, hidden }: { approval: Approval; hidden: number }) {
  const { say } = useWords();
  const key = `locked.${approval.decision.stage}` as Key;
  const known = LOCKS.has(key);
  return (
    <p className="lockline">
      <Icon name="lock" size="small" />
      <span>
        {say(known ? key : "locked")} {hidden > 0 && say("hiddenCharacters", { count: hidden })}
      </span>
    </p>
  );
}

const LOCKS = new Set<string>(
  ["destructive", "breaker", "protected-path", "ask-rule", "unreadable", "unresolved", "changed"].map(
    (one) => `locked.${one}`,
  ),
);

function Head({ approval }: { approval: Approval }) {
  const { say, language } = useWords();
  const now = useNow();
  const open = approval.state === "pending";
  const left = approval.expires_at ? secondsUntil(approval.expires_at, now) : null;
  const soon = left !== null && left < 300;
  return (
    <header className="flex min-h-[46px] flex-wrap items-center gap-x-2.5 gap-y-1 pt-3">
      <EffectChip effect={approval.tool.effect} />
      <span className="mono font-medium break-all">
        <VisibleText text={approval.call.tool} />
      </span>
      <span className="grow" />
      {open && (
        <span
          className="meta inline-flex items-center gap-1 tabular-nums"
          title={clock(approval.asked_at, language)}
        >
          <Icon name="clock" size="small" />
          {say("waitingFor", { time: span(secondsSince(approval.asked_at, now)) })}
        </span>
      )}
      {open && left !== null && (
        <span
          className={`meta ${soon ? "inline-flex" : "hidden phone:inline-flex"} items-center gap-1 tabular-nums ${soon ? "!text-danger font-semibold" : ""}`}
        >
          <Icon name="history" size="small" />
          {say("expiresIn", { time: soon ? countdown(left) : span(left) })}
        </span>
      )}
    </header>
  );
}

type FootProps = {
  approval: Approval;
  whole: boolean;
  onEdit: (() => void) | undefined;
  onWhole: (whole: boolean) => void;
};

function Foot({ approval, whole, onEdit, onWhole }: FootProps) {
  const { say } = useWords();
  const act = actOf(approval);
  const text = act.kind === "command" ? act.text : JSON.stringify(approval.call.args, null, 2);
  const parts = act.kind === "command" ? partsOf(approval, act.text) : [];
  const asking = parts.filter((part) => part.verdict !== "run").length;
  const copy = async () => {
    await navigator.clipboard?.writeText(text);
    toast(say("copied"), "copy");
  };
  return (
    <div className="plate-foot">
      {parts.length > 1 ? (
        <span>
          {say("nCommands", { count: parts.length })}, {say("nAsk", { count: asking })}
        </span>
      ) : (
        <span>{say("nCharacters", { count: text.length })}</span>
      )}
      <span className="grow" />
      {isLong(act) && whole && (
        <Button look="quiet" small onClick={() => onWhole(false)}>
          {say("showLess")}
        </Button>
      )}
      {onEdit && (
        <Button look="quiet" small icon="edit" hotkey="E" onClick={onEdit}>
          {say("editArguments")}
        </Button>
      )}
      <Button look="quiet" small icon="copy" onClick={copy}>
        {say("copy")}
      </Button>
    </div>
  );
}
