/** History: every decision, automatic ones too, with its reason; and what the questions add up to. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { get, query, V1 } from "@/api/http";
import type { AuditRow, Page, Tally } from "@/api/types";
import { PageBar } from "@/shell/PageBar";
import { Button } from "@/ui/Button";
import { SearchField } from "@/ui/Field";
import { Icon } from "@/ui/Icon";
import { RadioMenu } from "@/ui/Menu";
import { Segments } from "@/ui/Segments";
import { Bones, EmptyState, Failure } from "@/ui/states";
import { VisibleText } from "@/ui/VisibleText";
import { clock, exactly, span } from "@/words/time";
import { useWords } from "@/words/words";
import { Because, Outcome, RuleName } from "./Because";
import { HourPlot } from "./Plot";
import { figuresOf, hoursOf, loadsOf, STANDS } from "./stats";
import { Told } from "./Told";

const RANGES = { day: 1, week: 7, month: 30 } as const;
type Range = keyof typeof RANGES;
const VERDICTS = ["all", "run", "ask", "deny", "absent"] as const;
type Verdict = (typeof VERDICTS)[number];

/** Midnight would do, but an hour keeps the key of the query still for as long. */
const since = (range: Range) =>
  new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - RANGES[range] * 86_400_000).toISOString();

export default function History() {
  const { say } = useWords();
  const [range, setRange] = useState<Range>("week");
  const from = since(range);
  const tally = useQuery({
    queryKey: ["audit", "tally", from],
    queryFn: () => get<Tally>(`audit/tally${query({ since: from })}`),
    staleTime: 10_000,
  });
  return (
    <>
      <PageBar title={say("history")}>
        <Segments
          label={say("time")}
          value={range}
          choices={(Object.keys(RANGES) as Range[]).map((value) => ({ value, label: say(`range.${value}`) }))}
          onChoose={setRange}
        />
      </PageBar>
      <div className="scroll grid grow auto-rows-max content-start gap-5 p-4 phone:p-5">
        {tally.error ? (
          <Failure error={tally.error} onRetry={() => void tally.refetch()} />
        ) : tally.isPending ? (
          <Bones rows={6} />
        ) : figuresOf(tally.data).decisions === 0 ? (
          <EmptyState icon="history" title={say("historyEmpty")}>
            <p>{say("historyEmptyMore")}</p>
          </EmptyState>
        ) : (
          <>
            <FigureRow tally={tally.data} />
            <div className="grid gap-5 xl:grid-cols-2">
              <Hours tally={tally.data} />
              <Loads tally={tally.data} />
            </div>
            <Decisions from={from} />
          </>
        )}
      </div>
    </>
  );
}

