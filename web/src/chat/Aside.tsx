/** Beside a thread: what was remembered in it, and what else waits. */
import { useMutation } from "@tanstack/react-query";
import { remove } from "@/api/http";
import { client, keys, usePending } from "@/api/queries";
import type { Conversation } from "@/api/types";
import { headline } from "@/inbox/question";
import { useGrants } from "@/rules/stored";
import { linkTo } from "@/shell/route";
import { toast } from "@/ui/announce";
import { iconOf, ModeName, modeNamed, toneOf } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { VisibleText } from "@/ui/VisibleText";
import { clock } from "@/words/time";
import { useWords } from "@/words/words";
import { useDecided } from "./reasons";

export function Aside({ conversation }: { conversation: Conversation }) {
  const { say } = useWords();
  return (
    <aside
      className="scroll hidden w-[262px] flex-none content-start gap-5 border-l border-line bg-surface p-4 xl:grid"
      aria-label={say("thisConversation")}
    >
      <section>
        <h2 className="pb-2">{say("thisConversation")}</h2>
        <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 [&>dd]:truncate [&>dd]:text-right [&>dt]:text-ink-3">
          <dt>{say("mode")}</dt>
          <dd>
            <ModeName mode={modeNamed(conversation.mode)} />
          </dd>
          <dt>{say("forWhom")}</dt>
          <dd>
            <VisibleText text={conversation.owner} />
          </dd>
        </dl>
      </section>
      <Calls conversation={conversation.id} />
      <Remembered conversation={conversation.id} />
      <Waiting conversation={conversation.id} />
    </aside>
  );
}

const SHOWN = ["run", "ask", "deny"] as const;

/** What was decided of the calls so far, as the audit counts it. */
function Calls({ conversation }: { conversation: string }) {
  const { say, language } = useWords();
  const { data } = useDecided(conversation);
  if (!data) return null;
  const counts = { run: data.run, ask: data.ask, deny: data.deny + data.absent };
  const most = Math.max(...Object.values(counts));
  if (most === 0) return null;
  return (
    <section>
      <h2 className="pb-2">{say("callsSoFar")}</h2>
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)_max-content] items-center gap-x-3 gap-y-1.5">
        {SHOWN.map((verdict) => (
          <div key={verdict} className={`${toneOf(verdict)} col-span-3 grid grid-cols-subgrid items-center`}>
            <dt className="tinted inline-flex items-center gap-1.5 font-medium">
              <Icon name={iconOf(verdict)} size="small" />
              {say(WORDS[verdict])}
            </dt>
            <dd aria-hidden="true">
              <i
                className="block h-1.5 rounded-full bg-(--c)"
                style={{ width: `${(100 * counts[verdict]) / most}%` }}
              />
            </dd>
            <dd className="text-right tabular-nums">
              {new Intl.NumberFormat(language).format(counts[verdict])}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const WORDS = { run: "ranUnasked", ask: "asked", deny: "deniedUnasked" } as const;

function Remembered({ conversation }: { conversation: string }) {
  const { say, language } = useWords();
  const { data = [] } = useGrants();
  const here = data.filter((grant) => grant.conversation === conversation);
  const end = useMutation({
    mutationFn: (id: string) => remove(`grants/${id}`),
    onSuccess: () => toast(say("revoked"), "undo"),
    onError: (error) => toast(error.message, "warn"),
    onSettled: () => client.invalidateQueries({ queryKey: keys.grants }),
  });
  if (here.length === 0) return null;
  return (
    <section>
      <h2 className="pb-2">{say("grants")}</h2>
      <ul className="grid gap-2">
        {here.map((grant) => (
          <li key={grant.id} className="box grid gap-1 px-2.5 py-2">
            <code>
              <VisibleText text={grant.pattern} />
            </code>
            <span className="meta flex gap-2">
              <span className="grow">
                {grant.until ? clock(grant.until, language) : say("lasts.restart")}
              </span>
              <button
                type="button"
                className="text-accent hover:underline"
                onClick={() => end.mutate(grant.id)}
              >
                {say("revoke")}
              </button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Waiting({ conversation }: { conversation: string }) {
  const { say } = useWords();
  const { data = [] } = usePending();
  const here = data.filter((one) => one.state === "pending" && one.call.conversation === conversation);
  if (here.length === 0) return null;
  return (
    <section>
      <h2 className="pb-2">{say("running")}</h2>
      <ul className="grid gap-2">
        {here.map((one) => (
          <li key={one.id}>
            <a
              href={linkTo("inbox", one.id)}
              className={`tone-${one.tool.effect} grid grid-cols-[20px_minmax(0,1fr)] !text-ink !no-underline`}
            >
              <Icon name={one.tool.effect} className="tinted" />
              <code className="truncate">
                <VisibleText text={headline(one)} />
              </code>
              <span className="meta col-start-2">{say(one.tool.effect)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
