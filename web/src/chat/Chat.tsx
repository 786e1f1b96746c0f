/** Chat: conversations with a model; Assent decides every call. */
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ProblemError, postWithIdempotencyKey } from "@/api/http";
import { useStoredPermissions } from "@/api/presets";
import { usePendingQuestions } from "@/api/queries";
import type { Conversation } from "@/api/types";
import { PageBar } from "@/shell/PageBar";
import { isCurrent, linkTo, navigate, usePageId } from "@/shell/route";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { type Mode, ModeDot, parseMode } from "@/ui/effect";
import { SearchField } from "@/ui/Field";
import { useNow } from "@/ui/now";
import { EmptyState, LoadError, Skeleton } from "@/ui/states";
import { useIsNarrowScreen } from "@/ui/useIsNarrowScreen";
import { VisibleText } from "@/ui/VisibleText";
import { formatDuration, secondsSince } from "@/words/time";
import { useTranslate } from "@/words/words";
import { Composer } from "./Composer";
import { ConversationPanel } from "./ConversationPanel";
import { storeConversation, useConversation, useConversations } from "./conversations";
import { useDraft } from "./draft";
import { ExampleMessages } from "./ExampleMessages";
import { Thread } from "./Thread";

export default function Chat() {
  const t = useTranslate();
  const narrow = useIsNarrowScreen();
  const id = usePageId("chat");
  const conversations = useConversations();
  return (
    <div className="grid min-h-0 grow grid-rows-[minmax(0,1fr)] phone:grid-cols-[244px_minmax(0,1fr)]">
      {!(narrow && id) && <ConversationList conversations={conversations} chosen={id} />}
      {id ? (
        <ChosenConversation key={id} id={id} />
      ) : (
        !narrow && <NewConversation title={t("newChat")} isFirst />
      )}
    </div>
  );
}

/** The conversation of the route, loaded by id, because the list may be old or not loaded. */
function ChosenConversation({ id }: { id: string }) {
  const found = useConversation(id);
  if (found.data)
    return (
      <div className="flex min-h-0 min-w-0">
        <Thread conversation={found.data} />
        <ConversationPanel conversation={found.data} />
      </div>
    );
  if (found.error instanceof ProblemError && found.error.status === 404) return <NoConversationChosen />;
  if (found.error) return <LoadError error={found.error} onRetry={() => void found.refetch()} />;
  return <Skeleton rows={6} />;
}

function NoConversationChosen() {
  const t = useTranslate();
  return (
    <EmptyState icon="chat" title={t("noConversation")}>
      <Button icon="plus" onClick={() => navigate("chat")}>
        {t("newChat")}
      </Button>
    </EmptyState>
  );
}

const NO_CONVERSATIONS: Conversation[] = [];
type ConversationListProps = { conversations: ReturnType<typeof useConversations>; chosen: string };

function ConversationList({
  conversations: { data = NO_CONVERSATIONS, isPending: loading, error, refetch },
  chosen,
}: ConversationListProps) {
  const t = useTranslate();
  const narrow = useIsNarrowScreen();
  const [words, setWords] = useState("");
  const found = data.filter((one) => `${one.title} ${one.agent}`.toLowerCase().includes(words.toLowerCase()));
  return (
    <section className="flex min-h-0 flex-col border-line bg-surface phone:border-r" aria-label={t("chat")}>
      {narrow && <PageBar title={t("chat")} />}
      <div className="flex items-center gap-2 border-b border-line px-3 py-2.5">
        <SearchField
          className="grow"
          label={t("findChat")}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <Button icon="plus" aria-label={t("newChat")} onClick={() => navigate("chat")} />
      </div>
      <div className="scroll grow">
        {error ? (
          <LoadError error={error} onRetry={() => void refetch()} />
        ) : loading ? (
          <Skeleton rows={5} />
        ) : (
          found.map((one) => <ConversationItem key={one.id} conversation={one} current={one.id === chosen} />)
        )}
        {/* On a phone the form for the first message below shows the same text. */}
        {!loading && !error && !narrow && data.length === 0 && (
          <EmptyState icon="chat" title={t("chatEmpty")}>
            <p>{t("chatEmptyMore")}</p>
          </EmptyState>
        )}
      </div>
      {narrow && <NewConversation title="" isFirst={!loading && data.length === 0} />}
    </section>
  );
}

