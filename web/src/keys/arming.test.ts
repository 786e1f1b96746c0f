import { describe, expect, test } from "vitest";
import {
  checkClick,
  GRACE_MS,
  type Guard,
  INITIAL_GUARD,
  isArmed,
  isTyping,
  keyActionOf,
  type Press,
  RETURN_MS,
} from "./arming";

const makePress = (key: string, rest: Partial<Press> = {}): Press => ({
  key,
  repeat: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  typing: false,
  ...rest,
});
const PAINTED_GUARD: Guard = { paintedAt: 1000, returnedAt: null };
const ARMED_AT = 1000 + GRACE_MS;

describe("a card arms", () => {
  test("only after it was drawn", () => {
    expect(isArmed(INITIAL_GUARD, 1e9)).toBe(false);
  });
  test("half a second after it was drawn", () => {
    expect(isArmed(PAINTED_GUARD, ARMED_AT - 1)).toBe(false);
    expect(isArmed(PAINTED_GUARD, ARMED_AT)).toBe(true);
  });
});

describe("a key", () => {
  test.each([
    ["y", "once"],
    ["Y", "once"],
    ["n", "deny"],
    ["l", "later"],
    ["a", "always"],
    ["e", "edit"],
    ["x", "show"],
    ["j", "next"],
    ["k", "previous"],
    ["?", "help"],
    ["Escape", "back"],
  ])("%s means %s on an armed card", (key, meaning) => {
    expect(keyActionOf(makePress(key), PAINTED_GUARD, ARMED_AT)).toBe(meaning);
  });
  test.each(["y", "n", "l"])("%s that was typed before the card appeared answers nothing", (key) => {
    expect(keyActionOf(makePress(key), PAINTED_GUARD, ARMED_AT - 1)).toBeNull();
    expect(keyActionOf(makePress(key), INITIAL_GUARD, ARMED_AT)).toBeNull();
  });
  test.each(["j", "k", "a", "e", "?"])("%s works at once, because it answers nothing", (key) => {
    expect(keyActionOf(makePress(key), INITIAL_GUARD, 0)).not.toBeNull();
  });
  test.each<Partial<Press>>([
    { repeat: true },
    { typing: true },
    { ctrlKey: true },
    { metaKey: true },
    { altKey: true },
  ])("means nothing with %o", (rest) => {
    expect(keyActionOf(makePress("y", rest), PAINTED_GUARD, ARMED_AT)).toBeNull();
  });
  test("without a meaning does nothing", () => {
    expect(keyActionOf(makePress("q"), PAINTED_GUARD, ARMED_AT)).toBeNull();
    expect(keyActionOf(makePress("Enter"), PAINTED_GUARD, ARMED_AT)).toBeNull();
  });
  test("answers nothing immediately after the window got the focus", () => {
    expect(keyActionOf(makePress("y"), { ...PAINTED_GUARD, returnedAt: ARMED_AT }, ARMED_AT + 1)).toBeNull();
  });
});

describe("a click", () => {
  test("counts on an armed card", () => {
    expect(checkClick(PAINTED_GUARD, ARMED_AT)).toBe("counts");
  });
  test("on a card that has just appeared is ignored", () => {
    expect(checkClick(PAINTED_GUARD, ARMED_AT - 1)).toBe("too-soon");
  });
  test("that activates the window does nothing else", () => {
    expect(checkClick({ ...PAINTED_GUARD, returnedAt: 9000 }, 9000 + RETURN_MS - 1)).toBe("returns");
    expect(checkClick({ ...PAINTED_GUARD, returnedAt: 9000 }, 9000 + RETURN_MS)).toBe("counts");
  });
});

test.each([
  ["<input>", true],
  ["<textarea></textarea>", true],
  ["<select></select>", true],
  ["<div contenteditable='true'></div>", true],
  ["<div role='menu'><button></button></div>", true],
  ["<button></button>", false],
])("in %s somebody types: %s", (html, typing) => {
  const host = document.createElement("div");
  host.innerHTML = html;
  document.body.append(host);
  expect(isTyping(host.querySelector("button") ?? host.firstElementChild)).toBe(typing);
});
