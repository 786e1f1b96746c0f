/** The inbox: every question that waits, and the one that is read now. */
import { memo, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { usePending } from "@/api/queries";
import type { Approval } from "@/api/types";
import { useTitles } from "@/chat/conversations";
import { PageBar } from "@/shell/PageBar";
import { openPalette } from "@/shell/Palette";
import { slip, usePageId, useRoute } from "@/shell/route";
import { Button, COMMAND } from "@/ui/Button";
import { EFFECTS, type Effect } from "@/ui/effect";
import { SearchField } from "@/ui/Field";
import { Icon } from "@/ui/Icon";
import { RadioMenu } from "@/ui/Menu";
import { Segments } from "@/ui/Segments";
import { stageWord } from "@/ui/stage";
import { Bones, EmptyState, Failure } from "@/ui/states";
import { useNarrow } from "@/ui/useNarrow";
import { VirtualList } from "@/ui/VirtualList";
import { useSay } from "@/words/words";
import { Peek } from "./Peek";
import { QueueRow } from "./QueueRow";
import {
  alike,
  countPending,
  type Filter,
  GROUPINGS,
  type Grouping,
  nextAfter,
  passing,
  type Row,
  rowsOf,
} from "./queue";
import { Stage } from "./Stage";

const NONE: readonly Approval[] = [];

export function Inbox() {
  const pending = usePending();
  const approvals = useLingering(pending.data ?? NONE);
  const narrow = useNarrow();
  const { page } = useRoute();
  const id = usePageId("inbox");
  const [grouping, setGrouping] = useState<Grouping>("agent");
  const [filter, setFilter] = useState<Filter>({ words: "", effect: "all", later: false });
  const sought = useDeferredValue(filter);
  const shown = useMemo(() => passing(approvals, sought), [approvals, sought]);
  const rows = useMemo(() => rowsOf(shown, grouping), [shown, grouping]);
  const first = nextAfter(rows, "");
  // A question that is over stays until it has left the list; only then is the next one shown by itself.
  const faded = useFaded(
    id,
    approvals.some((one) => one.id === id),
  );
  // Another page may be on its way while this one is still there.
  const idle = page === "inbox" && !narrow && first !== "" && (id === "" || faded);
  // With nothing to choose from and nothing chosen, the whole page says so.
  const quiet = !narrow && id === "" && approvals.length === 0 && pending.isSuccess;
  useEffect(() => {
    if (idle) slip("inbox", first);
  }, [idle, first]);

  return (
    <>
      {!(narrow && id) && <Bar approvals={approvals} grouping={grouping} onGroup={setGrouping} />}
      {quiet ? (
        <div className="grid grow place-items-center bg-canvas">
          <NothingWaits />
        </div>
      ) : (
        <div className="grid min-h-0 grow grid-rows-[minmax(0,1fr)] phone:grid-cols-[320px_minmax(0,1fr)] lg:grid-cols-[392px_minmax(0,1fr)]">
          {!(narrow && id) && (
            <Queue
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
          {!(narrow && !id) && <Stage id={id} rows={rows} loading={pending.isPending} />}
        </div>
      )}
    </>
  );
}

/** Whether the question that is read has left the list meanwhile; one that was opened later has not. */
function useFaded(id: string, listed: boolean): boolean {
  const seen = useRef({ id: "", listed: false });
  useEffect(() => {
    seen.current = { id, listed: listed || (seen.current.id === id && seen.current.listed) };
  });
  return !listed && seen.current.id === id && seen.current.listed;
}

/** How long what has ended stays where it is: it never vanishes under a finger. */
const LINGER = 4000;

function useLingering(approvals: readonly Approval[]): readonly Approval[] {
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const leaving = useRef(new Set<string>());
  useEffect(() => {
    const over = approvals.filter((one) => one.state !== "pending" && !leaving.current.has(one.id));
    for (const { id } of over) leaving.current.add(id);
    if (over.length === 0) return;
    // Not cleared when more happens: a busy hour must not keep what is over for ever.
    setTimeout(() => setGone((before) => new Set([...before, ...over.map((one) => one.id)])), LINGER);
  }, [approvals]);
  return useMemo(
    () => approvals.filter((one) => one.state === "pending" || !gone.has(one.id)),
    [approvals, gone],
  );
}

type BarProps = { approvals: readonly Approval[]; grouping: Grouping; onGroup: (grouping: Grouping) => void };

function Bar({ approvals, grouping, onGroup }: BarProps) {
  const say = useSay();
  const waiting = approvals.filter((one) => one.state === "pending" && one.later_at === null);
  const agents = new Set(waiting.map((one) => one.call.agent)).size;
  return (
    <PageBar
      title={say("inbox")}
      note={
        waiting.length > 0
          ? `${say("nWaiting", { count: waiting.length })}, ${say("nAgents", { count: agents })}`
          : ""
      }
    >
      <Groupings grouping={grouping} onGroup={onGroup} />
      <Button
        icon="search"
        className="!hidden phone:!inline-flex"
        hotkey={`${COMMAND} K`}
        onClick={openPalette}
      >
        {say("commands")}
      </Button>
    </PageBar>
  );
}

type GroupingProps = Pick<BarProps, "grouping" | "onGroup">;

/** Kept while questions come and go: nothing of it is about them. */
const Groupings = memo(function Groupings({ grouping, onGroup }: GroupingProps) {
  const say = useSay();
  const names = { agent: say("byAgent"), time: say("byTime"), rule: say("byRule") };
  return (
    <Segments
      className="!hidden phone:!inline-flex"
      label={say("grouping")}
      value={grouping}
      choices={GROUPINGS.map((value) => ({ value, label: names[value] }))}
      onChoose={onGroup}
    />
  );
});

const HEIGHT = { group: 34, question: 60 };
const NARROW_HEIGHT = { group: 40, question: 76 };

type QueueProps = {
  rows: readonly Row[];
  grouping: Grouping;
  approvals: readonly Approval[];
  selected: string;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  loading: boolean;
  error: Error | null;
  onRetry: () => void;
};

function Queue({
  rows,
  grouping,
  approvals,
  selected,
  filter,
  onFilter,
  loading,
  error,
  onRetry,
}: QueueProps) {
  const say = useSay();
  const titles = useTitles();
  const [peeked, setPeeked] = useState<Extract<Row, { kind: "group" }> | null>(null);
  const narrow = useNarrow();
  const heights = narrow ? NARROW_HEIGHT : HEIGHT;
  const sized = useMemo(() => rows.map((row) => ({ ...row, height: heights[row.kind] })), [rows, heights]);
  const empty = countPending(approvals) === 0 && !filter.later;
  return (
    <section
      className="flex min-h-0 min-w-0 flex-col border-line bg-surface phone:border-r"
      aria-label={say("waitingQuestions")}
    >
      <Filters filter={filter} onFilter={onFilter} />
      {error && rows.length === 0 ? (
        <Failure error={error} onRetry={onRetry} />
      ) : loading ? (
        <Bones rows={6} />
      ) : rows.length === 0 ? (
        empty ? (
          <NothingWaits />
        ) : (
          <EmptyState icon="search" title={say("nothingFound")}>
            <p>{say("nothingFoundMore")}</p>
            <Button onClick={() => onFilter({ words: "", effect: "all", later: false })}>
              {say("showEverything")}
            </Button>
          </EmptyState>
        )
      ) : (
        <VirtualList
          rows={sized}
          label={say("waitingQuestions")}
          current={selected}
          render={(row) =>
            row.kind === "group" ? (
              <Group row={row} onPeek={() => setPeeked(row)} />
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
      <SetAside approvals={approvals} filter={filter} onFilter={onFilter} />
      {peeked && <Peek approvals={peeked.approvals} onClose={() => setPeeked(null)} />}
    </section>
  );
}

const Filters = memo(function Filters({ filter, onFilter }: Pick<QueueProps, "filter" | "onFilter">) {
  const say = useSay();
  return (
    <div className="flex items-center gap-2 border-b border-line px-3 py-2.5">
      <SearchField
        className="grow"
        label={say("filterHint")}
        value={filter.words}
        onChange={(event) => onFilter({ ...filter, words: event.target.value })}
      />
      <EffectMenu filter={filter} onFilter={onFilter} />
    </div>
  );
});

function NothingWaits() {
  const say = useSay();
  return (
    <EmptyState icon="check" title={say("nothingWaiting")}>
      <p>{say("nothingWaitingMore")}</p>
    </EmptyState>
  );
}

function EffectMenu({ filter, onFilter }: Pick<QueueProps, "filter" | "onFilter">) {
  const say = useSay();
  const choices = [
    { value: "all" as const, label: say("all") },
    ...EFFECTS.map((value) => ({
      value,
      label: say(value),
      mark: <Icon name={value} className={`tone-${value} tinted`} />,
    })),
  ];
  return (
    <RadioMenu<Effect | "all">
      label={say("effects")}
      value={filter.effect}
      choices={choices}
      onChoose={(effect) => onFilter({ ...filter, effect })}
      trigger={
        <Button icon={filter.effect === "all" ? "settings" : filter.effect} aria-label={say("effects")} />
      }
    />
  );
}

function Group({ row, onPeek }: { row: Extract<Row, { kind: "group" }>; onPeek: () => void }) {
  const say = useSay();
  const waiting = alike(row.approvals).flat().length;
  return (
    <div className="flex h-full items-center gap-2 border-y border-line bg-sunken pr-2 pl-4 text-meta font-semibold text-ink-2">
      <span className="truncate">{stageWord(row.name, say)}</span>
      <span className="font-medium whitespace-nowrap text-ink-3">
        {say("nQuestions", { count: row.approvals.length })}
      </span>
      <span className="grow" />
      {waiting > 1 && (
        <Button look="quiet" small onClick={onPeek}>
          {say("peek", { count: waiting })}
        </Button>
      )}
    </div>
  );
}

function SetAside({ approvals, filter, onFilter }: Pick<QueueProps, "approvals" | "filter" | "onFilter">) {
  const say = useSay();
  const count = approvals.filter((one) => one.state === "pending" && one.later_at !== null).length;
  if (count === 0 && !filter.later) return null;
  return (
    <p className="flex items-center gap-2 border-t border-line px-4 py-2.5 text-meta text-ink-3">
      <Icon name="later" size="small" />
      {say("setAside", { count })}
      <span className="grow" />
      <button
        type="button"
        className="text-accent hover:underline"
        onClick={() => onFilter({ ...filter, later: !filter.later })}
      >
        {say(filter.later ? "hide" : "show")}
      </button>
    </p>
  );
}
