/** What the call would do, the most prominent part of the card. */
import { Fragment, type ReactNode, useMemo } from "react";
import type { Approval, CallArguments, Json } from "@/api/types";
import { Button } from "@/ui/Button";
import { verdictTone } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { ReasonSentence } from "@/ui/reason";
import { Skeleton } from "@/ui/states";
import { Sentence, VisibleText } from "@/ui/VisibleText";
import { visibleRuns } from "@/ui/visible";
import { useTranslate } from "@/words/words";
import { CommandInputBlock, CommandInputView } from "./CommandInputView";
import type { ShownCommandInput } from "./commandInput";
import { findDangerSpans, findOutsidePaths, type TextSpan } from "./danger";
import { countLinesOfKind, diffLines, parseUnifiedDiff, splitIntoHunks, unifiedHunks } from "./diff";
import { type CallContent, type CommandPart, commandParts, sortShortValuesFirst } from "./question";

const MAX_SHOWN_CHARACTERS = 2000;
const EXCERPT_EDGE_LENGTH = 700;
const MAX_DIFF_LINES = 300;

type ExpandProps = { whole: boolean; onShowAll: () => void };

/** Whether a part of the act is hidden until the person presses "Show all". */
export function isCallContentLong(act: CallContent): boolean {
  switch (act.kind) {
    case "command":
      return [
        act.text,
        ...Object.values(act.rest).map(argumentValueText),
        ...act.fed.map((one) => one.text ?? ""),
      ].some((text) => text.length > MAX_SHOWN_CHARACTERS);
    case "change":
      return (
        countTextLines(act.compared?.diff ?? act.after) + countTextLines(act.before ?? "") > MAX_DIFF_LINES
      );
    case "arguments":
      return Object.values(act.args).some((value) => argumentValueText(value).length > MAX_SHOWN_CHARACTERS);
  }
}

/** Whether the change is not loaded yet; it cannot be allowed before it is shown. */
export const isFileChangeLoading = (act: CallContent) =>
  act.kind === "change" && !!act.compared && act.compared.diff === undefined;

export function CallContentView({
  approval,
  act,
  foot,
  ...shown
}: { approval: Approval; act: CallContent; foot?: ReactNode } & ExpandProps) {
  return (
    <div className="pt-2.5">
      <div className="plate">
        {act.kind === "command" && <CommandView approval={approval} act={act} {...shown} />}
        {act.kind === "change" && <FileChangeView act={act} {...shown} />}
        {act.kind === "arguments" && <FileNotComparedNote approval={approval} />}
        {act.kind === "arguments" && <ArgumentList args={act.args} {...shown} />}
        {foot}
      </div>
    </div>
  );
}

function CommandView({ approval, act, ...shown }: { approval: Approval; act: CommandContent } & ExpandProps) {
  const parts = locateCommandParts(commandParts(approval, act.text));
  // An input that belongs to more than one part is shown below the command.
  const fed = act.fed.map((one) =>
    one.place && parts.some(({ from, to }) => isSpanWithin(one.place, from, to))
      ? one
      : { ...one, place: null },
  );
  return (
    <>
      {parts.map(({ part, from, to }) => (
        <CommandPartRow
          key={from}
          part={part}
          from={from}
          fed={fed.filter((one) => isSpanWithin(one.place, from, to))}
          approval={approval}
          alone={parts.length === 1}
          {...shown}
        />
      ))}
      <CommandInputView
        approval={approval}
        fed={fed}
        draw={(text) => <TextWithNotes text={text} {...shown} />}
      />
      {Object.keys(act.rest).length > 0 && (
        <div className="border-t border-line">
          <ArgumentList args={act.rest} {...shown} />
        </div>
      )}
    </>
  );
}

type CommandContent = Extract<CallContent, { kind: "command" }>;

/** Each part with its span in the command. */
function locateCommandParts(
  parts: readonly CommandPart[],
): { part: CommandPart; from: number; to: number }[] {
  let to = 0;
  return parts.map((part) => {
    const from = to;
    to += part.text.length;
    return { part, from, to };
  });
}

const isSpanWithin = (place: TextSpan | null, from: number, to: number) =>
  place !== null && from <= place.from && place.to <= to;

type CommandPartRowProps = {
  part: CommandPart;
  from: number;
  fed: readonly ShownCommandInput[];
  approval: Approval;
  alone: boolean;
} & ExpandProps;

const countTextLines = (text: string) => text.split("\n").length;

