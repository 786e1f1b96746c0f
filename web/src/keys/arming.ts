/** Decides when a key or a click may answer a card ("armed"), to prevent accidental approvals. */

/** Milliseconds that a card must be visible before a key or a click answers it. */
export const ARMING_DELAY_MS = 500;
/** Milliseconds after the window got the focus in which a click is ignored, because it focused the window. */
export const WINDOW_RETURN_MS = 1000;
/** Milliseconds that the button of a dangerous answer must be held. */
export const HOLD_DURATION_MS = 1200;

export type ArmingState = {
  /** When the card was painted; null before that. */
  paintedAt: number | null;
  /** When the window last regained focus, if no press has followed since. */
  returnedAt: number | null;
};

export const INITIAL_ARMING_STATE: ArmingState = { paintedAt: null, returnedAt: null };

/** Whether the card has been visible long enough to be answered. */
export const isArmed = (guard: ArmingState, now: number) =>
  guard.paintedAt !== null && now - guard.paintedAt >= ARMING_DELAY_MS;

/** Whether this press is the one that focused the window. */
export const isRightAfterWindowReturn = (guard: ArmingState, now: number) =>
  guard.returnedAt !== null && now - guard.returnedAt < WINDOW_RETURN_MS;

export type KeyPress = {
  key: string;
  repeat: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  /** Whether a field has the focus, or something is being composed. */
  typing: boolean;
};

export type KeyAction =
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

const KEY_ACTIONS: Readonly<Record<string, KeyAction>> = {
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
/** Actions that change something and therefore wait until the card is armed. */
const ANSWERING_ACTIONS: ReadonlySet<KeyAction> = new Set(["once", "deny", "later"]);

/** The action of a key on the selected card, or null. */
export function findKeyAction(press: KeyPress, guard: ArmingState, now: number): KeyAction | null {
  if (press.typing || press.repeat || press.ctrlKey || press.metaKey || press.altKey) return null;
  const meaning = KEY_ACTIONS[press.key.length === 1 ? press.key.toLowerCase() : press.key] ?? null;
  if (meaning === null || !ANSWERING_ACTIONS.has(meaning)) return meaning;
  return isArmed(guard, now) && !isRightAfterWindowReturn(guard, now) ? meaning : null;
}

export type ClickResult = "counts" | "returns" | "too-soon";

/** Whether a click on an answer counts, and why not. */
export function checkClick(guard: ArmingState, now: number): ClickResult {
  if (isRightAfterWindowReturn(guard, now)) return "returns";
  return isArmed(guard, now) ? "counts" : "too-soon";
}

const KEY_HANDLING_SELECTOR =
  "input, textarea, select, [contenteditable='true'], [role='menu'], [role='listbox'], [role='dialog']";

/** Whether the focused element handles keys itself: a field, an open menu, a dialog. */
export function isTextInput(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest(KEY_HANDLING_SELECTOR) !== null;
}
