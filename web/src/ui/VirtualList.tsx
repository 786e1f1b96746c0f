/** A long list of which only what can be seen is in the page; every row's height is known beforehand. */
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";

const MARGIN = 240;

export type VirtualRow = { key: string; height: number };

type Props<T extends VirtualRow> = {
  rows: readonly T[];
  label: string;
  /** The row to keep in view. */
  current: string;
  render: (row: T, at: number) => ReactNode;
};

export function VirtualList<T extends VirtualRow>({ rows, label, current, render }: Props<T>) {
  const element = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const seen = useRef(view);
  const tops = useMemo(() => topsOf(rows), [rows]);
  const total = tops.at(-1) ?? 0;

  useLayoutEffect(() => {
    const node = element.current;
    if (!node) return;
    const look = () => {
      seen.current = { top: node.scrollTop, height: node.clientHeight || 800 };
      setView(seen.current);
    };
    look();
    node.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(node);
    return () => {
      node.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new choice scrolls, never a new row
  useEffect(() => {
    const at = rows.findIndex((row) => row.key === current);
    const node = element.current;
    if (at < 0 || !node) return;
    const [top, bottom] = [tops[at] ?? 0, tops[at + 1] ?? 0];
    // By what was last seen of it: to ask the page would lay it out twice.
    const { top: above, height } = seen.current;
    if (top < above + 40) node.scrollTop = Math.max(0, top - 40);
    else if (bottom > above + height) node.scrollTop = bottom - height;
  }, [current]);

  const from = firstBelow(tops, view.top - MARGIN);
  const to = firstBelow(tops, view.top + view.height + MARGIN);
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

/** Where each row begins, and where the last one ends. */
export function topsOf(rows: readonly VirtualRow[]): number[] {
  const tops = [0];
  let top = 0;
  for (const row of rows) {
    top += row.height;
    tops.push(top);
  }
  return tops;
}

/** The last row that begins at or above a height. */
export function firstBelow(tops: readonly number[], height: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}
