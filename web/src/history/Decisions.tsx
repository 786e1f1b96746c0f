/** The rows of the audit: what was decided of calls, or what people changed; the newest first. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { get, query, V1 } from "@/api/http";
import type { AuditRow, Page } from "@/api/types";
import { Button } from "@/ui/Button";
import { SearchField } from "@/ui/Field";
import { Icon } from "@/ui/Icon";
import { RadioMenu } from "@/ui/Menu";
import { Segments } from "@/ui/Segments";
import { EmptyState } from "@/ui/states";
import { VisibleText } from "@/ui/VisibleText";
import { clock, exactly } from "@/words/time";
import { useWords } from "@/words/words";
import { Because, Outcome } from "./Because";
import { Told } from "./Told";

const VERDICTS = ["all", "run", "ask", "deny", "absent"] as const;
type Verdict = (typeof VERDICTS)[number];
const VIEWS = ["decisions", "changes"] as const;
type View = (typeof VIEWS)[number];

/** A row that is about no call: somebody changed a person, a right or the policy. */
const isChange = ({ entry }: AuditRow) => entry.tool === "" && entry.verdict === "";

export function Decisions({ from }: { from: string }) {
  const { say } = useWords();
  const [view, setView] = useState<View>("decisions");
  const [words, setWords] = useState("");
  const [verdict, setVerdict] = useState<Verdict>("all");
  const pages = useRows(from, view, verdict);
  const rows = useMemo(() => {
    const found = pages.data?.pages.flatMap((page) => page.items) ?? [];
    const wanted = words.toLowerCase();
    return found
      .filter((row) => isChange(row) === (view === "changes"))
      .filter(({ entry }) => Object.values(entry).join(" ").toLowerCase().includes(wanted));
  }, [pages.data, words, view]);
  return (
    <section aria-label={say(view)}>
      <div className="flex flex-wrap items-center gap-2 pb-2.5">
        <h2 className="sr-only">{say(view)}</h2>
        <Segments
          label={say("history")}
          value={view}
          choices={VIEWS.map((value) => ({ value, label: say(value) }))}
          onChoose={setView}
        />
        <span className="grow" />
        <Export from={from} view={view} />
        <SearchField
          className="w-60 max-phone:grow"
          label={say("searchHistory")}
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
          {say("olderOnes")}
        </Button>
      )}
    </section>
  );
}

function useRows(from: string, view: View, verdict: Verdict) {
  const asked = view === "changes" ? { view } : { verdict: verdict === "all" ? "" : verdict };
  return useInfiniteQuery({
    queryKey: ["audit", "rows", from, asked],
    queryFn: ({ pageParam }) =>
      get<Page<AuditRow>>(`audit${query({ since: from, limit: 100, after: pageParam, ...asked })}`),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
  });
}

function VerdictMenu({ verdict, onChoose }: { verdict: Verdict; onChoose: (verdict: Verdict) => void }) {
  const { say } = useWords();
  return (
    <RadioMenu
      label={say("verdict")}
      value={verdict}
      choices={VERDICTS.map((value) => ({ value, label: say(value) }))}
      onChoose={onChoose}
      trigger={
        <Button>
          {say("verdict")}: {say(verdict).toLowerCase()}
          <Icon name="down" size="small" />
        </Button>
      }
    />
  );
}

/** All of it, for a spreadsheet or a program. */
function Export({ from, view }: { from: string; view: View }) {
  const { say } = useWords();
  const asked = view === "changes" ? { view } : {};
  return EXPORTS.map((format) => (
    <a
      key={format}
      className="btn"
      href={`${V1}audit/export${query({ format, since: from, ...asked })}`}
      aria-label={`${say("exportAs")}: ${format.toUpperCase()}`}
      download
    >
      <Icon name="export" size="small" /> {format.toUpperCase()}
    </a>
  ));
}

const EXPORTS = ["csv", "jsonl"] as const;

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
  const { say } = useWords();
  const { entry } = row;
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={onToggle}
        className={`decision hover:bg-hover ${open ? "bg-accent-soft" : ""}`}
      >
        <Moment at={row.at} />
        <span>
          <Outcome entry={entry} />
        </span>
        <code className="truncate">
          <VisibleText text={entry.tool} />
          {entry.ran_digest && entry.ran_digest !== entry.asked_digest && (
            <i className="chip chip-plain ml-2 font-sans not-italic">{say("over.edited")}</i>
          )}
        </code>
        <span className="meta truncate">
          <Because entry={entry} />
        </span>
        <span className="truncate max-phone:text-meta max-phone:text-ink-3">
          <VisibleText text={entry.agent || entry.user} />
        </span>
        <Icon name={open ? "down" : "next"} size="small" className="text-ink-3 max-phone:!hidden" />
      </button>
      {open && <Told row={row} />}
    </li>
  );
}

function Moment({ at }: { at: string }) {
  const { language } = useWords();
  return (
    <time className="meta tabular-nums" dateTime={at} title={exactly(at, language)}>
      {clock(at, language)}
    </time>
  );
}

/** Who changed a person, a right or the policy, and how; no verdict, for no call was decided. */
function ChangeList({ rows, loaded }: { rows: readonly AuditRow[]; loaded: boolean }) {
  const { say } = useWords();
  if (loaded && rows.length === 0) return <EmptyState icon="person" title={say("noChanges")} />;
  return (
    <ul className="box divide-y divide-line-soft">
      {rows.map(({ at, entry, writer, number }) => (
        <li key={`${writer}/${number}`} className="change">
          <Moment at={at} />
          <b className="truncate font-medium">
            <VisibleText text={entry.user} />
          </b>
          <span>
            <Outcome entry={entry} />
          </span>
          <span className="min-w-0 text-ink-2 [overflow-wrap:anywhere]">
            <VisibleText text={[entry.reason, entry.agent, entry.mode].filter(Boolean).join(" · ")} />
          </span>
        </li>
      ))}
    </ul>
  );
}
