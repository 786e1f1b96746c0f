import { describe, expect, test } from "vitest";
import { en, type TextKey } from "./en";
import { es } from "./es";
import { formatCountdown, formatDayAndTime, formatDuration, formatTenths } from "./time";
import { makeTranslate } from "./words";

const t = makeTranslate("en");
const placeholders = (entry: (typeof es)[TextKey]) =>
  [
    ...new Set((typeof entry === "string" ? entry : `${entry.one} ${entry.other}`).match(/\{\w+\}/g) ?? []),
  ].sort();

test("values are filled in, and numbers are grouped", () => {
  expect(t("notShown", { count: 102688 })).toBe("102,688 characters not shown");
});

test("a count selects singular or plural", () => {
  expect([t("nQuestions", { count: 1 }), t("nQuestions", { count: 2 })]).toEqual([
    "1 question",
    "2 questions",
  ]);
});

test("every text has the same placeholders in Spanish", () => {
  const differing = (Object.keys(en) as TextKey[]).filter(
    (key) => placeholders(es[key]).join() !== placeholders(en[key]).join(),
  );
  expect(differing).toEqual([]);
});

test("nearly every text is different in Spanish", () => {
  const same = (Object.keys(en) as TextKey[]).filter(
    (key) => JSON.stringify(en[key]) === JSON.stringify(es[key]),
  );
  expect(same.length).toBeLessThan(20);
});

describe("times", () => {
  test.each([
    [0, "0 s"],
    [42.9, "42 s"],
    [61, "1 min"],
    [86_340, "23 h 59 min"],
    [7200, "2 h"],
    [200_000, "2 d"],
  ])("%d seconds are %s", (seconds, words) => {
    expect(formatDuration(seconds)).toBe(words);
  });
  test("a short remaining time is shown to the second", () => {
    expect([formatCountdown(174), formatCountdown(-3)]).toEqual(["2:54", "0:00"]);
  });
  test("tenths of a second use the decimal sign of the language", () => {
    expect([formatTenths(1.2, "en"), formatTenths(1.2, "es")]).toEqual(["1.2 s", "1,2 s"]);
  });
  test("a time of today is shown with seconds, an older time with its day", () => {
    const now = new Date(2026, 10, 16, 12, 0, 0).getTime();
    expect(formatDayAndTime(new Date(2026, 10, 16, 10, 44, 2).toISOString(), "en", now)).toBe("10:44:02");
    expect(formatDayAndTime(new Date(2026, 10, 1, 10, 44).toISOString(), "en", now)).toContain("Nov 1");
  });
});
