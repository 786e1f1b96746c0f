/** The selected question, links to its neighbours, and the next one. */
import { useEffect, useRef } from "react";
import { useApproval } from "@/api/queries";
import { useConversationTitles } from "@/chat/conversations";
import type { KeyAction } from "@/keys/arming";
import { navigate, replaceRoute } from "@/shell/route";
import { Button, KeyCap } from "@/ui/Button";
import { Icon, type IconName } from "@/ui/Icon";
import { EmptyState, Skeleton } from "@/ui/states";
import { useTranslate } from "@/words/words";
import { mergeLatestState } from "./answering";
import { QuestionCard } from "./QuestionCard";
import { questionHeadline } from "./question";
import { nextPendingId, type QueueListRow } from "./queue";

export function QuestionPane({
  id,
  rows,
  loading,
}: {
  id: string;
  rows: readonly QueueListRow[];
  loading: boolean;
}) {
  const t = useTranslate();
  const titles = useConversationTitles();
  const listed = rows.find((row) => row.key === id);
  const known = listed?.kind === "question" ? listed.approval : undefined;
  const detail = useApproval(id);
  const whole = detail.data;
  const approval = known ? mergeLatestState(whole, known) : whole;
  const next = nextPendingId(rows, id);

  const move = (meaning: KeyAction) => {
    if (meaning === "back") navigate("inbox");
    else {
      const to = nextPendingId(rows, id, meaning === "next" ? 1 : -1);
      if (to) replaceRoute("inbox", to);
    }
  };

  const element = useFocusOnCard(approval?.id ?? "");
  return (
    <section ref={element} className="stage scroll" aria-label={t("theQuestion")}>
      <h1 className="sr-only phone:hidden">{t("theQuestion")}</h1>
      <div className="mx-auto max-w-[776px]">
        {id && <QuestionPager id={id} rows={rows} />}
        {approval ? (
          <QuestionCard
            key={approval.id}
            approval={approval}
            selected
            title={titles[approval.call.conversation]}
            onMove={move}
            onAnswered={() => (next ? replaceRoute("inbox", next) : undefined)}
          />
        ) : detail.error ? (
          <EmptyState icon="undo" title={t("over.gone")} />
        ) : id || loading ? (
          <Skeleton rows={5} />
        ) : null}
        {next && approval && <NextQuestionLink rows={rows} id={next} />}
      </div>
    </section>
  );
}

/** Move the focus to the next card if the previous card had it. */
function useFocusOnCard(shown: string) {
  const element = useRef<HTMLElement>(null);
  const before = useRef("");
  useEffect(() => {
    const replaced = before.current !== "" && shown !== "" && before.current !== shown;
    before.current = shown || before.current;
    if (!replaced || document.activeElement !== document.body) return;
    element.current?.querySelector<HTMLElement>(".card")?.focus({ preventScroll: true });
  }, [shown]);
  return element;
}

function QuestionPager({ id, rows }: { id: string; rows: readonly QueueListRow[] }) {
  const t = useTranslate();
  const questions = rows.filter((row) => row.kind === "question");
  const at = questions.findIndex((row) => row.key === id);
  return (
    <div className="pager">
      <a className="btn btn-icon btn-quiet phone:!hidden" href="#/inbox" aria-label={t("backToInbox")}>
        <Icon name="back" />
      </a>
      {at >= 0 && (
        <b className="text-ui font-semibold text-ink">{t("ofN", { at: at + 1, count: questions.length })}</b>
      )}
      {at >= 0 && <span className="hidden phone:inline">{t("oldestFirst")}</span>}
      <span className="grow" />
      <QuestionPagerLink to={nextPendingId(rows, id, -1)} icon="up" label={t("previous")} />
      <QuestionPagerLink to={nextPendingId(rows, id)} icon="down" label={t("next")} />
      <span className="hidden items-center gap-1 phone:inline-flex">
        <KeyCap>J</KeyCap> <KeyCap>K</KeyCap> {t("move")} <KeyCap>?</KeyCap> {t("allKeys")}
      </span>
    </div>
  );
}

/** A link to the previous or next question, for phones, which have no keys. */
function QuestionPagerLink({ to, icon, label }: { to: string; icon: IconName; label: string }) {
  return (
    <Button
      className="phone:!hidden"
      look="quiet"
      icon={icon}
      aria-label={label}
      disabled={!to}
      onClick={() => replaceRoute("inbox", to)}
    />
  );
}

function NextQuestionLink({ rows, id }: { rows: readonly QueueListRow[]; id: string }) {
  const t = useTranslate();
  const row = rows.find((one) => one.key === id);
  if (row?.kind !== "question") return null;
  return (
    <a
      href={`#/inbox/${id}`}
      className="mt-4 hidden items-center gap-2.5 rounded-m border border-dashed border-line-strong px-3.5 py-2.5 text-meta text-ink-3 phone:flex"
    >
      <Icon name={row.approval.tool.effect} size="small" />
      {t("next")}
      <span className="mono truncate text-ink-2">{questionHeadline(row.approval)}</span>
      <span className="ml-auto whitespace-nowrap">{row.approval.call.agent}</span>
    </a>
  );
}