function CommandPartRow({ part, from, fed, approval, alone, ...shown }: CommandPartRowProps) {
  const t = useTranslate();
  const asks = part.verdict !== "run" && approval.state === "pending";
  const spans = part.verdict === "run" ? [] : findDangerSpans(part.text, approval);
  const danger = approval.locked || spans.length > 0;
  const tone = asks && danger ? "tone-destructive" : verdictTone(part.verdict);
  return (
    <div className={`part ${tone} ${asks ? "part-asks" : ""}`}>
      <Icon name={part.verdict === "run" ? "run" : part.verdict === "ask" ? "ask" : "deny"} />
      <div className="command">
        <span className="sr-only">
          {t(part.verdict === "run" ? "run" : part.verdict === "ask" ? "ask" : "deny")}:{" "}
        </span>
        {splitAtInputs(part.text, from, fed).map(({ start, end, input }) => {
          const inside = (
            <LongText text={part.text.slice(start, end)} spans={shiftSpans(spans, start)} {...shown} />
          );
          if (!input) return <Fragment key={start}>{inside}</Fragment>;
          return (
            <div key={start} className="fed fed-inside">
              <CommandInputBlock fed={input}>{inside}</CommandInputBlock>
            </div>
          );
        })}
      </div>
      {!alone && (
        <span className="part-note">
          <ReasonSentence reason={part.reason} />
        </span>
      )}
      {asks && <OutsidePathNotes text={part.text} approval={approval} />}
      <HiddenTextNotes text={part.text} />
    </div>
  );
}

type TextSegment = { start: number; end: number; input: ShownCommandInput | null };

/** Split the text of a part where inputs of a command begin and end. */
function splitAtInputs(text: string, from: number, fed: readonly ShownCommandInput[]): TextSegment[] {
  const found: TextSegment[] = [];
  let at = 0;
  for (const input of fed.toSorted((one, other) => (one.place?.from ?? 0) - (other.place?.from ?? 0))) {
    const [start, end] = [(input.place?.from ?? 0) - from, (input.place?.to ?? 0) - from];
    // Skip an input inside an input that is already shown.
    if (start < at) continue;
    found.push({ start: at, end: start, input: null }, { start, end, input });
    at = end;
  }
  return [...found, { start: at, end: text.length, input: null }].filter(({ start, end }) => start < end);
}

const shiftSpans = (spans: readonly TextSpan[], by: number): TextSpan[] =>
  spans.map(({ from, to }) => ({ from: from - by, to: to - by }));

/** The resolved paths of the words that point outside the workspace. */
function OutsidePathNotes({ text, approval }: { text: string; approval: Approval }) {
  const t = useTranslate();
  return findOutsidePaths(text, approval).map(({ from, written, real }) => (
    <p key={from} className="finding">
      <Icon name="warn" size="small" />
      <span>
        <Sentence text={t("leadsOutside", { path: `\`${written}\``, real: `\`${real}\`` })} />
      </span>
    </p>
  ));
}

/** Sentences about invisible or misleading characters. */
function HiddenTextNotes({ text }: { text: string }) {
  const t = useTranslate();
  const found = useMemo(() => {
    const seen = new Map<string, string>();
    for (const run of visibleRuns(text)) {
      if (run.kind === "escape" && /[\u202a-\u202e\u2066-\u2069]/.test(run.text)) {
        seen.set(run.code, t("turnsAround", { code: `\`${run.code}\`` }));
      }
      if (run.kind === "mixed")
        seen.set(run.text, t("mixesScripts", { word: `\`${run.text}\``, scripts: run.scripts }));
    }
    return [...seen.values()].slice(0, 4);
  }, [text, t]);
  return found.map((sentence) => (
    <p key={sentence} className="finding">
      <Icon name="warn" size="small" />
      <span>
        <Sentence text={sentence} />
      </span>
    </p>
  ));
}

/** Shows a long text completely, or only its start and end with the number of hidden characters. */
function LongText({ text, spans, whole, onShowAll }: { text: string; spans: TextSpan[] } & ExpandProps) {
  const t = useTranslate();
  if (text.length <= MAX_SHOWN_CHARACTERS) return <MarkedText text={text} spans={spans} from={0} />;
  if (whole) {
    return (
      <div className="max-h-[60vh] overflow-auto">
        <MarkedText text={text} spans={spans} from={0} />
      </div>
    );
  }
  const tail = text.length - EXCERPT_EDGE_LENGTH;
  return (
    <>
      <MarkedText text={text.slice(0, EXCERPT_EDGE_LENGTH)} spans={spans} from={0} />
      <span className="cut">
        <b>{t("notShown", { count: tail - EXCERPT_EDGE_LENGTH })}</b>
        <Button small onClick={onShowAll} hotkey="X">
          {t("showAll")}
        </Button>
      </span>
      <MarkedText text={text.slice(tail)} spans={spans} from={tail} />
    </>
  );
}

/** A piece of a text that starts at `from`, with the spans inside it marked. */
function MarkedText({ text, spans, from }: { text: string; spans: TextSpan[]; from: number }) {
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const span of spans) {
    const [start, end] = [Math.max(span.from - from, at), Math.min(span.to - from, text.length)];
    if (start >= end) continue;
    pieces.push(<VisibleText key={at} text={text.slice(at, start)} />);
    pieces.push(
      <mark key={`m${start}`}>
        <VisibleText text={text.slice(start, end)} />
      </mark>,
    );
    at = end;
  }
  pieces.push(<VisibleText key={at} text={text.slice(at)} />);
  return pieces;
}

