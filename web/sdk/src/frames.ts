/** Texts in the parts of a frame, and JSON that fits into frames. */

/** Characters that a frame needs beside its text. */
const FRAME_OVERHEAD = 400;

/** Split a text so that each part, quoted as JSON, fits into a frame; no part splits a character. */
export function splitText(text: string, maxFrame: number): string[] {
  const budget = maxFrame - FRAME_OVERHEAD;
  const parts: string[] = [];
  let at = 0;
  while (at < text.length || parts.length === 0) {
    let end = Math.min(at + budget, text.length);
    while (JSON.stringify(text.slice(at, end)).length > budget) {
      end = at + Math.max(2, Math.floor((end - at) * 0.7));
    }
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

/** The JSON of a value; half of a surrogate pair, which terminals cut off, is replaced. */
export function toJsonText(value: unknown): string {
  const text = JSON.stringify(value ?? null, (_key, part: unknown) =>
    typeof part === "string" ? part.toWellFormed() : part,
  );
  if (text === undefined) throw new TypeError("the result is not a JSON value");
  return text;
}

/** The SHA-256 of a text, in lower-case hexadecimal digits. */
export async function digestOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The message of anything that was thrown, at most this long. */
export function errorText(error: unknown, most: number): string {
  const text = (error instanceof Error ? error.message : String(error)).toWellFormed();
  return (text || "the tool failed").slice(0, most);
}
