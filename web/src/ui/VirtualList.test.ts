import { expect, test } from "vitest";
import { rowIndexAtHeight, rowTopPositions } from "./VirtualList";

const rows = Array.from({ length: 1000 }, (_, at) => ({ key: String(at), height: at % 10 === 0 ? 34 : 60 }));

test("each row starts where the previous row ends", () => {
  expect(rowTopPositions(rows.slice(0, 3))).toEqual([0, 34, 94, 154]);
});

test("the row at a height is found at the start, the end and in between", () => {
  const tops = rowTopPositions(rows);
  expect([
    rowIndexAtHeight(tops, -200),
    rowIndexAtHeight(tops, 0),
    rowIndexAtHeight(tops, 34),
    rowIndexAtHeight(tops, 1e9),
  ]).toEqual([0, 0, 1, 999]);
});

test("an empty list has no rows", () => {
  expect(rowIndexAtHeight(rowTopPositions([]), 100)).toBe(0);
});
