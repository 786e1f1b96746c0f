/** Somebody else's text, as text: never markup, never a link, nothing hidden. */
import { memo } from "react";
import { runsOf } from "./visible";

export const VisibleText = memo(function VisibleText({ text }: { text: string }) {
  const runs = runsOf(text);
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

/** A sentence of ours in which `backticks` hold somebody's words. */
export function Sentence({ text }: { text: string }) {
  const pieces = text.split("`");
  if (pieces.length % 2 === 0) return <VisibleText text={text} />;
  return pieces.map((piece, at) =>
    at % 2 === 1 ? (
      <code key={at}>
        <VisibleText text={piece} />
      </code>
    ) : (
      <VisibleText key={at} text={shortened(piece)} />
    ),
  );
}

/** The ids of our own sentences, by their first characters. */
const shortened = (text: string) => text.replace(/\b([0-9a-f]{8})[0-9a-f]{24}\b/g, "$1…");
