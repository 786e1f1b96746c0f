/** Chat: conversations with a model whose every act passes the gate. */
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Problem, postOnce } from "@/api/http";
import { usePermissions } from "@/api/presets";
import { usePending } from "@/api/queries";
import type { Conversation } from "@/api/types";
import { PageBar } from "@/shell/PageBar";
import { go, isHere, linkTo, usePageId } from "@/shell/route";
import { toast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { type Mode, ModeDot, modeNamed } from "@/ui/effect";
import { SearchField } from "@/ui/Field";
import { useNow } from "@/ui/now";
import { Bones, EmptyState, Failure } from "@/ui/states";
import { useNarrow } from "@/ui/useNarrow";
import { VisibleText } from "@/ui/VisibleText";
import { secondsSince, span } from "@/words/time";
import { useSay } from "@/words/words";
import { Aside } from "./Aside";
import { Composer } from "./Composer";
import { learnConversation, useConversation, useConversations } from "./conversations";
import { useDraft } from "./draft";
import { Examples } from "./Examples";
import { Thread } from "./Thread";

export default function Chat() {
  const say = useSay();
  const narrow = useNarrow();
  const id = usePageId("chat");
  const conversations = useConversations();
  return (
    <div className="grid min-h-0 grow grid-rows-[minmax(0,1fr)] phone:grid-cols-[244px_minmax(0,1fr)]">
      {!(narrow && id) && <List conversations={conversations} chosen={id} />}
      {id ? <Chosen key={id} id={id} /> : !narrow && <NewThread title={say("newChat")} isFirst />}
    </div>
  );
}

/** The conversation of the address, found by its id: a list may be old, or not there yet. */
function Chosen({ id }: { id: string }) {
  const found = useConversation(id);
  if (found.data)
    return (
      <div className="flex min-h-0 min-w-0">
        <Thread conversation={found.data} />
        <Aside conversation={found.data} />
      </div>
    );
  if (found.error instanceof Problem && found.error.status === 404) return <NoConversation />;
  if (found.error) return <Failure error={found.error} onRetry={() => void found.refetch()} />;
  return <Bones rows={6} />;
}

function NoConversation() {
  const say = useSay();
  return (
    <EmptyState icon="chat" title={say("noConversation")}>
      <Button icon="plus" onClick={() => go("chat")}>
        {say("newChat")}
      </Button>
    </EmptyState>
  );
}

const NONE: Conversation[] = [];
type ListProps = { conversations: ReturnType<typeof useConversations>; chosen: string };

function List({ conversations: { data = NONE, isPending: loading, error, refetch }, chosen }: ListProps) {
  const say = useSay();
  const narrow = useNarrow();
  const [words, setWords] = useState("");
  const found = data.filter((one) => `${one.title} ${one.agent}`.toLowerCase().includes(words.toLowerCase()));
  return (
    <section className="flex min-h-0 flex-col border-line bg-surface phone:border-r" aria-label={say("chat")}>
      {narrow && <PageBar title={say("chat")} />}
      <div className="flex items-center gap-2 border-b border-line px-3 py-2.5">
        <SearchField
          className="grow"
          label={say("findChat")}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <Button icon="plus" aria-label={say("newChat")} onClick={() => go("chat")} />
      </div>
      <div className="scroll grow">
        {error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : loading ? (
          <Bones rows={5} />
        ) : (
          found.map((one) => <Item key={one.id} conversation={one} current={one.id === chosen} />)
        )}
        {/* On a phone the first message's own invitation stands below, and says as much. */}
        {!loading && !error && !narrow && data.length === 0 && (
          <EmptyState icon="chat" title={say("chatEmpty")}>
            <p>{say("chatEmptyMore")}</p>
          </EmptyState>
        )}
      </div>
      {narrow && <NewThread title="" isFirst={!loading && data.length === 0} />}
    </section>
  );
}

function Item({ conversation, current }: { conversation: Conversation; current: boolean }) {
  const say = useSay();
  const now = useNow();
  const { data: pending } = usePending();
  const waiting =
    pending?.filter((one) => one.state === "pending" && one.call.conversation === conversation.id).length ??
    0;
  return (
    <a
      href={linkTo("chat", conversation.id)}
      aria-current={current ? "true" : undefined}
      className={`grid grid-cols-[12px_minmax(0,1fr)_max-content] items-center gap-x-2.5 px-3.5 py-2 !text-ink !no-underline hover:bg-hover ${current ? "bg-accent-soft shadow-[inset_3px_0_0_var(--accent)]" : ""}`}
    >
      <ModeDot mode={modeNamed(conversation.mode)} />
      <span className="truncate font-medium">
        <VisibleText text={conversation.title || say("conversation")} />
      </span>
      {waiting > 0 ? (
        <span className="h-[18px] min-w-[18px] rounded-full bg-ask-soft px-1.5 text-center text-micro leading-[18px] font-bold text-ask">
          <span aria-hidden="true">{waiting}</span>
          <span className="sr-only">{say("nWaiting", { count: waiting })}</span>
        </span>
      ) : (
        <span />
      )}
      <span className={`col-span-2 col-start-2 truncate text-meta ${current ? "text-ink-2" : "text-ink-3"}`}>
        <VisibleText text={conversation.agent || conversation.owner} />
        {conversation.at && ` · ${span(secondsSince(conversation.at, now))}`}
      </span>
    </a>
  );
}

const LONGEST_TITLE = 60;

/** A conversation begins with its first message; in which mode is the server's to say, unless one is chosen. */
function NewThread({ title, isFirst }: { title: string; isFirst: boolean }) {
  const say = useSay();
  const usual = usePermissions().data?.mode ?? "default";
  const [mode, setMode] = useState<Mode | null>(null);
  const [model, setModel] = useState("");
  const draft = useDraft("");
  const field = useRef<HTMLTextAreaElement>(null);
  const tried = (example: string) => {
    draft.setText(example);
    field.current?.focus();
  };
  const begin = useMutation({
    mutationFn: (text: string) => {
      const chosen = { ...(mode ? { mode } : {}), ...(model ? { model } : {}) };
      const id = draft.idFor(JSON.stringify({ text, ...chosen }));
      const message = { id, role: "user", parts: [{ type: "text", text }] };
      const title = text.trim().split("\n")[0]?.slice(0, LONGEST_TITLE) ?? "";
      return postOnce<Conversation>("conversations", { title, ...chosen, message }, id);
    },
    onError: (error) => toast(error.message, "warn"),
    onSuccess: async (made) => {
      draft.clear();
      await learnConversation(made);
      // Whoever went elsewhere meanwhile stays there.
      if (isHere("chat", "")) go("chat", made.id);
    },
  });
  return (
    <section
      className="flex min-h-0 min-w-0 flex-col bg-canvas max-phone:flex-none max-phone:pt-3"
      aria-label={say("newChat")}
    >
      {title && <PageBar title={title} />}
      {isFirst && <Examples onTry={tried} />}
      <Composer
        label={say("message")}
        text={draft.text}
        onText={draft.setText}
        field={field}
        mode={mode ?? modeNamed(usual)}
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
