/** The card of one question, used on every page. */
import { useRef, useState } from "react";
import { useMe } from "@/api/queries";
import type { Approval, ApprovalDetail, Said } from "@/api/types";
import type { KeyAction } from "@/keys/arming";
import { useArming } from "@/keys/useArming";
import { useConnectionStatus } from "@/live/status";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { EffectChip } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { useNow } from "@/ui/now";
import { VisibleText } from "@/ui/VisibleText";
import type { TextKey } from "@/words/en";
import { formatCountdown, formatDayAndTime, formatDuration, secondsSince, secondsUntil } from "@/words/time";
import { useLanguage } from "@/words/words";
import { AgentDescription as SaidByAgent } from "./AgentDescription";
import { AlwaysEditor } from "./AlwaysEditor";
import { AnswerButtons, type AnswerPanel } from "./AnswerButtons";
import { ArgumentChanges } from "./ArgumentChanges";
import { ArgumentEditor } from "./ArgumentEditor";
import { useApplyProposal, usePostponeQuestion, useSendAnswer } from "./answering";
import { CallContentView, isCallContentLong, isFileChangeLoading } from "./CallContentView";
import { canOnlyAllowOnce } from "./commandInput";
import { useFullApproval } from "./fullApproval";
import { IrreversibleWarning } from "./IrreversibleWarning";
import { MessageForm } from "./MessageForm";
import { OriginLine } from "./OriginLine";
import { OutcomeLine } from "./OutcomeLine";
import {
  agentDescription,
  callContentFromApproval,
  commandParts,
  countHiddenCharactersInJson,
  editedArguments,
  irreversibleActs,
  needsConfirmation,
  questionHeadline,
} from "./question";
import { ReasonView } from "./ReasonView";

export type QuestionCardProps = {
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

export function QuestionCard({
  approval: given,
  selected,
  title,
  token,
  onMove,
  onAnswered,
}: QuestionCardProps) {
  const { t } = useLanguage();
  const approval = useFullApproval(given);
  const me = useMe().data?.id ?? "";
  const element = useRef<HTMLElement>(null);
  const [panel, setPanel] = useState<AnswerPanel>("none");
  const [whole, setWhole] = useState(false);
  const answering = useSendAnswer(approval);
  const later = usePostponeQuestion(approval);
  const applying = useApplyProposal(approval);
  const { online, since } = useConnectionStatus();
  const act = callContentFromApproval(approval);
  const unseen = (isCallContentLong(act) && !whole) || isFileChangeLoading(act) || approval.clipped;
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
  const detail = isDetailLoaded(approval) ? approval : null;
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
    !canOnlyAllowOnce(approval) &&
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
    if (click !== "counts") showToast(t(click === "returns" ? "clickOnlyFocused" : "tooSoon"), "clock");
    return click === "counts";
  };
  const ifPressCounts = (then: () => void) => () => canPress() && then();
  const closePanel = () => setPanel("none");
  const hidden = countHiddenCharactersInJson(approval.call.args);

  return (
    <article
      ref={element}
      className={`card ${open ? "" : "card-over"} ${open && needsHold ? "card-locked" : ""}`}
      aria-label={t("question", {
        agent: approval.call.agent,
        tool: approval.call.tool,
        what: questionHeadline(approval),
      })}
      tabIndex={-1}
      data-state={approval.state}
      data-armed={arming.armed}
    >
      {open && <IrreversibleWarning approval={approval} />}
      {open && approval.locked && <LockReasonLine approval={approval} hidden={hidden} />}
      {open && !!approval.file?.changes && (
        <p className="lockline" role="status">
          <Icon name="warn" size="small" />
          {t("fileChanged")}
        </p>
      )}
      <QuestionCardHeader approval={approval} />
      {edited && !open ? (
        <ArgumentChanges approval={approval} ran={edited} />
      ) : (
        <CallContentView
          approval={approval}
          act={act}
          whole={whole}
          onShowAll={() => setWhole(true)}
          foot={
            open && (
              <QuestionCardFooter
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
          <ReasonView approval={approval} suggestions={detail?.suggestions ?? []} />
          <OriginLine approval={approval} title={title} />
          {panel === "none" && (
            <AnswerButtons
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
            <ArgumentEditor
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

const isDetailLoaded = (approval: Approval | ApprovalDetail): approval is ApprovalDetail =>
  "suggestions" in approval;

function LockReasonLine({ approval, hidden }: { approval: Approval; hidden: number }) {
  const { t } = useLanguage();
  const key = `locked.${approval.decision.stage}` as TextKey;
  const known = STAGES_WITH_LOCK_TEXT.has(key);
  return (
    <p className="lockline">
      <Icon name="lock" size="small" />
      <span>
        {t(known ? key : "locked")} {hidden > 0 && t("hiddenCharacters", { count: hidden })}
      </span>
    </p>
  );
}

const STAGES_WITH_LOCK_TEXT = new Set<string>(
  ["destructive", "breaker", "protected-path", "ask-rule", "unreadable", "unresolved", "changed"].map(
    (one) => `locked.${one}`,
  ),
);

function QuestionCardHeader({ approval }: { approval: Approval }) {
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
          title={formatDayAndTime(approval.asked_at, language)}
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

type QuestionCardFooterProps = {
  approval: Approval;
  whole: boolean;
  onEdit: (() => void) | undefined;
  onWhole: (whole: boolean) => void;
};

function QuestionCardFooter({ approval, whole, onEdit, onWhole }: QuestionCardFooterProps) {
  const { t } = useLanguage();
  const act = callContentFromApproval(approval);
  const text = act.kind === "command" ? act.text : JSON.stringify(approval.call.args, null, 2);
  const parts = act.kind === "command" ? commandParts(approval, act.text) : [];
  const asking = parts.filter((part) => part.verdict !== "run").length;
  const copy = async () => {
    await navigator.clipboard?.writeText(text);
    showToast(t("copied"), "copy");
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
      {isCallContentLong(act) && whole && (
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
