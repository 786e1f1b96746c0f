/** A bar chart of questions per hour; its label contains the numbers for screen readers. */
import { useIsNarrowScreen } from "@/ui/useIsNarrowScreen";
import { useLanguage } from "@/words/words";
import type { HourCounts } from "./stats";

const [HEIGHT, LEFT, FLOOR] = [186, 26, 158];
/** The drawing width is about the display width, so that texts keep their size. */
const PLOT_WIDTHS = { narrow: 330, wide: 560 };

export function QuestionsPerHourPlot({ hours }: { hours: readonly HourCounts[] }) {
  const { t, language } = useLanguage();
  const totalWidth = useIsNarrowScreen() ? PLOT_WIDTHS.narrow : PLOT_WIDTHS.wide;
  const most = Math.max(2, ...hours.map((hour) => hour.asked));
  const step = Math.max(1, Math.ceil(most / 3));
  const marks = Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
  const width = (totalWidth - LEFT) / hours.length;
  const height = (count: number) => (count / most) * (FLOOR - 14);
  const total = hours.reduce((sum, hour) => sum + hour.asked, 0);
  const hourName = (at: number) =>
    new Date(at).toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return (
    <svg
      className="block h-auto w-full"
      viewBox={`0 0 ${totalWidth} ${HEIGHT}`}
      role="img"
      aria-label={`${t("perHour")}: ${t("nQuestions", { count: total })}`}
    >
      {marks.map((mark) => (
        <g key={mark}>
          <line
            x1={LEFT}
            x2={totalWidth}
            y1={FLOOR - height(mark)}
            y2={FLOOR - height(mark)}
            stroke="var(--line)"
          />
          <text x={LEFT - 8} y={FLOOR - height(mark) + 4} textAnchor="end" className="fill-ink-3 text-[11px]">
            {mark}
          </text>
        </g>
      ))}
      {hours.map((hour, at) => (
        <g key={hour.at}>
          <title>{`${hourName(hour.at)}: ${t("nQuestions", { count: hour.asked })}`}</title>
          <rect
            x={LEFT + at * width + width * 0.14}
            width={width * 0.72}
            y={FLOOR - height(hour.asked)}
            height={height(hour.asked)}
            rx="2"
            fill="light-dark(#8fa9ad, #5f7c81)"
          />
          {hour.denied > 0 && (
            <rect
              x={LEFT + at * width + width * 0.14}
              width={width * 0.72}
              y={FLOOR - height(hour.asked)}
              height={height(hour.denied)}
              rx="2"
              fill="var(--destructive)"
            />
          )}
          {at % 6 === 0 && (
            <text
              x={LEFT + at * width + width / 2}
              y={179}
              textAnchor="middle"
              className="fill-ink-3 text-[11px]"
            >
              {hourName(hour.at)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}
