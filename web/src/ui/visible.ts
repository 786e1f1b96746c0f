/** Makes hidden and direction-changing characters of a text visible. */

export type TextRun =
  | { kind: "text"; text: string }
  | { kind: "escape"; text: string; code: string }
  | { kind: "mixed"; text: string; scripts: string }
  /** A right-to-left word, isolated so that it does not reorder the words around it. */
  | { kind: "rtl"; text: string };

// Controls, soft hyphen, Arabic letter mark, zero-width and bidirectional marks, odd blanks, line
// separators, variation selectors, interlinear marks, tags and other characters that draw nothing.
const HIDDEN_CHARACTERS =
  // biome-ignore lint/suspicious: controls and combining characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]+/gu;
const LETTER_WORD = /[\p{L}\p{M}]+/gu;
const CHECKED_SCRIPTS: ReadonlyArray<readonly [string, RegExp]> = [
  ["Latin", /\p{Script=Latin}/u],
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /\p{Script=Greek}/u],
  ["Armenian", /\p{Script=Armenian}/u],
  ["Cherokee", /\p{Script=Cherokee}/u],
];
const PLAIN_TEXT = /^[\t\n\x20-\x7e]*$/;

/** Split a text into runs; ordinary text is one plain run. */
export function visibleRuns(text: string): TextRun[] {
  if (PLAIN_TEXT.test(text)) return text ? [{ kind: "text", text }] : [];
  const runs: TextRun[] = [];
  let plain = "";
  const flush = () => {
    if (plain) runs.push(...runsInScreenOrder(plain));
    plain = "";
  };
  for (const character of text) {
    if (!HIDDEN_CHARACTERS.test(character)) {
      plain += character;
      continue;
    }
    flush();
    runs.push({ kind: "escape", text: character, code: codePointName(character) });
  }
  flush();
  return runs;
}

/** The code point of a character, such as `U+202E`. */
export function codePointName(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, "0")}`;
}

export const countHiddenCharacters = (text: string) =>
  visibleRuns(text).filter((run) => run.kind === "escape").length;

/** The text with hidden characters spelled out, for titles, labels and notifications. */
export const toVisibleString = (text: string) =>
  visibleRuns(text)
    .map((run) => (run.kind === "escape" ? run.code : run.text))
    .join("");

/** Isolate right-to-left words, so that the screen order is the text order. */
function runsInScreenOrder(text: string): TextRun[] {
  const runs: TextRun[] = [];
  let from = 0;
  for (const match of text.matchAll(RIGHT_TO_LEFT)) {
    if (match.index > from) runs.push(...wordRuns(text.slice(from, match.index)));
    runs.push({ kind: "rtl", text: match[0] });
    from = match.index + match[0].length;
  }
  if (from < text.length) runs.push(...wordRuns(text.slice(from)));
  return runs;
}

/** Mark words that mix scripts, in which one letter can look like another. */
function wordRuns(text: string): TextRun[] {
  const runs: TextRun[] = [];
  let from = 0;
  for (const match of text.matchAll(LETTER_WORD)) {
    const scripts = CHECKED_SCRIPTS.filter(([, script]) => script.test(match[0])).map(([name]) => name);
    if (scripts.length < 2) continue;
    if (match.index > from) runs.push({ kind: "text", text: text.slice(from, match.index) });
    runs.push({ kind: "mixed", text: match[0], scripts: scripts.join(", ") });
    from = match.index + match[0].length;
  }
  if (from < text.length) runs.push({ kind: "text", text: text.slice(from) });
  return runs;
}
