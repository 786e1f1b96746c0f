/** Text of a model: paragraphs and code as plain text, without markup, links or images. */
import { Sentence, VisibleText } from "@/ui/VisibleText";

export type TextBlock = { kind: "text" | "code"; text: string };

/** Text and fenced code, in order. */
export function parseTextBlocks(text: string): TextBlock[] {
  return text
    .split(/^```[^\n]*\n?/m)
    .map((piece, at) => ({
      kind: at % 2 === 1 ? ("code" as const) : ("text" as const),
      text: piece.replace(/^\n+|\n+$/g, ""),
    }))
    .filter((block) => block.text !== "");
}

export function FormattedText({ text }: { text: string }) {
  return parseTextBlocks(text).map((block, at) =>
    block.kind === "code" ? (
      <pre
        key={at}
        className="box overflow-x-auto bg-sunken px-3.5 py-2.5 text-[13px] leading-5 whitespace-pre-wrap"
      >
        <VisibleText text={block.text} />
      </pre>
    ) : (
      <p key={at} className="text-body leading-[22px] break-words whitespace-pre-wrap">
        <Sentence text={block.text} />
      </p>
    ),
  );
}
