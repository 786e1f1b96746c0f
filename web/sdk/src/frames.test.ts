import { describe, expect, it } from "vitest";
import { digestOf, splitText, toJsonText } from "./frames";

describe("parts", () => {
  it.each(["", "short", "x".repeat(10_000), '"\n\u0001'.repeat(4_000), "a😀".repeat(5_000)])(
    "are joined to the same text, fit into a frame and split no character: %#",
    (text) => {
      const parts = splitText(text, 2_000);

      expect(parts.join("")).toBe(text);
      for (const part of parts) {
        expect(JSON.stringify(part).length).toBeLessThanOrEqual(1_600);
        expect(part.isWellFormed()).toBe(true);
      }
    },
  );
});

it("a digest is the SHA-256 of the text in UTF-8", async () => {
  expect(await digestOf("ñ")).toBe("024bb90888ca89a15a19e9bdd8c712bfb070465fce1ef25e43c170ea44fc5e5f");
  expect(await digestOf("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});

it("half of a character becomes a replacement, and nothing becomes null", () => {
  expect(toJsonText({ text: "a\ud83d" })).toBe('{"text":"a\ufffd"}');
  expect(toJsonText(undefined)).toBe("null");
  expect(() => toJsonText(() => 1)).toThrow("not a JSON value");
});
