/** A long list that renders only visible rows; the height of each row is known in advance. */
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";

const RENDER_MARGIN = 240;

export type VirtualRow = { key: string; height: number };

type VirtualListProps<T extends VirtualRow> = {
  rows: readonly T[];
  label: string;
  /** The key of the row that is kept in view. */
  current: string;
  render: (row: T, at: number) => ReactNode;
};

export function VirtualList<T extends VirtualRow>({ rows, label, current, render }: VirtualListProps<T>) {
  const element = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const lastView = useRef(view);
  const tops = useMemo(() => rowTopPositions(rows), [rows]);
  const total = tops.at(-1) ?? 0;

  useLayoutEffect(() => {
    const node = element.current;
    if (!node) return;
    const measure = () => {
      lastView.current = { top: node.scrollTop, height: node.clientHeight || 800 };
      setView(lastView.current);
    };
    measure();
    node.addEventListener("scroll", measure, { passive: true });
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    return () => {
      node.removeEventListener("scroll", measure);
      observer.disconnect();
    };
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll only when the choice changes, not when rows are added
  useEffect(() => {
    const at = rows.findIndex((row) => row.key === current);
    const node = element.current;
    if (at < 0 || !node) return;
    const [top, bottom] = [tops[at] ?? 0, tops[at + 1] ?? 0];
    // Uses the last measured view, because measuring here would cause a second layout.
    const { top: above, height } = lastView.current;
    if (top < above + 40) node.scrollTop = Math.max(0, top - 40);
    else if (bottom > above + height) node.scrollTop = bottom - height;
  }, [current]);

  const from = rowIndexAtHeight(tops, view.top - RENDER_MARGIN);
  const to = rowIndexAtHeight(tops, view.top + view.height + RENDER_MARGIN);
  return (
    <div ref={element} className="scroll grow">
      <ul className="relative" style={{ height: total }} aria-label={label}>
        {rows.slice(from, to + 1).map((row, index) => (
          <li
            key={row.key}
            aria-setsize={rows.length}
            aria-posinset={from + index + 1}
            className="absolute inset-x-0"
            style={{ top: tops[from + index] ?? 0, height: row.height }}
          >
            {render(row, from + index)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The top of each row, and the bottom of the last one. */
export function rowTopPositions(rows: readonly VirtualRow[]): number[] {
  const tops = [0];
  let top = 0;
  for (const row of rows) {
    top += row.height;
    tops.push(top);
  }
  return tops;
}

/** The index of the last row whose top is at or above a height. */
export function rowIndexAtHeight(tops: readonly number[], height: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}
