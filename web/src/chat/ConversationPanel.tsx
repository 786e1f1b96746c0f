/** Beside a thread: call counts, remembered approvals and pending questions. */
import { useMutation } from "@tanstack/react-query";
import { deleteJson } from "@/api/http";
import { queryKeys, refetchQueries, usePendingQuestions } from "@/api/queries";
import type { Conversation } from "@/api/types";
import { questionHeadline } from "@/inbox/question";
import { useGrants } from "@/rules/ruleQueries";
import { linkTo } from "@/shell/route";
import { showToast } from "@/ui/announce";
import { ModeName, parseMode, verdictIcon, verdictTone } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { VisibleText } from "@/ui/VisibleText";
import { formatDayAndTime } from "@/words/time";
import { useLanguage } from "@/words/words";
import { useVerdictCounts } from "./decisionEntries";

export function ConversationPanel({ conversation }: { conversation: Conversation }) {
  const { t } = useLanguage();
  return (
    <aside
      className="scroll hidden w-[262px] flex-none content-start gap-5 border-l border-line bg-surface p-4 xl:grid"
      aria-label={t("thisConversation")}
    >
      <section>
        <h2 className="pb-2">{t("thisConversation")}</h2>
        <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 [&>dd]:truncate [&>dd]:text-right [&>dt]:text-ink-3">
          <dt>{t("mode")}</dt>
          <dd>
            <ModeName mode={parseMode(conversation.mode)} />
          </dd>
          <dt>{t("forWhom")}</dt>
          <dd>
            <VisibleText text={conversation.owner} />
          </dd>
        </dl>
      </section>
      <CallCounts conversation={conversation.id} />
      <RememberedGrants conversation={conversation.id} />
      <WaitingQuestions conversation={conversation.id} />
    </aside>
  );
}

const COUNTED_VERDICTS = ["run", "ask", "deny"] as const;

/** The number of calls that ran, asked and were denied, counted in the audit. */
function CallCounts({ conversation }: { conversation: string }) {
  const { t, language } = useLanguage();
  const { data } = useVerdictCounts(conversation);
  if (!data) return null;
  const counts = { run: data.run, ask: data.ask, deny: data.deny + data.absent };
  const most = Math.max(...Object.values(counts));
  if (most === 0) return null;
  return (
    <section>
      <h2 className="pb-2">{t("callsSoFar")}</h2>
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)_max-content] items-center gap-x-3 gap-y-1.5">
        {COUNTED_VERDICTS.map((verdict) => (
          <div
            key={verdict}
            className={`${verdictTone(verdict)} col-span-3 grid grid-cols-subgrid items-center`}
          >
            <dt className="tinted inline-flex items-center gap-1.5 font-medium">
              <Icon name={verdictIcon(verdict)} size="small" />
              {t(VERDICT_LABELS[verdict])}
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

const VERDICT_LABELS = { run: "ranUnasked", ask: "asked", deny: "deniedUnasked" } as const;

function RememberedGrants({ conversation }: { conversation: string }) {
  const { t, language } = useLanguage();
  const { data = [] } = useGrants();
  const here = data.filter((grant) => grant.conversation === conversation);
  const end = useMutation({
    mutationFn: (id: string) => deleteJson(`grants/${id}`),
    onSuccess: () => showToast(t("revoked"), "undo"),
    onError: (error) => showToast(error.message, "warn"),
    onSettled: () => refetchQueries(queryKeys.grants),
  });
  if (here.length === 0) return null;
  return (
    <section>
      <h2 className="pb-2">{t("grants")}</h2>
      <ul className="grid gap-2">
        {here.map((grant) => (
          <li key={grant.id} className="box grid gap-1 px-2.5 py-2">
            <code>
              <VisibleText text={grant.pattern} />
            </code>
            <span className="meta flex gap-2">
              <span className="grow">
                {grant.until ? formatDayAndTime(grant.until, language) : t("lasts.restart")}
              </span>
              <button
                type="button"
                className="text-accent hover:underline"
                onClick={() => end.mutate(grant.id)}
              >
                {t("revoke")}
              </button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function WaitingQuestions({ conversation }: { conversation: string }) {
  const { t } = useLanguage();
  const { data = [] } = usePendingQuestions();
  const here = data.filter((one) => one.state === "pending" && one.call.conversation === conversation);
  if (here.length === 0) return null;
  return (
    <section>
      <h2 className="pb-2">{t("running")}</h2>
      <ul className="grid gap-2">
        {here.map((one) => (
          <li key={one.id}>
            <a
              href={linkTo("inbox", one.id)}
              className={`tone-${one.tool.effect} grid grid-cols-[20px_minmax(0,1fr)] !text-ink !no-underline`}
            >
              <Icon name={one.tool.effect} className="tinted" />
              <code className="truncate">
                <VisibleText text={questionHeadline(one)} />
              </code>
              <span className="meta col-start-2">{t(one.tool.effect)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