function FigureRow({ tally }: { tally: Tally }) {
  const { say, language } = useWords();
  const { questions, median } = tally;
  const figures = figuresOf(tally);
  const number = new Intl.NumberFormat(language);
  const share = figures.decisions > 0 ? figures.unasked / figures.decisions : 0;
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const cells = [
    [
      say("decisions"),
      number.format(figures.decisions),
      `${number.format(figures.denied)} ${say("denied").toLowerCase()}`,
    ],
    [say("ranUnasked"), number.format(figures.unasked), percent.format(share)],
    [
      say("questions"),
      number.format(questions.asked),
      STANDS.filter((stand) => questions[stand] > 0)
        .map((stand) => say(`stands.${stand}`, { count: questions[stand] }))
        .join(", "),
    ],
    [say("medianAnswer"), median === null ? "–" : lasted(median), ""],
  ];
  return (
    <dl className="box grid grid-cols-2 phone:grid-cols-4">
      {cells.map(([name, value, note]) => (
        <div
          key={name}
          className="border-line px-4 py-3 even:border-l phone:not-first:border-l max-phone:nth-[n+3]:border-t"
        >
          <dt className="meta">{name}</dt>
          <dd className="text-figure leading-8 font-semibold tracking-tight tabular-nums">{value}</dd>
          <dd className="text-meta text-ink-2 tabular-nums">{note}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A time to answer: short ones by the tenth of a second, for there it matters. */
const lasted = (seconds: number) => (seconds < 10 ? `${seconds.toFixed(1)} s` : span(seconds));

function Hours({ tally }: { tally: Tally }) {
  const { say } = useWords();
  const hours = useMemo(() => hoursOf(tally, Date.now()), [tally]);
  return (
    <section className="box flex flex-col">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2.5">
        <h2>{say("perHour")}</h2>
        <span className="meta">{say("range.day")}</span>
        <span className="grow" />
        <Legend color="bg-[light-dark(#8fa9ad,#5f7c81)]">{say("approvedOrOpen")}</Legend>
        <Legend color="bg-danger">{say("denied").toLowerCase()}</Legend>
      </div>
      <div className="flex grow items-end p-4 pb-2">
        <HourPlot hours={hours} />
      </div>
    </section>
  );
}

function Legend({ color, children }: { color: string; children: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 text-meta text-ink-2">
      <i className={`size-[9px] rounded-[2px] ${color}`} />
      {children}
    </span>
  );
}

const MOST_LOADS = 8;

function Loads({ tally }: { tally: Tally }) {
  const { say, language } = useWords();
  const [by, setBy] = useState<"tool" | "rule">("tool");
  const loads = useMemo(() => loadsOf(tally, by), [tally, by]);
  const number = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, { style: "percent" });
  return (
    <section className="box">
      <div className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-1.5">
        <h2 className="grow py-1">{say("whereFrom")}</h2>
        <Segments
          label={say("grouping")}
          value={by}
          choices={[
            { value: "tool", label: say("tool") },
            { value: "rule", label: say("ruleLabel") },
          ]}
          onChoose={setBy}
        />
      </div>
      <table className="w-full">
        <thead>
          <tr className="meta border-b border-line text-right">
            <th className="py-2 pl-4 text-left font-medium">{say(by === "tool" ? "tool" : "ruleLabel")}</th>
            <th className="p-2 font-medium max-phone:px-1">{say("questions")}</th>
            <th className="p-2 font-medium max-phone:px-1">{say("approvedRate")}</th>
            <th className="py-2 pr-4 pl-2 font-medium max-phone:pl-1">{say("median")}</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line-soft tabular-nums">
          {loads.slice(0, MOST_LOADS).map((load) => (
            <tr key={load.name} className="text-right">
              <td className="py-1.5 pl-4 text-left [overflow-wrap:anywhere]">
                {by === "rule" ? (
                  <RuleName rule={load.name} />
                ) : (
                  <code>
                    <VisibleText text={load.name} />
                  </code>
                )}{" "}
                {load.rubberStamp && (
                  <a className="chip tone-ask" href="#/rules">
                    <Icon name="warn" size="small" />
                    {say("rubberStamp")}
                  </a>
                )}
              </td>
              <td className="px-2 py-1.5">{number.format(load.questions)}</td>
              <td className="px-2 py-1.5">{load.rate === null ? "–" : percent.format(load.rate)}</td>
              <td className="py-1.5 pr-4 pl-2 whitespace-nowrap">
                {load.median === null ? "–" : lasted(load.median)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Decisions({ from }: { from: string }) {
  const { say } = useWords();
  const [words, setWords] = useState("");
  const [verdict, setVerdict] = useState<Verdict>("all");
  const [open, setOpen] = useState("");
  const pages = useInfiniteQuery({
    queryKey: ["audit", "rows", from, verdict],
    queryFn: ({ pageParam }) =>
      get<Page<AuditRow>>(
        `audit${query({ since: from, limit: 100, after: pageParam, verdict: verdict === "all" ? "" : verdict })}`,
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
  });
  const rows = useMemo(() => {
    const found = pages.data?.pages.flatMap((page) => page.items) ?? [];
    const wanted = words.toLowerCase();
    return found.filter(({ entry }) => Object.values(entry).join(" ").toLowerCase().includes(wanted));
  }, [pages.data, words]);
  return (
    <section>
      <div className="flex flex-wrap items-center gap-2 pb-2.5">
        <h2 className="grow">{say("decisions")}</h2>
        <Export from={from} />
        <SearchField
          className="w-60"
          label={say("searchHistory")}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <RadioMenu
          label={say("verdict")}
          value={verdict}
          choices={VERDICTS.map((value) => ({
            value,
            label: value === "all" ? say("all") : say(value === "absent" ? "absent" : value),
          }))}
          onChoose={setVerdict}
          trigger={
            <Button>
              {say("verdict")}: {verdict === "all" ? say("all").toLowerCase() : verdict}
              <Icon name="down" size="small" />
            </Button>
          }
        />
      </div>
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

/** All of it, for a spreadsheet or a program. */
function Export({ from }: { from: string }) {
  const { say } = useWords();
  return EXPORTS.map((format) => (
    <a
      key={format}
      className="btn"
      href={`${V1}audit/export${query({ format, since: from })}`}
      aria-label={`${say("exportAs")}: ${format.toUpperCase()}`}
      download
    >
      <Icon name="export" size="small" /> {format.toUpperCase()}
    </a>
  ));
}

const EXPORTS = ["csv", "jsonl"] as const;

function DecisionRow({ row, open, onToggle }: { row: AuditRow; open: boolean; onToggle: () => void }) {
  const { language } = useWords();
  const { entry } = row;
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={onToggle}
        className={`grid w-full items-center gap-x-4 gap-y-1 px-3.5 py-1.5 text-left hover:bg-hover phone:grid-cols-[96px_120px_minmax(0,170px)_minmax(0,1fr)_minmax(0,150px)_16px] ${open ? "bg-accent-soft" : ""}`}
      >
        <time className="meta tabular-nums" dateTime={row.at} title={exactly(row.at, language)}>
          {clock(row.at, language)}
        </time>
        <span>
          <Outcome entry={entry} />
        </span>
        <code className="truncate">
          <VisibleText text={entry.tool} />
        </code>
        <span className="meta truncate">
          <Because entry={entry} />
        </span>
        <span className="truncate">
          <VisibleText text={entry.agent || entry.user} />
        </span>
        <Icon name={open ? "down" : "next"} size="small" className="text-ink-3 max-phone:!hidden" />
      </button>
      {open && <Told row={row} />}
    </li>
  );
}
