/** Moments in the person's own zone and language, whatever the server's clock. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span in words: `42 s`, `4 min`, `23 h 59 min`, `3 d`. */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`;
  if (whole >= DAY) return `${Math.floor(whole / DAY)} d`;
  const minutes = Math.floor((whole % HOUR) / MINUTE);
  return minutes ? `${Math.floor(whole / HOUR)} h ${minutes} min` : `${Math.floor(whole / HOUR)} h`;
}

/** A short time by the tenth of a second: `1.2 s`, `1,2 s`. */
export const tenths = (seconds: number, language: string) =>
  `${seconds.toLocaleString(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s`;

/** What is left of a short time, to the second: `2:54`. */
export function countdown(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole >= HOUR) return span(whole);
  return `${Math.floor(whole / MINUTE)}:${String(whole % MINUTE).padStart(2, "0")}`;
}

export const secondsSince = (moment: string, now: number) => (now - Date.parse(moment)) / 1000;
export const secondsUntil = (moment: string, now: number) => (Date.parse(moment) - now) / 1000;

/** `10:44:02` today, `Tue 10:44` this week, `9 Nov, 10:44` before. */
export function clock(moment: string, language: string, now: number = Date.now()): string {
  const date = new Date(moment);
  const days = (now - date.getTime()) / 1000 / DAY;
  const today = new Date(now).toDateString() === date.toDateString();
  return clockIn(language, today ? "today" : days < 6 ? "week" : "before").format(date);
}

const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const SHAPES = {
  today: { ...TIME, second: "2-digit" },
  week: { ...TIME, weekday: "short" },
  before: { ...TIME, day: "numeric", month: "short" },
} as const;
const made = new Map<string, Intl.DateTimeFormat>();

/** To make a format takes far longer than to use it. */
function clockIn(language: string, shape: keyof typeof SHAPES): Intl.DateTimeFormat {
  const key = `${language} ${shape}`;
  const known = made.get(key) ?? new Intl.DateTimeFormat(language, SHAPES[shape]);
  made.set(key, known);
  return known;
}

/** The exact moment, for the ones who hover. */
export const exactly = (moment: string, language: string) =>
  new Date(moment).toLocaleString(language, { dateStyle: "full", timeStyle: "long" });

export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
