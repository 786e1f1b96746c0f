/** When a key or a click may answer. Every rule here exists because people approved by accident without it. */

/** How long a card must have been on the screen before a key or click counts. */
export const GRACE = 500;
/** A click this soon after the window came back is the one that brought it back. */
export const RETURN = 1000;
/** How long a dangerous answer must be held. */
export const HOLD = 1200;

export type Guard = {
  /** When the card was painted; null while it was not. */
  paintedAt: number | null;
  /** When the window last regained focus, if no press has followed since. */
  returnedAt: number | null;
};

export const FRESH: Guard = { paintedAt: null, returnedAt: null };

/** Whether the card has been there long enough to have been read by the one who presses. */
export const isArmed = (guard: Guard, now: number) =>
  guard.paintedAt !== null && now - guard.paintedAt >= GRACE;

/** Whether this press is the one that brought the window back. */
export const onlyReturns = (guard: Guard, now: number) =>
  guard.returnedAt !== null && now - guard.returnedAt < RETURN;

export type Press = {
  key: string;
  repeat: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  /** Whether a field has the focus, or something is being composed. */
  typing: boolean;
};

export type Meaning =
  | "once"
  | "always"
  | "deny"
  | "edit"
  | "later"
  | "show"
  | "next"
  | "previous"
  | "help"
  | "back";

const KEYS: Readonly<Record<string, Meaning>> = {
  y: "once",
  a: "always",
  n: "deny",
  e: "edit",
  l: "later",
  x: "show",
  j: "next",
  k: "previous",
  "?": "help",
  Escape: "back",
};
/** What changes something, so that it must wait until the card is armed. */
const ANSWERS: ReadonlySet<Meaning> = new Set(["once", "deny", "later"]);

/** What a key press means on the selected card, or null if it means nothing. */
export function meaningOf(press: Press, guard: Guard, now: number): Meaning | null {
  if (press.typing || press.repeat || press.ctrlKey || press.metaKey || press.altKey) return null;
  const meaning = KEYS[press.key.length === 1 ? press.key.toLowerCase() : press.key] ?? null;
  if (meaning === null || !ANSWERS.has(meaning)) return meaning;
  return isArmed(guard, now) && !onlyReturns(guard, now) ? meaning : null;
}

export type Click = "counts" | "returns" | "too-soon";

/** Whether a click on an answer counts, and why not. */
export function clickCounts(guard: Guard, now: number): Click {
  if (onlyReturns(guard, now)) return "returns";
  return isArmed(guard, now) ? "counts" : "too-soon";
}

const OWN_KEYS =
  "input, textarea, select, [contenteditable='true'], [role='menu'], [role='listbox'], [role='dialog']";

/** Whether keys belong to what has the focus: a field, an open menu, a dialog. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest(OWN_KEYS) !== null;
}
