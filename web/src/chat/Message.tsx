/** One message: plain text, calls with their results, and cards of questions. */
import { getToolName, isToolUIPart, type UIMessage } from "ai";
import { use, useState } from "react";
import { useApproval, useMe, usePendingQuestions } from "@/api/queries";
import { isSameQuestion, mergeLatestState } from "@/inbox/answering";
import { Icon } from "@/ui/Icon";
import { useTranslate } from "@/words/words";
import { ConversationDisplayContext } from "./display";
import { FormattedText } from "./FormattedText";
import { Subtask } from "./Subtask";
import { type AskedQuestion, groupPartsIntoThreadItems, type MessagePart, questionOfPart } from "./subtasks";
import { ToolRow } from "./ToolRow";
import { TurnLog } from "./TurnLog";

/** The agent of a conversation that does not name one. */
export const DEFAULT_AGENT = "chat";

type MessageProps = { message: UIMessage; agent: string; owner: string; isLast: boolean };

export function Message({ message, agent, owner, isLast }: MessageProps) {
  const t = useTranslate();
  const { turnLog } = use(ConversationDisplayContext);
  const [wanted, setWanted] = useState<boolean | null>(null);
  const showsCalls = wanted ?? (!turnLog || isLast);
  const me = useMe().data?.id;
  const mine = message.role === "user";
  const name = mine ? owner || me || "" : agent || "Assent";
  return (
    <article className="grid grid-cols-[22px_minmax(0,1fr)] gap-x-2.5 gap-y-1" aria-label={name}>
      <span
        className={`grid size-[22px] place-items-center bg-pressed text-[10px] font-bold uppercase ${mine ? "rounded-full" : "rounded-[6px]"}`}
        aria-hidden="true"
      >
        {mine ? name.slice(0, 2) : <Icon name="agents" size="small" />}
      </span>
      <b className="leading-[22px] font-semibold">{name}</b>
      <div className="col-start-2 grid min-w-0 auto-rows-max gap-2.5 max-phone:col-span-2 max-phone:col-start-1">
        <MessageParts parts={message.parts} agent={agent || DEFAULT_AGENT} showsCalls={showsCalls} />
        {turnLog && (
          <TurnLog parts={message.parts} open={showsCalls} onToggle={() => setWanted(!showsCalls)} />
        )}
        {message.parts.length === 0 && <span className="meta">{t("loading")}</span>}
      </div>
    </article>
  );
}

type MessagePartsProps = { parts: readonly MessagePart[]; agent: string; showsCalls: boolean };

/** The parts of a message in order; the parts of a subtask are grouped under its name. */
function MessageParts({ parts, agent, showsCalls }: MessagePartsProps) {
  return groupPartsIntoThreadItems(parts, agent).map((item, at) =>
    item.kind === "part" ? (
      <MessagePartView key={at} part={item.part} parts={parts} showsCalls={showsCalls} />
    ) : (
      <Subtask key={item.key} subtask={item}>
        {item.parts.map((part, place) => (
          <MessagePartView key={place} part={part} parts={item.parts} showsCalls />
        ))}
      </Subtask>
    ),
  );
}

type MessagePartViewProps = { part: MessagePart; parts: readonly MessagePart[]; showsCalls: boolean };

function MessagePartView({ part, parts, showsCalls }: MessagePartViewProps) {
  if (part.type === "text") return <FormattedText text={part.text} />;
  if (part.type === "reasoning")
    return part.text ? <p className="meta whitespace-pre-wrap italic">{part.text}</p> : null;
  const asked = questionOfPart(part);
  if (asked) {
    const call = parts.find((one) => isToolUIPart(one) && one.toolCallId === asked.toolCallId);
    // After the call ran, its row shows the result and who allowed it; a proposal stays open after its call.
    const ran = call && isToolUIPart(call) && ENDED_STATES.has(call.state);
    return ran && !asked.token ? null : <ThreadQuestionCard asked={asked} />;
  }
  if (!isToolUIPart(part) || !showsCalls) return null;
  const question = parts.map(questionOfPart).find((one) => one?.toolCallId === part.toolCallId) ?? null;
  // Until the call has run, only its card is shown.
  if (question && (question.token || !ENDED_STATES.has(part.state))) return null;
  return <ToolRow part={part} name={String(getToolName(part))} question={question} />;
}

const ENDED_STATES = new Set(["output-available", "output-error"]);

/** The card of a question, kept up to date when it is answered elsewhere. */
function ThreadQuestionCard({ asked }: { asked: AskedQuestion }) {
  const { Question } = use(ConversationDisplayContext);
  const { data: pending } = usePendingQuestions();
  const { data: detail } = useApproval(asked.state === "pending" ? asked.id : "");
  const live = pending?.find((one) => one.id === asked.id);
  const whole = isSameQuestion(detail, asked) ? detail : asked;
  const open = live ? mergeLatestState(detail, live) : asked.state === "pending" ? whole : asked;
  const newest = asked.state === "pending" || live?.state !== "pending" ? open : asked;
  const first = pending?.find(
    (one) => one.state === "pending" && one.call.conversation === asked.call.conversation,
  );
  return <Question approval={newest} selected={first?.id === asked.id} title={null} token={asked.token} />;
}
