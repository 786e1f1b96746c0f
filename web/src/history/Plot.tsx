/** Questions per hour as bars; the same numbers stand in the label for those who hear them. */
import { useNarrow } from "@/ui/useNarrow";
import { useWords } from "@/words/words";
import type { Hour } from "./stats";

const [HEIGHT, LEFT, FLOOR] = [186, 26, 158];
/** Drawn about as wide as it is shown, so that its letters keep their size. */
const WIDTHS = { narrow: 330, wide: 560 };

export function HourPlot({ hours }: { hours: readonly Hour[] }) {
  const { say, language } = useWords();
  const whole = useNarrow() ? WIDTHS.narrow : WIDTHS.wide;
  const most = Math.max(2, ...hours.map((hour) => hour.asked));
  const step = Math.max(1, Math.ceil(most / 3));
  const marks = Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
  const width = (whole - LEFT) / hours.length;
  const height = (count: number) => (count / most) * (FLOOR - 14);
  const total = hours.reduce((sum, hour) => sum + hour.asked, 0);
  const name = (at: number) =>
    new Date(at).toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return (
    <svg
      className="block h-auto w-full"
      viewBox={`0 0 ${whole} ${HEIGHT}`}
      role="img"
      aria-label={`${say("perHour")}: ${say("nQuestions", { count: total })}`}
    >
      {marks.map((mark) => (
        <g key={mark}>
          <line
            x1={LEFT}
            x2={whole}
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
          <title>{`${name(hour.at)}: ${say("nQuestions", { count: hour.asked })}`}</title>
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
              {name(hour.at)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}
