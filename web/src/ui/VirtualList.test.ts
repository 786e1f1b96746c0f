import { expect, test } from "vitest";
import { firstBelow, topsOf } from "./VirtualList";

const rows = Array.from({ length: 1000 }, (_, at) => ({ key: String(at), height: at % 10 === 0 ? 34 : 60 }));

test("rows begin where the ones before them end", () => {
  expect(topsOf(rows.slice(0, 3))).toEqual([0, 34, 94, 154]);
});

test("the row at a height is found at both ends and between", () => {
  const tops = topsOf(rows);
  expect([firstBelow(tops, -200), firstBelow(tops, 0), firstBelow(tops, 34), firstBelow(tops, 1e9)]).toEqual([
    0, 0, 1, 999,
  ]);
});

test("no rows are no trouble", () => {
  expect(firstBelow(topsOf([]), 100)).toBe(0);
});
