import { describe, expect, test } from "vitest";
import {
  ARMING_DELAY_MS,
  type ArmingState,
  checkClick,
  findKeyAction,
  INITIAL_ARMING_STATE,
  isArmed,
  isTextInput,
  type KeyPress,
  WINDOW_RETURN_MS,
} from "./arming";

const makeKeyPress = (key: string, rest: Partial<KeyPress> = {}): KeyPress => ({
  key,
  repeat: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  typing: false,
  ...rest,
});
const PAINTED_STATE: ArmingState = { paintedAt: 1000, returnedAt: null };
const ARMED_AT = 1000 + ARMING_DELAY_MS;

describe("a card arms", () => {
  test("only after it was drawn", () => {
    expect(isArmed(INITIAL_ARMING_STATE, 1e9)).toBe(false);
  });
  test("half a second after it was drawn", () => {
    expect(isArmed(PAINTED_STATE, ARMED_AT - 1)).toBe(false);
    expect(isArmed(PAINTED_STATE, ARMED_AT)).toBe(true);
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
    expect(findKeyAction(makeKeyPress(key), PAINTED_STATE, ARMED_AT)).toBe(meaning);
  });
  test.each(["y", "n", "l"])("%s that was typed before the card appeared answers nothing", (key) => {
    expect(findKeyAction(makeKeyPress(key), PAINTED_STATE, ARMED_AT - 1)).toBeNull();
    expect(findKeyAction(makeKeyPress(key), INITIAL_ARMING_STATE, ARMED_AT)).toBeNull();
  });
  test.each(["j", "k", "a", "e", "?"])("%s works at once, because it answers nothing", (key) => {
    expect(findKeyAction(makeKeyPress(key), INITIAL_ARMING_STATE, 0)).not.toBeNull();
  });
  test.each<Partial<KeyPress>>([
    { repeat: true },
    { typing: true },
    { ctrlKey: true },
    { metaKey: true },
    { altKey: true },
  ])("means nothing with %o", (rest) => {
    expect(findKeyAction(makeKeyPress("y", rest), PAINTED_STATE, ARMED_AT)).toBeNull();
  });
  test("without a meaning does nothing", () => {
    expect(findKeyAction(makeKeyPress("q"), PAINTED_STATE, ARMED_AT)).toBeNull();
    expect(findKeyAction(makeKeyPress("Enter"), PAINTED_STATE, ARMED_AT)).toBeNull();
  });
  test("answers nothing immediately after the window got the focus", () => {
    expect(
      findKeyAction(makeKeyPress("y"), { ...PAINTED_STATE, returnedAt: ARMED_AT }, ARMED_AT + 1),
    ).toBeNull();
  });
});

describe("a click", () => {
  test("counts on an armed card", () => {
    expect(checkClick(PAINTED_STATE, ARMED_AT)).toBe("counts");
  });
  test("on a card that has just appeared is ignored", () => {
    expect(checkClick(PAINTED_STATE, ARMED_AT - 1)).toBe("too-soon");
  });
  test("that activates the window does nothing else", () => {
    expect(checkClick({ ...PAINTED_STATE, returnedAt: 9000 }, 9000 + WINDOW_RETURN_MS - 1)).toBe("returns");
    expect(checkClick({ ...PAINTED_STATE, returnedAt: 9000 }, 9000 + WINDOW_RETURN_MS)).toBe("counts");
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
  expect(isTextInput(host.querySelector("button") ?? host.firstElementChild)).toBe(typing);
});
