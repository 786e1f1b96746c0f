/** The inbox: the list of pending questions, and the selected one. */
import { memo, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { usePendingQuestions } from "@/api/queries";
import type { Approval } from "@/api/types";
import { useConversationTitles } from "@/chat/conversations";
import { openCommandPalette } from "@/shell/CommandPalette";
import { PageBar } from "@/shell/PageBar";
import { replaceRoute, usePageId, useRoute } from "@/shell/route";
import { Button, COMMAND_KEY_NAME } from "@/ui/Button";
import { EFFECTS, type Effect } from "@/ui/effect";
import { SearchField } from "@/ui/Field";
import { Icon } from "@/ui/Icon";
import { RadioMenu } from "@/ui/Menu";
import { SegmentedControl } from "@/ui/SegmentedControl";
import { stageWord } from "@/ui/stage";
import { EmptyState, LoadError, Skeleton } from "@/ui/states";
import { useIsNarrowScreen } from "@/ui/useIsNarrowScreen";
import { VirtualList } from "@/ui/VirtualList";
import { useTranslate } from "@/words/words";
import { BatchReview } from "./BatchReview";
import { QuestionPane } from "./QuestionPane";
import { QueueRow } from "./QueueRow";
import {
  countPending,
  filterQuestions,
  GROUPINGS,
  type Grouping,
  groupForBatchReview,
  groupIntoRows,
  nextPendingId,
  type QuestionFilter,
  type QueueListRow,
} from "./queue";

const NO_APPROVALS: readonly Approval[] = [];

export function Inbox() {
  const pending = usePendingQuestions();
  const approvals = useLingeringApprovals(pending.data ?? NO_APPROVALS);
  const narrow = useIsNarrowScreen();
  const { page } = useRoute();
  const id = usePageId("inbox");
  const [grouping, setGrouping] = useState<Grouping>("agent");
  const [filter, setFilter] = useState<QuestionFilter>({ words: "", effect: "all", later: false });
  const deferredFilter = useDeferredValue(filter);
  const shown = useMemo(() => filterQuestions(approvals, deferredFilter), [approvals, deferredFilter]);
  const rows = useMemo(() => groupIntoRows(shown, grouping), [shown, grouping]);
  const first = nextPendingId(rows, "");
  // An answered question stays open until it has left the list; then the next one is opened.
  const hasLeft = useHasLeftList(
    id,
    approvals.some((one) => one.id === id),
  );
  // Another page may be loading while this one is still shown.
  const opensFirst = page === "inbox" && !narrow && first !== "" && (id === "" || hasLeft);
  // Without any question, the empty state fills the page.
  const isEmpty = !narrow && id === "" && approvals.length === 0 && pending.isSuccess;
  useEffect(() => {
    if (opensFirst) replaceRoute("inbox", first);
  }, [opensFirst, first]);

  return (
    <>
      {!(narrow && id) && <InboxBar approvals={approvals} grouping={grouping} onGroup={setGrouping} />}
      {isEmpty ? (
        <div className="grid grow place-items-center bg-canvas">
          <EmptyInbox />
        </div>
      ) : (
        <div className="grid min-h-0 grow grid-rows-[minmax(0,1fr)] phone:grid-cols-[320px_minmax(0,1fr)] lg:grid-cols-[392px_minmax(0,1fr)]">
          {!(narrow && id) && (
            <QuestionList
              rows={rows}
              grouping={grouping}
              approvals={approvals}
              selected={id}
              filter={filter}
              onFilter={setFilter}
              loading={pending.isPending}
              error={pending.error}
              onRetry={() => void pending.refetch()}
            />
          )}
          {!(narrow && !id) && <QuestionPane id={id} rows={rows} loading={pending.isPending} />}
        </div>
      )}
    </>
  );
}

/** Whether the open question was in the list and has left it. */
function useHasLeftList(id: string, listed: boolean): boolean {
  const seen = useRef({ id: "", listed: false });
  useEffect(() => {
    seen.current = { id, listed: listed || (seen.current.id === id && seen.current.listed) };
  });
  return !listed && seen.current.id === id && seen.current.listed;
}

/** Milliseconds that an answered question stays in the list, so that the list does not move under a finger. */
const ANSWERED_LINGER_MS = 4000;

function useLingeringApprovals(approvals: readonly Approval[]): readonly Approval[] {
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const leaving = useRef(new Set<string>());
  useEffect(() => {
    const over = approvals.filter((one) => one.state !== "pending" && !leaving.current.has(one.id));
    for (const { id } of over) leaving.current.add(id);
    if (over.length === 0) return;
    // The timers are not cleared on later changes, or a busy list would keep answered questions forever.
    setTimeout(
      () => setGone((before) => new Set([...before, ...over.map((one) => one.id)])),
      ANSWERED_LINGER_MS,
    );
  }, [approvals]);
  return useMemo(
    () => approvals.filter((one) => one.state === "pending" || !gone.has(one.id)),
    [approvals, gone],
  );
}

type InboxBarProps = {
  approvals: readonly Approval[];
  grouping: Grouping;
  onGroup: (grouping: Grouping) => void;
};

function InboxBar({ approvals, grouping, onGroup }: InboxBarProps) {
  const t = useTranslate();
  const waiting = approvals.filter((one) => one.state === "pending" && one.later_at === null);
  const agents = new Set(waiting.map((one) => one.call.agent)).size;
  return (
    <PageBar
      title={t("inbox")}
      note={
        waiting.length > 0
          ? `${t("nWaiting", { count: waiting.length })}, ${t("nAgents", { count: agents })}`
          : ""
      }
    >
      <GroupingChoice grouping={grouping} onGroup={onGroup} />
      <Button
        icon="search"
        className="!hidden phone:!inline-flex"
        hotkey={`${COMMAND_KEY_NAME} K`}
        onClick={openCommandPalette}
      >
        {t("commands")}
      </Button>
    </PageBar>
  );
}

type GroupingProps = Pick<InboxBarProps, "grouping" | "onGroup">;

/** Memoized: it does not depend on the questions. */
const GroupingChoice = memo(function GroupingChoice({ grouping, onGroup }: GroupingProps) {
  const t = useTranslate();
  const names = { agent: t("byAgent"), time: t("byTime"), rule: t("byRule") };
  return (
    <SegmentedControl
      className="!hidden phone:!inline-flex"
      label={t("grouping")}
      value={grouping}
      choices={GROUPINGS.map((value) => ({ value, label: names[value] }))}
      onChoose={onGroup}
    />
  );
});

const ROW_HEIGHT = { group: 34, question: 60 };
const NARROW_ROW_HEIGHT = { group: 40, question: 76 };

type QuestionFilterProps = {
  rows: readonly QueueListRow[];
  grouping: Grouping;
  approvals: readonly Approval[];
  selected: string;
  filter: QuestionFilter;
  onFilter: (filter: QuestionFilter) => void;
  loading: boolean;
  error: Error | null;
  onRetry: () => void;
};

function QuestionList({
  rows,
  grouping,
  approvals,
  selected,
  filter,
  onFilter,
  loading,
  error,
  onRetry,
}: QuestionFilterProps) {
  const t = useTranslate();
  const titles = useConversationTitles();
  const [reviewedGroup, setReviewedGroup] = useState<Extract<QueueListRow, { kind: "group" }> | null>(null);
  const narrow = useIsNarrowScreen();
  const heights = narrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  const sizedRows = useMemo(
    () => rows.map((row) => ({ ...row, height: heights[row.kind] })),
    [rows, heights],
  );
  const empty = countPending(approvals) === 0 && !filter.later;
  return (
    <section
      className="flex min-h-0 min-w-0 flex-col border-line bg-surface phone:border-r"
      aria-label={t("waitingQuestions")}
    >
      <QuestionFilters filter={filter} onFilter={onFilter} />
      {error && rows.length === 0 ? (
        <LoadError error={error} onRetry={onRetry} />
      ) : loading ? (
        <Skeleton rows={6} />
      ) : rows.length === 0 ? (
        empty ? (
          <EmptyInbox />
        ) : (
          <EmptyState icon="search" title={t("nothingFound")}>
            <p>{t("nothingFoundMore")}</p>
            <Button onClick={() => onFilter({ words: "", effect: "all", later: false })}>
              {t("showEverything")}
            </Button>
          </EmptyState>
        )
      ) : (
        <VirtualList
          rows={sizedRows}
          label={t("waitingQuestions")}
          current={selected}
          render={(row) =>
            row.kind === "group" ? (
              <GroupHeadingRow row={row} onReview={() => setReviewedGroup(row)} />
            ) : (
              <QueueRow
                approval={row.approval}
                current={row.key === selected}
                namesAgent={grouping !== "agent"}
                title={titles[row.approval.call.conversation]}
              />
            )
          }
        />
      )}
      <PostponedQuestions approvals={approvals} filter={filter} onFilter={onFilter} />
      {reviewedGroup && (
        <BatchReview approvals={reviewedGroup.approvals} onClose={() => setReviewedGroup(null)} />
      )}
    </section>
  );
}

const QuestionFilters = memo(function Filters({
  filter,
  onFilter,
}: Pick<QuestionFilterProps, "filter" | "onFilter">) {
  const t = useTranslate();
  return (
    <div className="flex items-center gap-2 border-b border-line px-3 py-2.5">
      <SearchField
        className="grow"
        label={t("filterHint")}
        value={filter.words}
        onChange={(event) => onFilter({ ...filter, words: event.target.value })}
      />
      <EffectMenu filter={filter} onFilter={onFilter} />
    </div>
  );
});

function EmptyInbox() {
  const t = useTranslate();
  return (
    <EmptyState icon="check" title={t("nothingWaiting")}>
      <p>{t("nothingWaitingMore")}</p>
    </EmptyState>
  );
}

function EffectMenu({ filter, onFilter }: Pick<QuestionFilterProps, "filter" | "onFilter">) {
  const t = useTranslate();
  const choices = [
    { value: "all" as const, label: t("all") },
    ...EFFECTS.map((value) => ({
      value,
      label: t(value),
      mark: <Icon name={value} className={`tone-${value} tinted`} />,
    })),
  ];
  return (
    <RadioMenu<Effect | "all">
      label={t("effects")}
      value={filter.effect}
      choices={choices}
      onChoose={(effect) => onFilter({ ...filter, effect })}
      trigger={
        <Button icon={filter.effect === "all" ? "settings" : filter.effect} aria-label={t("effects")} />
      }
    />
  );
}

function GroupHeadingRow({
  row,
  onReview,
}: {
  row: Extract<QueueListRow, { kind: "group" }>;
  onReview: () => void;
}) {
  const t = useTranslate();
  const waiting = groupForBatchReview(row.approvals).flat().length;
  return (
    <div className="flex h-full items-center gap-2 border-y border-line bg-sunken pr-2 pl-4 text-meta font-semibold text-ink-2">
      <span className="truncate">{stageWord(row.name, t)}</span>
      <span className="font-medium whitespace-nowrap text-ink-3">
        {t("nQuestions", { count: row.approvals.length })}
      </span>
      <span className="grow" />
      {waiting > 1 && (
        <Button look="quiet" small onClick={onReview}>
          {t("peek", { count: waiting })}
        </Button>
      )}
    </div>
  );
}

function PostponedQuestions({
  approvals,
  filter,
  onFilter,
}: Pick<QuestionFilterProps, "approvals" | "filter" | "onFilter">) {
  const t = useTranslate();
  const count = approvals.filter((one) => one.state === "pending" && one.later_at !== null).length;
  if (count === 0 && !filter.later) return null;
  return (
    <p className="flex items-center gap-2 border-t border-line px-4 py-2.5 text-meta text-ink-3">
      <Icon name="later" size="small" />
      {t("setAside", { count })}
      <span className="grow" />
      <button
        type="button"
        className="text-accent hover:underline"
        onClick={() => onFilter({ ...filter, later: !filter.later })}
      >
        {t(filter.later ? "hide" : "show")}
      </button>
    </p>
  );
}
