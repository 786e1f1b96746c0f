/** A thread: what was said and done, the cards where they belong, and what comes next. */
import { useChat } from "@ai-sdk/react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { DefaultChatTransport, isToolUIPart, type UIMessage } from "ai";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { get, Problem, patch, post, V1 } from "@/api/http";
import { usePending } from "@/api/queries";
import type { Conversation } from "@/api/types";
import { Card } from "@/inbox/Card";
import { PageBar } from "@/shell/PageBar";
import { toast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { type Mode, modeNamed } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { Bones, Failure } from "@/ui/states";
import { useNarrow } from "@/ui/useNarrow";
import { VisibleText } from "@/ui/VisibleText";
import { useSay } from "@/words/words";
import { Composer } from "./Composer";
import { learnConversation } from "./conversations";
import { useDraft } from "./draft";
import { CHAT, Message } from "./Message";
import { Reasons, useReasons } from "./reasons";
import { explainedBy } from "./subtasks";
import { ToolsDialog } from "./ToolsDialog";

/** The release of the AI SDK whose stream this page reads. */
const SDK = "?sdk=7";

export function Thread({ conversation }: { conversation: Conversation }) {
  const say = useSay();
  const path = `conversations/${encodeURIComponent(conversation.id)}`;
  const kept = useQuery({
    queryKey: ["messages", conversation.id],
    queryFn: () => messagesOf(path),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const title = conversation.title || say("conversation");
  return (
    <section className="flex min-h-0 min-w-0 grow flex-col bg-canvas" aria-label={title}>
      {kept.error ? (
        <Failure error={kept.error} onRetry={() => void kept.refetch()} />
      ) : kept.isPending ? (
        <Bones rows={6} />
      ) : (
        <Talk conversation={conversation} path={path} kept={kept.data} title={title} />
      )}
    </section>
  );
}

/** What was said; a conversation that no chat had has questions only. */
async function messagesOf(path: string): Promise<UIMessage[]> {
  try {
    return (await get<{ items: UIMessage[] }>(`${path}/messages`)).items;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return [];
    throw error;
  }
}

type TalkProps = { conversation: Conversation; path: string; kept: UIMessage[]; title: string };

function Talk({ conversation, path, kept, title }: TalkProps) {
  const say = useSay();
  const narrow = useNarrow();
  const { mode, wanted, setMode } = useMode(conversation);
  const [model, setModel] = useState(conversation.model);
  const [tools, setTools] = useState(false);
  const draft = useDraft(conversation.id);
  const [sending, setSending] = useState("");
  // A message goes out in the mode that was chosen for it, stored or not.
  const choices = useRef({ mode: wanted ?? mode, model });
  choices.current = { mode: wanted ?? mode, model };
  /** The message that the server does not have yet. */
  const waiting = useRef("");
  const taken = useRef(() => {});
  taken.current = () => {
    // Answers go the same way, and clear nothing.
    if (!waiting.current) return;
    waiting.current = "";
    setSending("");
    draft.clear();
  };
  const transport = useMemo(
    () =>
      transportTo(
        path,
        () => choices.current,
        () => taken.current(),
      ),
    [path],
  );
  const {
    messages,
    setMessages,
    sendMessage,
    resumeStream,
    stop: letGo,
    status,
    error,
  } = useChat({
    id: conversation.id,
    messages: kept,
    transport,
  });
  const shown = useRef(messages);
  shown.current = messages;
  const running = status === "submitted" || status === "streaming";
  const reasons = useReasons(conversation.id, decidedIn(messages) + Number(running));

  const lookOn = async () => {
    const unanswered = () => kept.at(-1)?.role === "user" && shown.current.length === kept.length;
    await resumeStream();
    if (!unanswered()) return;
    // What ended after the history was read and before the stream was asked for is in neither.
    const now = await messagesOf(path);
    // What was said meanwhile is newer than what was read.
    if (unanswered()) setMessages(now);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each conversation
  useEffect(() => {
    lookOn().catch((failure: Error) => toast(failure.message, "warn"));
  }, [conversation.id]);

  // What the server does not have yet is not said.
  const said = messages.filter((one) => one.id !== sending);
  const stop = useMutation({
    mutationFn: () => post(`${path}/stop`),
    onError: (failure) => toast(failure.message, "warn"),
  });
  const send = async (text: string) => {
    if (text.trim() === "/tools") {
      draft.clear();
      return setTools(true);
    }
    const id = draft.idFor(JSON.stringify({ text, ...choices.current }));
    waiting.current = id;
    setSending(id);
    // A newer message takes the place of what runs: the server withdraws its questions.
    if (running) await letGo();
    await sendMessage({ id, role: "user", parts: [{ type: "text", text }] });
    if (waiting.current !== id) return;
    // Nobody took it: it is not said, and what was typed is still in its field.
    waiting.current = "";
    setMessages((now) => now.filter((one) => one.id !== id));
    setSending("");
  };
  return (
    <>
      <PageBar
        title={title}
        {...(conversation.agent ? { note: conversation.agent } : {})}
        lead={
          narrow && (
            <a className="btn btn-quiet btn-icon" href="#/chat" aria-label={say("back")}>
              <Icon name="back" />
            </a>
          )
        }
      >
        {running && (
          <Button icon="stop" disabled={stop.isPending} onClick={() => stop.mutate()}>
            {say("stop")}
          </Button>
        )}
      </PageBar>
      <Reasons value={reasons}>
        <Scroll key={conversation.id} busy={running}>
          {said.map((message) => (
            <Message
              key={message.id}
              message={message}
              agent={conversation.agent}
              owner={conversation.owner}
            />
          ))}
          <Questions conversation={conversation} messages={messages} />
          {error && (
            <p className="finding" role="alert">
              <Icon name="warn" size="small" /> <VisibleText text={error.message} />
            </p>
          )}
        </Scroll>
      </Reasons>
      <Composer
        label={conversation.agent ? say("messageTo", { agent: conversation.agent }) : say("message")}
        text={draft.text}
        onText={draft.setText}
        mode={mode}
        {...(wanted ? { wanted } : {})}
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
      {tools && <ToolsDialog agent={conversation.agent || CHAT} onClose={() => setTools(false)} />}
    </>
  );
}

/** Only what is new is sent: the server keeps the history, and reads no other. */
function transportTo(path: string, choices: () => { mode: Mode; model: string }, onTaken: () => void) {
  return new DefaultChatTransport<UIMessage>({
    fetch: async (address, said) => {
      const reply = await fetch(address, said);
      // Its head is sent once the message is stored.
      if (reply.ok && said?.method === "POST") onTaken();
      return reply;
    },
    api: `${V1}${path}/chat${SDK}`,
    prepareSendMessagesRequest: ({ messages, trigger }) => {
      const { mode, model } = choices();
      return { body: { message: messages.at(-1), trigger, mode, ...(model ? { model } : {}) } };
    },
    prepareReconnectToStreamRequest: () => ({ api: `${V1}${path}/stream${SDK}` }),
  });
}

/** How many calls were asked about, and how many have ended: with each there is more in the audit. */
const decidedIn = (messages: readonly UIMessage[]) =>
  messages
    .flatMap((message) => message.parts)
    .filter((part) => explainedBy(part) || (isToolUIPart(part) && part.state.startsWith("output-"))).length;

/** A change of mode counts from the next message; until the server has stored it, it is only wanted. */
function useMode(conversation: Conversation) {
  const change = useMutation({
    // One after the other: the last choice is the one that stays.
    scope: { id: `mode of ${conversation.id}` },
    mutationFn: (mode: Mode) =>
      patch<Conversation>(`conversations/${encodeURIComponent(conversation.id)}`, { mode }),
    onSuccess: learnConversation,
    onError: (error) => toast(error.message, "warn"),
  });
  const mode = modeNamed(conversation.mode);
  return {
    mode,
    ...(change.isPending && change.variables !== mode ? { wanted: change.variables } : {}),
    setMode: (wanted: Mode) => change.mutate(wanted),
  };
}

/** Questions of this conversation that no message of the thread shows: of sub-tasks, or asked on another pod. */
function Questions({
  conversation,
  messages,
}: {
  conversation: Conversation;
  messages: readonly UIMessage[];
}) {
  const { data: pending = [] } = usePending();
  const shown = new Set(
    messages.flatMap((message) => message.parts.map((part) => ("id" in part ? part.id : undefined))),
  );
  const rest = pending.filter(
    (one) => one.call.conversation === conversation.id && one.state === "pending" && !shown.has(one.id),
  );
  return rest.map((one) => <Card key={one.id} approval={one} selected={false} title={null} />);
}

/** The newest stays in view for those who are at the end, and only for them. */
function Scroll({ busy, children }: { busy: boolean; children: ReactNode }) {
  const say = useSay();
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
    <div ref={element} className="scroll grow px-3 py-4 phone:px-5">
      <div
        className="mx-auto grid max-w-[736px] auto-rows-max gap-3"
        role="log"
        aria-label={say("chat")}
        aria-busy={busy}
      >
        {children}
      </div>
    </div>
  );
}
