/** The rows of the audit, the newest first: decisions about calls, or changes by people. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { API_PREFIX, getJson, queryString } from "@/api/http";
import type { AuditRow, Page } from "@/api/types";
import { Button } from "@/ui/Button";
import { SearchField } from "@/ui/Field";
import { Icon } from "@/ui/Icon";
import { RadioMenu } from "@/ui/Menu";
import { SegmentedControl } from "@/ui/SegmentedControl";
import { EmptyState } from "@/ui/states";
import { VisibleText } from "@/ui/VisibleText";
import { formatDayAndTime, formatExactTime } from "@/words/time";
import { useLanguage } from "@/words/words";
import { DeciderCell, OutcomeCell } from "./AuditEntry";
import { DecisionDetails } from "./DecisionDetails";

const VERDICT_FILTERS = ["all", "run", "ask", "deny", "absent"] as const;
type VerdictFilter = (typeof VERDICT_FILTERS)[number];
const HISTORY_VIEWS = ["decisions", "changes"] as const;
type HistoryView = (typeof HISTORY_VIEWS)[number];

/** Whether a row is about a change of people, rights or policy instead of a call. */
const isPolicyChange = ({ entry }: AuditRow) => entry.tool === "" && entry.verdict === "";

export function DecisionHistory({ from }: { from: string }) {
  const { t } = useLanguage();
  const [view, setView] = useState<HistoryView>("decisions");
  const [words, setWords] = useState("");
  const [verdict, setVerdict] = useState<VerdictFilter>("all");
  const pages = useAuditRows(from, view, verdict);
  const rows = useMemo(() => {
    const found = pages.data?.pages.flatMap((page) => page.items) ?? [];
    const searchText = words.toLowerCase();
    return found
      .filter((row) => isPolicyChange(row) === (view === "changes"))
      .filter(({ entry }) => Object.values(entry).join(" ").toLowerCase().includes(searchText));
  }, [pages.data, words, view]);
  return (
    <section aria-label={t(view)}>
      <div className="flex flex-wrap items-center gap-2 pb-2.5">
        <h2 className="sr-only">{t(view)}</h2>
        <SegmentedControl
          label={t("history")}
          value={view}
          choices={HISTORY_VIEWS.map((value) => ({ value, label: t(value) }))}
          onChoose={setView}
        />
        <span className="grow" />
        <ExportLinks from={from} view={view} />
        <SearchField
          className="w-60 max-phone:grow"
          label={t("searchHistory")}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        {view === "decisions" && <VerdictMenu verdict={verdict} onChoose={setVerdict} />}
      </div>
      {view === "decisions" ? (
        <DecisionList rows={rows} />
      ) : (
        <ChangeList rows={rows} loaded={pages.isSuccess} />
      )}
      {pages.hasNextPage && (
        <Button
          className="mt-3"
          disabled={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          {t("olderOnes")}
        </Button>
      )}
    </section>
  );
}

function useAuditRows(from: string, view: HistoryView, verdict: VerdictFilter) {
  const filter = view === "changes" ? { view } : { verdict: verdict === "all" ? "" : verdict };
  return useInfiniteQuery({
    queryKey: ["audit", "rows", from, filter],
    queryFn: ({ pageParam }) =>
      getJson<Page<AuditRow>>(
        `audit${queryString({ since: from, limit: 100, after: pageParam, ...filter })}`,
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
  });
}

function VerdictMenu({
  verdict,
  onChoose,
}: {
  verdict: VerdictFilter;
  onChoose: (verdict: VerdictFilter) => void;
}) {
  const { t } = useLanguage();
  return (
    <RadioMenu
      label={t("verdict")}
      value={verdict}
      choices={VERDICT_FILTERS.map((value) => ({ value, label: t(value) }))}
      onChoose={onChoose}
      trigger={
        <Button>
          {t("verdict")}: {t(verdict).toLowerCase()}
          <Icon name="down" size="small" />
        </Button>
      }
    />
  );
}

/** Links that export all rows as CSV or JSON lines. */
function ExportLinks({ from, view }: { from: string; view: HistoryView }) {
  const { t } = useLanguage();
  const filter = view === "changes" ? { view } : {};
  return EXPORT_FORMATS.map((format) => (
    <a
      key={format}
      className="btn"
      href={`${API_PREFIX}audit/export${queryString({ format, since: from, ...filter })}`}
      aria-label={`${t("exportAs")}: ${format.toUpperCase()}`}
      download
    >
      <Icon name="export" size="small" /> {format.toUpperCase()}
    </a>
  ));
}

const EXPORT_FORMATS = ["csv", "jsonl"] as const;

function DecisionList({ rows }: { rows: readonly AuditRow[] }) {
  const [open, setOpen] = useState("");
  return (
    <ul className="box divide-y divide-line-soft">
      {rows.map((row) => (
        <DecisionRow
          key={`${row.writer}/${row.number}`}
          row={row}
          open={open === row.entry.id}
          onToggle={() => setOpen(open === row.entry.id ? "" : row.entry.id)}
        />
      ))}
    </ul>
  );
}

function DecisionRow({ row, open, onToggle }: { row: AuditRow; open: boolean; onToggle: () => void }) {
  const { t } = useLanguage();
  const { entry } = row;
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={onToggle}
        className={`decision hover:bg-hover ${open ? "bg-accent-soft" : ""}`}
      >
        <AuditRowTime at={row.at} />
        <span>
          <OutcomeCell entry={entry} />
        </span>
        <code className="truncate">
          <VisibleText text={entry.tool} />
          {entry.ran_digest && entry.ran_digest !== entry.asked_digest && (
            <i className="chip chip-plain ml-2 font-sans not-italic">{t("over.edited")}</i>
          )}
        </code>
        <span className="meta truncate">
          <DeciderCell entry={entry} />
        </span>
        <span className="truncate max-phone:text-meta max-phone:text-ink-3">
          <VisibleText text={entry.agent || entry.user} />
        </span>
        <Icon name={open ? "down" : "next"} size="small" className="text-ink-3 max-phone:!hidden" />
      </button>
      {open && <DecisionDetails row={row} />}
    </li>
  );
}

function AuditRowTime({ at }: { at: string }) {
  const { language } = useLanguage();
  return (
    <time className="meta tabular-nums" dateTime={at} title={formatExactTime(at, language)}>
      {formatDayAndTime(at, language)}
    </time>
  );
}

/** Changes of people, rights and policy; these rows have no verdict. */
function ChangeList({ rows, loaded }: { rows: readonly AuditRow[]; loaded: boolean }) {
  const { t } = useLanguage();
  if (loaded && rows.length === 0) return <EmptyState icon="person" title={t("noChanges")} />;
  return (
    <ul className="box divide-y divide-line-soft">
      {rows.map(({ at, entry, writer, number }) => (
        <li key={`${writer}/${number}`} className="change">
          <AuditRowTime at={at} />
          <b className="truncate font-medium">
            <VisibleText text={entry.user} />
          </b>
          <span>
            <OutcomeCell entry={entry} />
          </span>
          <span className="min-w-0 text-ink-2 [overflow-wrap:anywhere]">
            <VisibleText text={[entry.reason, entry.agent, entry.mode].filter(Boolean).join(" · ")} />
          </span>
        </li>
      ))}
    </ul>
  );
}