/** Why a file change is shown without a diff. */
function FileNotComparedNote({ approval: { file } }: { approval: Approval }) {
  const t = useTranslate();
  if (!file?.why) return null;
  return (
    <p className="finding px-3.5 pt-2">
      <Icon name="warn" size="small" />
      <span>{t(file.state === "unfit" ? "file.unfit" : `file.${file.state}`, { why: file.why })}</span>
    </p>
  );
}

function FileChangeView({ act, ...shown }: { act: Extract<CallContent, { kind: "change" }> } & ExpandProps) {
  const t = useTranslate();
  const { compared } = act;
  const diff = compared ? (compared.diff ?? "") : null;
  const total = compared && !compared.within ? compared.lines : 0;
  const lines = useMemo(
    () => (diff === null ? diffLines(act.before, act.after) : parseUnifiedDiff(diff)),
    [act.before, act.after, diff],
  );
  const hunks = useMemo(() => {
    if (diff !== null) return unifiedHunks(lines, total);
    return shown.whole ? [{ kind: "lines" as const, lines }] : splitIntoHunks(lines);
  }, [lines, shown.whole, diff, total]);
  if (isFileChangeLoading(act)) return <Skeleton rows={3} />;
  return (
    <>
      <div className="mono flex flex-wrap items-center gap-2 border-b border-line px-3.5 py-2 text-body">
        <Icon name="edit" size="small" />
        <b className="font-semibold break-all">
          <VisibleText text={act.path} />
        </b>
        <span className="grow" />
        {act.before === null && <span className="chip chip-plain font-sans">{t("newFile")}</span>}
        {compared?.within && <span className="chip chip-plain font-sans">{compared.within}</span>}
        {compared?.overwrites && (
          <span className="chip chip-plain font-sans">{t("overwrites", { count: compared.lines })}</span>
        )}
        <span className="font-semibold text-run">+{countLinesOfKind(lines, "add")}</span>
        <span className="font-semibold text-deny">−{countLinesOfKind(lines, "remove")}</span>
      </div>
      <div className="diff max-h-[60vh] overflow-auto">
        {hunks.map((hunk, at) =>
          hunk.kind === "gap" ? (
            <div key={at} className="diff-gap">
              {t("hiddenLines", { count: hunk.count })}
            </div>
          ) : (
            <DiffLines key={at} lines={hunk.lines} {...shown} />
          ),
        )}
      </div>
      {Object.keys(act.rest).length > 0 && (
        <div className="border-t border-line">
          <ArgumentList args={act.rest} {...shown} />
        </div>
      )}
    </>
  );
}

const DIFF_SIGNS = { same: " ", add: "+", remove: "−" };

function DiffLines({ lines, whole, onShowAll }: { lines: ReturnType<typeof diffLines> } & ExpandProps) {
  const t = useTranslate();
  const shown = whole ? lines : lines.slice(0, MAX_DIFF_LINES);
  return (
    <>
      {shown.map((line) => (
        <div
          key={`${line.before}/${line.after}`}
          className={`diff-line ${line.kind === "same" ? "" : `diff-${line.kind}`}`}
        >
          <span>{line.before}</span>
          <span>{line.after}</span>
          <b>{DIFF_SIGNS[line.kind]}</b>
          <code>
            <VisibleText text={line.text} />
            {line.noFinalNewline && <i className="text-ink-3"> {t("unended")}</i>}
          </code>
        </div>
      ))}
      {shown.length < lines.length && (
        <div className="cut">
          <b>{t("notShownLines", { count: lines.length - shown.length })}</b>
          <Button small onClick={onShowAll} hotkey="X">
            {t("showAll")}
          </Button>
        </div>
      )}
    </>
  );
}

export function ArgumentList({ args, ...shown }: { args: CallArguments } & ExpandProps) {
  return (
    <dl className="arguments">
      {sortShortValuesFirst(args).flatMap(([name, value]) => [
        <dt key={`${name}:`}>
          <VisibleText text={name} />
        </dt>,
        <dd key={name}>
          <TextWithNotes text={argumentValueText(value)} {...shown} />
        </dd>,
      ])}
    </dl>
  );
}

function TextWithNotes({ text, ...shown }: { text: string } & ExpandProps) {
  return (
    <>
      <LongText text={text} spans={[]} {...shown} />
      <HiddenTextNotes text={text.slice(0, 20_000)} />
    </>
  );
}

/** A value as text: strings unchanged, everything else as JSON. */
export function argumentValueText(value: Json): string {
  if (typeof value === "string") return value;
  const flat = JSON.stringify(value);
  return flat.length <= MAX_INLINE_JSON_LENGTH
    ? flat.replaceAll('","', '", "').replace(/(\d),(?=[\d-])/g, "$1, ")
    : JSON.stringify(value, null, 2);
}

const MAX_INLINE_JSON_LENGTH = 72;