function ConversationItem({ conversation, current }: { conversation: Conversation; current: boolean }) {
  const t = useTranslate();
  const now = useNow();
  const { data: pending } = usePendingQuestions();
  const waiting =
    pending?.filter((one) => one.state === "pending" && one.call.conversation === conversation.id).length ??
    0;
  return (
    <a
      href={linkTo("chat", conversation.id)}
      aria-current={current ? "true" : undefined}
      className={`grid grid-cols-[12px_minmax(0,1fr)_max-content] items-center gap-x-2.5 px-3.5 py-2 !text-ink !no-underline hover:bg-hover ${current ? "bg-accent-soft shadow-[inset_3px_0_0_var(--accent)]" : ""}`}
    >
      <ModeDot mode={parseMode(conversation.mode)} />
      <span className="truncate font-medium">
        <VisibleText text={conversation.title || t("conversation")} />
      </span>
      {waiting > 0 ? (
        <span className="h-[18px] min-w-[18px] rounded-full bg-ask-soft px-1.5 text-center text-micro leading-[18px] font-bold text-ask">
          <span aria-hidden="true">{waiting}</span>
          <span className="sr-only">{t("nWaiting", { count: waiting })}</span>
        </span>
      ) : (
        <span />
      )}
      <span className={`col-span-2 col-start-2 truncate text-meta ${current ? "text-ink-2" : "text-ink-3"}`}>
        <VisibleText text={conversation.agent || conversation.owner} />
        {conversation.at && ` · ${formatDuration(secondsSince(conversation.at, now))}`}
      </span>
    </a>
  );
}

const MAX_TITLE_LENGTH = 60;

/** The first message creates the conversation; the server chooses its mode unless the person did. */
function NewConversation({ title, isFirst }: { title: string; isFirst: boolean }) {
  const t = useTranslate();
  const usual = useStoredPermissions().data?.mode ?? "default";
  const [mode, setMode] = useState<Mode | null>(null);
  const [model, setModel] = useState("");
  const draft = useDraft("");
  const field = useRef<HTMLTextAreaElement>(null);
  const tryExample = (example: string) => {
    draft.setText(example);
    field.current?.focus();
  };
  const begin = useMutation({
    mutationFn: (text: string) => {
      const chosen = { ...(mode ? { mode } : {}), ...(model ? { model } : {}) };
      const id = draft.idFor(JSON.stringify({ text, ...chosen }));
      const message = { id, role: "user", parts: [{ type: "text", text }] };
      const title = text.trim().split("\n")[0]?.slice(0, MAX_TITLE_LENGTH) ?? "";
      return postWithIdempotencyKey<Conversation>("conversations", { title, ...chosen, message }, id);
    },
    onError: (error) => showToast(error.message, "warn"),
    onSuccess: async (made) => {
      draft.clear();
      await storeConversation(made);
      // Do not navigate if the person has opened another page meanwhile.
      if (isCurrent("chat", "")) navigate("chat", made.id);
    },
  });
  return (
    <section
      className="flex min-h-0 min-w-0 flex-col bg-canvas max-phone:flex-none max-phone:pt-3"
      aria-label={t("newChat")}
    >
      {title && <PageBar title={title} />}
      {isFirst && <ExampleMessages onTry={tryExample} />}
      <Composer
        label={t("message")}
        text={draft.text}
        onText={draft.setText}
        field={field}
        mode={mode ?? parseMode(usual)}
        onMode={setMode}
        model={model}
        onModel={setModel}
        busy={false}
        sending={begin.isPending}
        onSend={(text) => begin.mutate(text)}
      />
    </section>
  );
}
