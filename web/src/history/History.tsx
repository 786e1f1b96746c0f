/** History: every decision with its reason, automatic ones too, and statistics of the questions. */
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { getJson, queryString } from "@/api/http";
import type { Tally } from "@/api/types";
import { PageBar } from "@/shell/PageBar";
import { Icon } from "@/ui/Icon";
import { SegmentedControl } from "@/ui/SegmentedControl";
import { EmptyState, LoadError, Skeleton } from "@/ui/states";
import { VisibleText } from "@/ui/VisibleText";
import { formatDuration, formatTenths } from "@/words/time";
import { useLanguage } from "@/words/words";
import { RuleText } from "./AuditEntry";
import { DecisionHistory } from "./Decisions";
import { QuestionsPerHourPlot } from "./Plot";
import { QUESTION_ENDS, questionSources, questionsPerHour, summaryFigures } from "./stats";

const TIME_RANGES = { day: 1, week: 7, month: 30 } as const;
type TimeRange = keyof typeof TIME_RANGES;

/** The start of a time range, rounded to the hour, so that the query key changes only once an hour. */
const timeRangeStart = (range: TimeRange) =>
  new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - TIME_RANGES[range] * 86_400_000).toISOString();

export default function History() {
  const { t } = useLanguage();
  const [range, setRange] = useState<TimeRange>("week");
  const from = timeRangeStart(range);
  const tally = useQuery({
    queryKey: ["audit", "tally", from],
    queryFn: () => getJson<Tally>(`audit/tally${queryString({ since: from })}`),
    staleTime: 10_000,
  });
  return (
    <>
      <PageBar title={t("history")}>
        <SegmentedControl
          label={t("time")}
          value={range}
          choices={(Object.keys(TIME_RANGES) as TimeRange[]).map((value) => ({
            value,
            label: t(`range.${value}`),
          }))}
          onChoose={setRange}
        />
      </PageBar>
      <div className="scroll grid grow auto-rows-max content-start gap-5 p-4 phone:p-5">
        {tally.error ? (
          <LoadError error={tally.error} onRetry={() => void tally.refetch()} />
        ) : tally.isPending ? (
          <Skeleton rows={6} />
        ) : summaryFigures(tally.data).decisions === 0 ? (
          <EmptyState icon="history" title={t("historyEmpty")}>
            <p>{t("historyEmptyMore")}</p>
          </EmptyState>
        ) : (
          <>
            <SummaryFigureRow tally={tally.data} />
            <div className="grid gap-5 xl:grid-cols-2">
              <QuestionsPerHour tally={tally.data} />
              <QuestionSources tally={tally.data} />
            </div>
            <DecisionHistory from={from} />
          </>
        )}
      </div>
    </>
  );
}

function SummaryFigureRow({ tally }: { tally: Tally }) {
  const { t, language } = useLanguage();
  const { questions, median } = tally;
  const figures = summaryFigures(tally);
  const number = new Intl.NumberFormat(language);
  const share = figures.decisions > 0 ? figures.unasked / figures.decisions : 0;
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const cells = [
    [
      t("decisions"),
      number.format(figures.decisions),
      `${number.format(figures.denied)} ${t("denied").toLowerCase()}`,
    ],
    [t("ranUnasked"), number.format(figures.unasked), percent.format(share)],
    [
      t("questions"),
      number.format(questions.asked),
      QUESTION_ENDS.filter((stand) => questions[stand] > 0)
        .map((stand) => t(`stands.${stand}`, { count: questions[stand] }))
        .join(", "),
    ],
    [t("medianAnswer"), median === null ? "–" : formatAnswerTime(median, language), ""],
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

/** Format the time to answer; under ten seconds with tenths. */
const formatAnswerTime = (seconds: number, language: string) =>
  seconds < 10 ? formatTenths(seconds, language) : formatDuration(seconds);

function QuestionsPerHour({ tally }: { tally: Tally }) {
  const { t } = useLanguage();
  const hours = useMemo(() => questionsPerHour(tally, Date.now()), [tally]);
  return (
    <section className="box flex flex-col">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2.5">
        <h2>{t("perHour")}</h2>
        <span className="meta">{t("range.day")}</span>
        <span className="grow" />
        <PlotLegendItem color="bg-[light-dark(#8fa9ad,#5f7c81)]">{t("approvedOrOpen")}</PlotLegendItem>
        <PlotLegendItem color="bg-danger">{t("denied").toLowerCase()}</PlotLegendItem>
      </div>
      <div className="flex grow items-end p-4 pb-2">
        <QuestionsPerHourPlot hours={hours} />
      </div>
    </section>
  );
}

function PlotLegendItem({ color, children }: { color: string; children: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 text-meta text-ink-2">
      <i className={`size-[9px] rounded-[2px] ${color}`} />
      {children}
    </span>
  );
}

const MAX_SHOWN_SOURCES = 8;

function QuestionSources({ tally }: { tally: Tally }) {
  const { t, language } = useLanguage();
  const [by, setBy] = useState<"tool" | "rule">("tool");
  const loads = useMemo(() => questionSources(tally, by), [tally, by]);
  const number = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, { style: "percent" });
  return (
    <section className="box">
      <div className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-1.5">
        <h2 className="grow py-1">{t("whereFrom")}</h2>
        <SegmentedControl
          label={t("grouping")}
          value={by}
          choices={[
            { value: "tool", label: t("tool") },
            { value: "rule", label: t("ruleLabel") },
          ]}
          onChoose={setBy}
        />
      </div>
      <table className="w-full">
        <thead>
          <tr className="meta border-b border-line text-right">
            <th className="py-2 pl-4 text-left font-medium">{t(by === "tool" ? "tool" : "ruleLabel")}</th>
            <th className="p-2 font-medium max-phone:px-1">{t("questions")}</th>
            <th className="p-2 font-medium max-phone:px-1">{t("approvedRate")}</th>
            <th className="py-2 pr-4 pl-2 font-medium max-phone:pl-1">{t("median")}</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line-soft tabular-nums">
          {loads.slice(0, MAX_SHOWN_SOURCES).map((load) => (
            <tr key={load.name} className="text-right">
              <td className="py-1.5 pl-4 text-left [overflow-wrap:anywhere]">
                {by === "rule" ? (
                  <RuleText rule={load.name} />
                ) : (
                  <code>
                    <VisibleText text={load.name} />
                  </code>
                )}{" "}
                {load.rubberStamp && (
                  <a className="chip tone-ask" href="#/rules">
                    <Icon name="warn" size="small" />
                    {t("rubberStamp")}
                  </a>
                )}
              </td>
              <td className="px-2 py-1.5">{number.format(load.questions)}</td>
              <td className="px-2 py-1.5">{load.rate === null ? "–" : percent.format(load.rate)}</td>
              <td className="py-1.5 pr-4 pl-2 whitespace-nowrap">
                {load.median === null ? "–" : formatAnswerTime(load.median, language)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
