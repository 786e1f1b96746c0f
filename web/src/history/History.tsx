/** History: every decision, automatic ones too, with its reason; and what the questions add up to. */
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { get, query } from "@/api/http";
import type { Tally } from "@/api/types";
import { PageBar } from "@/shell/PageBar";
import { Icon } from "@/ui/Icon";
import { Segments } from "@/ui/Segments";
import { Bones, EmptyState, Failure } from "@/ui/states";
import { VisibleText } from "@/ui/VisibleText";
import { span, tenths } from "@/words/time";
import { useWords } from "@/words/words";
import { RuleName } from "./Because";
import { Decisions } from "./Decisions";
import { HourPlot } from "./Plot";
import { figuresOf, hoursOf, loadsOf, STANDS } from "./stats";

const RANGES = { day: 1, week: 7, month: 30 } as const;
type Range = keyof typeof RANGES;

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
    [say("medianAnswer"), median === null ? "–" : lasted(median, language), ""],
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
const lasted = (seconds: number, language: string) =>
  seconds < 10 ? tenths(seconds, language) : span(seconds);

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
                {load.median === null ? "–" : lasted(load.median, language)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
