/** A thread: messages, calls, cards and the composer. */
import { useChat } from "@ai-sdk/react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { DefaultChatTransport, isToolUIPart, type UIMessage } from "ai";
import { type ReactNode, use, useEffect, useMemo, useRef, useState } from "react";
import { API_PREFIX, getJson, ProblemError, patchJson, postJson } from "@/api/http";
import { usePendingQuestions } from "@/api/queries";
import type { Conversation } from "@/api/types";
import { PageBar } from "@/shell/PageBar";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { type Mode, parseMode } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { LoadError, Skeleton } from "@/ui/states";
import { useIsNarrowScreen } from "@/ui/useIsNarrowScreen";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import { Composer } from "./Composer";
import { storeConversation } from "./conversations";
import { DecisionEntriesContext, useDecisionEntries } from "./decisionEntries";
import { ConversationDisplayContext } from "./display";
import { useDraft } from "./draft";
import { ExampleMessages } from "./ExampleMessages";
import { DEFAULT_AGENT, Message } from "./Message";
import { questionOfPart } from "./subtasks";
import { ToolGroupsDialog, ToolsDialog } from "./ToolsDialog";

/** The release of the AI SDK whose stream this page reads. */
const SDK_VERSION_QUERY = "?sdk=7";

export function Thread({ conversation }: { conversation: Conversation }) {
  const t = useTranslate();
  const path = `conversations/${encodeURIComponent(conversation.id)}`;
  const history = useQuery({
    queryKey: ["messages", conversation.id],
    queryFn: () => fetchMessages(path),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const title = conversation.title || t("conversation");
  return (
    <section className="flex min-h-0 min-w-0 grow flex-col bg-canvas" aria-label={title}>
      {history.error ? (
        <LoadError error={history.error} onRetry={() => void history.refetch()} />
      ) : history.isPending ? (
        <Skeleton rows={6} />
      ) : (
        <ThreadView conversation={conversation} path={path} history={history.data} title={title} />
      )}
    </section>
  );
}

/** Fetch the messages; a conversation outside the chat has none. */
async function fetchMessages(path: string): Promise<UIMessage[]> {
  try {
    return (await getJson<{ items: UIMessage[] }>(`${path}/messages`)).items;
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return [];
    throw error;
  }
}

type ThreadViewProps = { conversation: Conversation; path: string; history: UIMessage[]; title: string };

function ThreadView({ conversation, path, history, title }: ThreadViewProps) {
  const t = useTranslate();
  const narrow = useIsNarrowScreen();
  const { mode, pendingMode, setMode } = useConversationMode(conversation);
  const [model, setModel] = useState(conversation.model);
  const [tools, setTools] = useState(false);
  const { listTools, compact, examples } = use(ConversationDisplayContext);
  const draft = useDraft(conversation.id);
  const field = useRef<HTMLTextAreaElement>(null);
  const [sending, setSending] = useState("");
  // A message is sent with the chosen mode, even before the server has stored that mode.
  const choices = useRef({ mode: pendingMode ?? mode, model });
  choices.current = { mode: pendingMode ?? mode, model };
  /** The id of the message that the server has not stored yet. */
  const unsentId = useRef("");
  const onStored = useRef(() => {});
  onStored.current = () => {
    // Answers use the same transport and must not clear the draft.
    if (!unsentId.current) return;
    unsentId.current = "";
    setSending("");
    draft.clear();
  };
  const transport = useMemo(
    () =>
      createChatTransport(
        path,
        () => choices.current,
        () => onStored.current(),
      ),
    [path],
  );
  const {
    messages,
    setMessages,
    sendMessage,
    resumeStream,
    stop: closeStream,
    status,
    error,
  } = useChat({
    id: conversation.id,
    messages: history,
    transport,
  });
  const messagesRef = useRef(messages);
  messagesRef.current = messages;
  const running = status === "submitted" || status === "streaming";
  const reasons = useDecisionEntries(conversation.id, countDecidedCalls(messages) + Number(running));

  const resume = async () => {
    const isUnanswered = () =>
      history.at(-1)?.role === "user" && messagesRef.current.length === history.length;
    await resumeStream();
    if (!isUnanswered()) return;
    // If the run ended between reading the history and opening the stream, neither contains it: read again.
    const now = await fetchMessages(path);
    // Do not overwrite messages that arrived meanwhile.
    if (isUnanswered()) setMessages(now);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each conversation
  useEffect(() => {
    resume().catch((failure: Error) => showToast(failure.message, "warn"));
  }, [conversation.id]);

  // Show only messages that the server has stored.
  const stored = messages.filter((one) => one.id !== sending);
  const stop = useMutation({
    mutationFn: () => postJson(`${path}/stop`),
    onError: (failure) => showToast(failure.message, "warn"),
  });
  const send = async (text: string) => {
    if (text.trim() === "/tools") {
      draft.clear();
      return setTools(true);
    }
    const id = draft.idFor(JSON.stringify({ text, ...choices.current }));
    unsentId.current = id;
    setSending(id);
    // A new message replaces the current run: the server withdraws its questions.
    if (running) await closeStream();
    await sendMessage({ id, role: "user", parts: [{ type: "text", text }] });
    if (unsentId.current !== id) return;
    // The server did not store the message: remove it here; its text is still in the composer.
    unsentId.current = "";
    setMessages((now) => now.filter((one) => one.id !== id));
    setSending("");
  };
  const tryExample = (text: string) => {
    draft.setText(text);
    field.current?.focus();
  };
  const stopButton = running && (
    <Button icon="stop" small={compact} disabled={stop.isPending} onClick={() => stop.mutate()}>
      {t("stop")}
    </Button>
  );
  return (
    <>
      {compact ? (
        <div className="pane-head">
          <h2 className="pane-title">{t("chat")}</h2>
          {stopButton}
        </div>
      ) : (
        <PageBar
          title={title}
          {...(conversation.agent ? { note: conversation.agent } : {})}
          lead={
            narrow && (
              <a className="btn btn-quiet btn-icon" href="#/chat" aria-label={t("back")}>
                <Icon name="back" />
              </a>
            )
          }
        >
          {stopButton}
        </PageBar>
      )}
      <DecisionEntriesContext value={reasons}>
        {examples && stored.length === 0 && !running ? (
          <ExampleMessages examples={examples} onTry={tryExample} />
        ) : (
          <ScrollPane key={conversation.id} busy={running}>
            {stored.map((message) => (
              <Message
                key={message.id}
                message={message}
                agent={conversation.agent}
                owner={conversation.owner}
                isLast={message === stored.at(-1)}
              />
            ))}
            <OtherRunsQuestions conversation={conversation} messages={messages} />
            {error && (
              <p className="finding" role="alert">
                <Icon name="warn" size="small" /> <VisibleText text={error.message} />
              </p>
            )}
          </ScrollPane>
        )}
      </DecisionEntriesContext>
      <Composer
        label={conversation.agent ? t("messageTo", { agent: conversation.agent }) : t("message")}
        field={field}
        text={draft.text}
        onText={draft.setText}
        mode={mode}
        {...(pendingMode ? { pendingMode } : {})}
        preset={conversation.preset}
        onMode={setMode}
        model={model}
        onModel={setModel}
        busy={status === "submitted"}
        sending={sending !== ""}
        onSend={(text) => void send(text)}
      >
        <Button look="quiet" className="max-phone:!hidden" onClick={() => setTools(true)}>
          /tools
        </Button>
      </Composer>
      {tools && listTools && <ToolGroupsDialog listTools={listTools} onClose={() => setTools(false)} />}
      {tools && !listTools && (
        <ToolsDialog agent={conversation.agent || DEFAULT_AGENT} onClose={() => setTools(false)} />
      )}
    </>
  );
}

/** Sends only the new message, because the server uses its own history. */
function createChatTransport(
  path: string,
  choices: () => { mode: Mode; model: string },
  onTaken: () => void,
) {
  return new DefaultChatTransport<UIMessage>({
    fetch: async (address, said) => {
      const reply = await fetch(address, said);
      // The response headers arrive after the message is stored.
      if (reply.ok && said?.method === "POST") onTaken();
      return reply;
    },
    api: `${API_PREFIX}${path}/chat${SDK_VERSION_QUERY}`,
    prepareSendMessagesRequest: ({ messages, trigger }) => {
      const { mode, model } = choices();
      return { body: { message: messages.at(-1), trigger, mode, ...(model ? { model } : {}) } };
    },
    prepareReconnectToStreamRequest: () => ({ api: `${API_PREFIX}${path}/stream${SDK_VERSION_QUERY}` }),
  });
}

/** Count the questions and ended calls; a change means that the audit has new rows. */
const countDecidedCalls = (messages: readonly UIMessage[]) =>
  messages
    .flatMap((message) => message.parts)
    .filter((part) => questionOfPart(part) || (isToolUIPart(part) && part.state.startsWith("output-")))
    .length;

/** The mode of a conversation, and the chosen mode until the server has stored it. */
function useConversationMode(conversation: Conversation) {
  const change = useMutation({
    // Run changes one after the other, so that the last choice wins.
    scope: { id: `mode of ${conversation.id}` },
    mutationFn: (mode: Mode) =>
      patchJson<Conversation>(`conversations/${encodeURIComponent(conversation.id)}`, { mode }),
    onSuccess: storeConversation,
    onError: (error) => showToast(error.message, "warn"),
  });
  const mode = parseMode(conversation.mode);
  return {
    mode,
    ...(change.isPending && change.variables !== mode ? { pendingMode: change.variables } : {}),
    setMode: (pendingMode: Mode) => change.mutate(pendingMode),
  };
}

/** Questions of this conversation that no message shows: of sub-tasks, or asked on another server. */
function OtherRunsQuestions({
  conversation,
  messages,
}: {
  conversation: Conversation;
  messages: readonly UIMessage[];
}) {
  const { Question } = use(ConversationDisplayContext);
  const { data: pending = [] } = usePendingQuestions();
  const shown = new Set(
    messages.flatMap((message) => message.parts.map((part) => ("id" in part ? part.id : undefined))),
  );
  const rest = pending.filter(
    (one) => one.call.conversation === conversation.id && one.state === "pending" && !shown.has(one.id),
  );
  return rest.map((one) => <Question key={one.id} approval={one} selected={false} title={null} />);
}

/** A scrolling area that follows new content while the person is at the end. */
function ScrollPane({ busy, children }: { busy: boolean; children: ReactNode }) {
  const t = useTranslate();
  const element = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const node = element.current;
    if (!node) return;
    const follow = () => {
      if (atEnd.current) node.scrollTop = node.scrollHeight;
    };
    const look = () => {
      atEnd.current = node.scrollHeight - node.scrollTop - node.clientHeight < 60;
    };
    const observer = new MutationObserver(follow);
    observer.observe(node, { childList: true, subtree: true, characterData: true });
    node.addEventListener("scroll", look, { passive: true });
    follow();
    return () => {
      observer.disconnect();
      node.removeEventListener("scroll", look);
    };
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a button in it, only the focus scrolls it by keyboard
    <div ref={element} className="scroll grow px-3 py-4 phone:px-5" tabIndex={0}>
      <div
        className="mx-auto grid max-w-[736px] auto-rows-max gap-3"
        role="log"
        aria-label={t("chat")}
        aria-busy={busy}
      >
        {children}
      </div>
    </div>
  );
}
