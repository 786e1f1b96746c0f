/** Formats times in the user's time zone and language. */

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** Format a duration: `42 s`, `4 min`, `23 h 59 min`, `3 d`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < MINUTE_SECONDS) return `${whole} s`;
  if (whole < HOUR_SECONDS) return `${Math.floor(whole / MINUTE_SECONDS)} min`;
  if (whole >= DAY_SECONDS) return `${Math.floor(whole / DAY_SECONDS)} d`;
  const minutes = Math.floor((whole % HOUR_SECONDS) / MINUTE_SECONDS);
  return minutes
    ? `${Math.floor(whole / HOUR_SECONDS)} h ${minutes} min`
    : `${Math.floor(whole / HOUR_SECONDS)} h`;
}

/** Format a short time with tenths of a second: `1.2 s`, `1,2 s`. */
export const formatTenths = (seconds: number, language: string) =>
  `${seconds.toLocaleString(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s`;

/** Format the remaining time to the second: `2:54`. */
export function formatCountdown(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole >= HOUR_SECONDS) return formatDuration(whole);
  return `${Math.floor(whole / MINUTE_SECONDS)}:${String(whole % MINUTE_SECONDS).padStart(2, "0")}`;
}

export const secondsSince = (moment: string, now: number) => (now - Date.parse(moment)) / 1000;
export const secondsUntil = (moment: string, now: number) => (Date.parse(moment) - now) / 1000;

/** `10:44:02` today, `Tue 10:44` this week, `9 Nov, 10:44` before. */
export function formatDayAndTime(moment: string, language: string, now: number = Date.now()): string {
  const date = new Date(moment);
  const days = (now - date.getTime()) / 1000 / DAY_SECONDS;
  const today = new Date(now).toDateString() === date.toDateString();
  return clockFormat(language, today ? "today" : days < 6 ? "week" : "before").format(date);
}

const TIME_OPTIONS = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const FORMAT_OPTIONS = {
  today: { ...TIME_OPTIONS, second: "2-digit" },
  week: { ...TIME_OPTIONS, weekday: "short" },
  before: { ...TIME_OPTIONS, day: "numeric", month: "short" },
} as const;
const formatCache = new Map<string, Intl.DateTimeFormat>();

/** The format for a language and a shape; cached, because creating a format is slow. */
function clockFormat(language: string, shape: keyof typeof FORMAT_OPTIONS): Intl.DateTimeFormat {
  const key = `${language} ${shape}`;
  const known = formatCache.get(key) ?? new Intl.DateTimeFormat(language, FORMAT_OPTIONS[shape]);
  formatCache.set(key, known);
  return known;
}

/** The exact time, for tooltips. */
export const formatExactTime = (moment: string, language: string) =>
  new Date(moment).toLocaleString(language, { dateStyle: "full", timeStyle: "long" });

export const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
