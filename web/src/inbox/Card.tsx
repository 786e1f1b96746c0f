/** The card of one question, used on every page. */
import { useRef, useState } from "react";
import { useMe } from "@/api/queries";
import type { Approval, ApprovalDetail, Said } from "@/api/types";
import type { KeyAction } from "@/keys/arming";
import { useArming } from "@/keys/useArming";
import { useOnline } from "@/live/status";
import { toast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { EffectChip } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { useNow } from "@/ui/now";
import { VisibleText } from "@/ui/VisibleText";
import type { Key } from "@/words/en";
import { formatClock, formatCountdown, formatDuration, secondsSince, secondsUntil } from "@/words/time";
import { useLanguage } from "@/words/words";
import { ActView, isActLong, isChangeLoading } from "./ActView";
import { AgentDescription as SaidByAgent } from "./AgentDescription";
import { AlwaysEditor } from "./AlwaysEditor";
import { Answers, type Panel } from "./Answers";
import { ArgumentChanges } from "./ArgumentChanges";
import { useAnswer, useApply, usePostpone } from "./answering";
import { EditArguments } from "./EditArguments";
import { isOnceOnly } from "./fed";
import { useFullApproval } from "./fullApproval";
import { Irreversible } from "./Irreversible";
import { MessageForm } from "./MessageForm";
import { OriginLine } from "./OriginLine";
import { OutcomeLine } from "./OutcomeLine";
import {
  actFromApproval,
  agentDescription,
  commandParts,
  countHiddenCharacters,
  editedArguments,
  headline,
  irreversibleActs,
  needsConfirmation,
} from "./question";
import { WhyView } from "./WhyView";

type Props = {
  approval: Approval | ApprovalDetail;
  /** Whether keys act on this card. */
  selected: boolean;
  /** The title of its conversation; null if the page already shows it. */
  title?: string | null | undefined;
  /** The token that applies a proposal; only its conversation has it. */
  token?: string | undefined;
  /** Called for keys that act outside the card. */
  onMove?: (meaning: KeyAction) => void;
  onAnswered?: () => void;
};

export function Card({ approval: given, selected, title, token, onMove, onAnswered }: Props) {
  const { t } = useLanguage();
  const approval = useFullApproval(given);
  const me = useMe().data?.id ?? "";
  const element = useRef<HTMLElement>(null);
  const [panel, setPanel] = useState<Panel>("none");
  const [whole, setWhole] = useState(false);
  const answering = useAnswer(approval);
  const later = usePostpone(approval);
  const applying = useApply(approval);
  const { online, since } = useOnline();
  const act = actFromApproval(approval);
  const unseen = (isActLong(act) && !whole) || isChangeLoading(act) || approval.clipped;
  const edited = editedArguments(approval);
  const open = approval.state === "pending";
  const busy = answering.isPending || later.isPending || applying.isPending;
  // A proposal can only be applied with its token, or denied.
  const proposal = approval.delivery === "propose";

  const sendAnswer = (answer: Said) => {
    if (busy || !open || !online) return;
    answering.mutate(answer, { onSuccess: () => onAnswered?.() });
  };
  const allowOnce = () => {
    if (!proposal) sendAnswer({ say: "once" });
    else if (token && !busy && open && online) applying.mutate(token);
  };
  const postpone = () =>
    open && online && !busy && later.mutate(undefined, { onSuccess: () => onAnswered?.() });
  const detail = hasDetail(approval) ? approval : null;
  const canEdit = !proposal && !approval.clipped;
  const yesDisabled = unseen || (proposal && !token);
  const needsHold = needsConfirmation(approval);
  const canAllow = !needsHold && !yesDisabled;
  // An irreversible call offers no lasting answer; people can still write a rule for it.
  const canWiden =
    approval.decision.always_offered &&
    irreversibleActs(approval).length === 0 &&
    !unseen &&
    !proposal &&
    !isOnceOnly(approval) &&
    detail?.always.becomes !== "nothing";

  /** Handle keys that answer or open a panel, on a pending question. */
  const handleKey = (meaning: KeyAction) => {
    if (meaning === "show") return setWhole((shown) => !shown);
    if (!online || panel !== "none") return;
    if (meaning === "once" && canAllow) allowOnce();
    if (meaning === "deny") sendAnswer({ say: "deny" });
    if (meaning === "later") postpone();
    if (meaning === "always" && canWiden && detail) setPanel("always");
    if (meaning === "edit" && canEdit) setPanel("edit");
  };
  const arming = useArming(element, {
    showing: `${approval.id} ${approval.state} ${approval.digest}`,
    selected,
    onKey: (meaning) => {
      if (meaning === "back" && panel !== "none") setPanel("none");
      else if (meaning === "next" || meaning === "previous" || meaning === "back") onMove?.(meaning);
      else if (open) handleKey(meaning);
    },
  });

  /** Whether pressing an answer button has an effect now; if not, shows the reason. */
  const canPress = () => {
    const click = arming.click();
    if (click !== "counts") toast(t(click === "returns" ? "clickOnlyFocused" : "tooSoon"), "clock");
    return click === "counts";
  };
  const ifPressCounts = (then: () => void) => () => canPress() && then();
  const closePanel = () => setPanel("none");
  const hidden = countHiddenCharacters(approval.call.args);

  return (
    <article
      ref={element}
      className={`card ${open ? "" : "card-over"} ${open && needsHold ? "card-locked" : ""}`}
      aria-label={t("question", {
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
          {t("fileChanged")}
        </p>
      )}
      <CardHead approval={approval} />
      {edited && !open ? (
        <ArgumentChanges approval={approval} ran={edited} />
      ) : (
        <ActView
          approval={approval}
          act={act}
          whole={whole}
          onShowAll={() => setWhole(true)}
          foot={
            open && (
              <CardFoot
                approval={approval}
                whole={whole}
                onEdit={canEdit ? () => setPanel("edit") : undefined}
                onWhole={setWhole}
              />
            )
          }
        />
      )}
      {open ? (
        <>
          <WhyView approval={approval} suggestions={detail?.suggestions ?? []} />
          <OriginLine approval={approval} title={title} />
          {panel === "none" && (
            <Answers
              approval={approval}
              armed={arming.armed}
              busy={busy}
              disabledReason={online ? "" : t("offlineAnswers", { time: since })}
              unseen={unseen}
              yesDisabled={yesDisabled}
              canWiden={canWiden}
              reach={detail?.always.conversation ?? []}
              onShowAll={() => setWhole(true)}
              onOnce={ifPressCounts(allowOnce)}
              onConversation={ifPressCounts(() => sendAnswer({ say: "conversation" }))}
              onDeny={ifPressCounts(() => sendAnswer({ say: "deny" }))}
              onLater={ifPressCounts(postpone)}
              onPanel={setPanel}
              canPress={canPress}
            />
          )}
          {panel === "always" && detail && (
            <AlwaysEditor
              approval={detail}
              busy={busy || !online}
              onAnswer={sendAnswer}
              onBack={closePanel}
            />
          )}
          {panel === "edit" && (
            <EditArguments
              approval={approval}
              busy={busy || !online}
              needsHold={needsHold}
              canPress={canPress}
              onAnswer={(args) => sendAnswer({ say: "once", args })}
              onBack={closePanel}
            />
          )}
          {panel === "reason" && (
            <MessageForm
              busy={busy || !online}
              onDeny={(reason) => sendAnswer({ say: "deny", reason })}
              onAllow={canAllow && !proposal ? (reason) => sendAnswer({ say: "once", reason }) : undefined}
              onBack={closePanel}
            />
          )}
        </>
      ) : (
        <OutcomeLine approval={approval} me={me} />
      )}
      <SaidByAgent text={agentDescription(approval)} />
    </article>
  );
}

const hasDetail = (approval: Approval | ApprovalDetail): approval is ApprovalDetail =>
  "suggestions" in approval;

function LockLine({ approval, hidden }: { approval: Approval; hidden: number }) {
  const { t } = useLanguage();
  const key = `locked.${approval.decision.stage}` as Key;
  const known = LOCK_TEXTS.has(key);
  return (
    <p className="lockline">
      <Icon name="lock" size="small" />
      <span>
        {t(known ? key : "locked")} {hidden > 0 && t("hiddenCharacters", { count: hidden })}
      </span>
    </p>
  );
}

const LOCK_TEXTS = new Set<string>(
  ["destructive", "breaker", "protected-path", "ask-rule", "unreadable", "unresolved", "changed"].map(
    (one) => `locked.${one}`,
  ),
);

function CardHead({ approval }: { approval: Approval }) {
  const { t, language } = useLanguage();
  const now = useNow();
  const open = approval.state === "pending";
  const secondsLeft = approval.expires_at ? secondsUntil(approval.expires_at, now) : null;
  const soon = secondsLeft !== null && secondsLeft < 300;
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
          title={formatClock(approval.asked_at, language)}
        >
          <Icon name="clock" size="small" />
          {t("waitingFor", { time: formatDuration(secondsSince(approval.asked_at, now)) })}
        </span>
      )}
      {open && secondsLeft !== null && (
        <span
          className={`meta ${soon ? "inline-flex" : "hidden phone:inline-flex"} items-center gap-1 tabular-nums ${soon ? "!text-danger font-semibold" : ""}`}
        >
          <Icon name="history" size="small" />
          {t("expiresIn", { time: soon ? formatCountdown(secondsLeft) : formatDuration(secondsLeft) })}
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

function CardFoot({ approval, whole, onEdit, onWhole }: FootProps) {
  const { t } = useLanguage();
  const act = actFromApproval(approval);
  const text = act.kind === "command" ? act.text : JSON.stringify(approval.call.args, null, 2);
  const parts = act.kind === "command" ? commandParts(approval, act.text) : [];
  const asking = parts.filter((part) => part.verdict !== "run").length;
  const copy = async () => {
    await navigator.clipboard?.writeText(text);
    toast(t("copied"), "copy");
  };
  return (
    <div className="plate-foot">
      {parts.length > 1 ? (
        <span>
          {t("nCommands", { count: parts.length })}, {t("nAsk", { count: asking })}
        </span>
      ) : (
        <span>{t("nCharacters", { count: text.length })}</span>
      )}
      <span className="grow" />
      {isActLong(act) && whole && (
        <Button look="quiet" small onClick={() => onWhole(false)}>
          {t("showLess")}
        </Button>
      )}
      {onEdit && (
        <Button look="quiet" small icon="edit" hotkey="E" onClick={onEdit}>
          {t("editArguments")}
        </Button>
      )}
      <Button look="quiet" small icon="copy" onClick={copy}>
        {t("copy")}
      </Button>
    </div>
  );
}
