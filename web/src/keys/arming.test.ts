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

const press = (key: string, rest: Partial<Press> = {}): Press => ({
  key,
  repeat: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  typing: false,
  ...rest,
});
const PAINTED: Guard = { paintedAt: 1000, returnedAt: null };
const LATER = 1000 + GRACE_MS;

describe("a card arms", () => {
  test("only once it was painted", () => {
    expect(isArmed(INITIAL_GUARD, 1e9)).toBe(false);
  });
  test("half a second after that, not before", () => {
    expect(isArmed(PAINTED, LATER - 1)).toBe(false);
    expect(isArmed(PAINTED, LATER)).toBe(true);
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
    expect(keyActionOf(press(key), PAINTED, LATER)).toBe(meaning);
  });
  test.each(["y", "n", "l"])("%s that was typed ahead of the card answers nothing", (key) => {
    expect(keyActionOf(press(key), PAINTED, LATER - 1)).toBeNull();
    expect(keyActionOf(press(key), INITIAL_GUARD, LATER)).toBeNull();
  });
  test.each(["j", "k", "a", "e", "?"])("%s answers nothing, so it need not wait", (key) => {
    expect(keyActionOf(press(key), INITIAL_GUARD, 0)).not.toBeNull();
  });
  test.each<Partial<Press>>([
    { repeat: true },
    { typing: true },
    { ctrlKey: true },
    { metaKey: true },
    { altKey: true },
  ])("means nothing with %o", (rest) => {
    expect(keyActionOf(press("y", rest), PAINTED, LATER)).toBeNull();
  });
  test("that nobody knows means nothing", () => {
    expect(keyActionOf(press("q"), PAINTED, LATER)).toBeNull();
    expect(keyActionOf(press("Enter"), PAINTED, LATER)).toBeNull();
  });
  test("answers nothing in the moment in which the window came back", () => {
    expect(keyActionOf(press("y"), { ...PAINTED, returnedAt: LATER }, LATER + 1)).toBeNull();
  });
});

describe("a click", () => {
  test("counts on an armed card", () => {
    expect(checkClick(PAINTED, LATER)).toBe("counts");
  });
  test("on a card that has just appeared is too soon", () => {
    expect(checkClick(PAINTED, LATER - 1)).toBe("too-soon");
  });
  test("that brings the window back does nothing else", () => {
    expect(checkClick({ ...PAINTED, returnedAt: 9000 }, 9000 + RETURN_MS - 1)).toBe("returns");
    expect(checkClick({ ...PAINTED, returnedAt: 9000 }, 9000 + RETURN_MS)).toBe("counts");
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
