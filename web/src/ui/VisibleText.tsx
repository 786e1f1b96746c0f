/** Untrusted text, shown as plain text with hidden characters spelled out. */
import { memo } from "react";
import { visibleRuns } from "./visible";

export const VisibleText = memo(function VisibleText({ text }: { text: string }) {
  const runs = visibleRuns(text);
  if (runs.length === 1 && runs[0]?.kind === "text") return <bdi dir="ltr">{text}</bdi>;
  return (
    <bdi dir="ltr">
      {runs.map((run, at) => {
        if (run.kind === "escape")
          return (
            <span key={at} className="esc">
              {run.code}
            </span>
          );
        if (run.kind === "rtl")
          return (
            <bdi key={at} dir="rtl">
              {run.text}
            </bdi>
          );
        if (run.kind === "mixed")
          return (
            <span key={at} className="mixed" title={run.scripts}>
              {run.text}
            </span>
          );
        return run.text;
      })}
    </bdi>
  );
});

/** One of our sentences, in which `backticks` quote untrusted text. */
export function Sentence({ text }: { text: string }) {
  const pieces = text.split("`");
  if (pieces.length % 2 === 0) return <VisibleText text={text} />;
  return pieces.map((piece, at) =>
    at % 2 === 1 ? (
      <code key={at}>
        <VisibleText text={piece} />
      </code>
    ) : (
      <VisibleText key={at} text={shortenIds(piece)} />
    ),
  );
}

/** Shorten the ids in our sentences to their first characters. */
const shortenIds = (text: string) => text.replace(/\b([0-9a-f]{8})[0-9a-f]{24}\b/g, "$1…");
