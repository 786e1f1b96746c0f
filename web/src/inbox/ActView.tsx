/** The act: what would happen, in the largest type of the card. */
import { Fragment, type ReactNode, useMemo } from "react";
import type { Approval, Args, Json } from "@/api/types";
import { Button } from "@/ui/Button";
import { toneOf } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { Bones } from "@/ui/states";
import { Sentence, VisibleText } from "@/ui/VisibleText";
import { runsOf } from "@/ui/visible";
import { useSay } from "@/words/words";
import { dangerSpans, outsideIn, type Span } from "./danger";
import { countOf, diffLines, hunksOf, unifiedHunks, unifiedLines } from "./diff";
import { FedBlock, FedView } from "./FedView";
import type { Fed } from "./fed";
import { type Act, inReadingOrder, type Part, partsOf } from "./question";

const LONGEST = 2000;
const EDGE = 700;
const MOST_LINES = 300;

type Shown = { whole: boolean; onShowAll: () => void };

/** Whether something of the act is cut until the person asks for all of it. */
export function isLong(act: Act): boolean {
  switch (act.kind) {
    case "command":
      return [act.text, ...Object.values(act.rest).map(textOf), ...act.fed.map((one) => one.text ?? "")].some(
        (text) => text.length > LONGEST,
      );
    case "change":
      return linesIn(act.compared?.diff ?? act.after) + linesIn(act.before ?? "") > MOST_LINES;
    case "arguments":
      return Object.values(act.args).some((value) => textOf(value).length > LONGEST);
  }
}

/** Whether the change is not here yet: nobody can say yes to what is not shown. */
export const isLoading = (act: Act) =>
  act.kind === "change" && !!act.compared && act.compared.diff === undefined;

export function ActView({
  approval,
  act,
  foot,
  ...shown
}: { approval: Approval; act: Act; foot?: ReactNode } & Shown) {
  return (
    <div className="pt-2.5">
      <div className="plate">
        {act.kind === "command" && <Command approval={approval} act={act} {...shown} />}
        {act.kind === "change" && <Change act={act} {...shown} />}
        {act.kind === "arguments" && <NotCompared approval={approval} />}
        {act.kind === "arguments" && <Arguments args={act.args} {...shown} />}
        {foot}
      </div>
    </div>
  );
}

function Command({ approval, act, ...shown }: { approval: Approval; act: CommandAct } & Shown) {
  const parts = placed(partsOf(approval, act.text));
  // Lines that run over the end of a part are shown below like any other text.
  const fed = act.fed.map((one) =>
    one.place && parts.some(({ from, to }) => isWithin(one.place, from, to)) ? one : { ...one, place: null },
  );
  return (
    <>
      {parts.map(({ part, from, to }) => (
        <PartRow
          key={from}
          part={part}
          from={from}
          fed={fed.filter((one) => isWithin(one.place, from, to))}
          approval={approval}
          alone={parts.length === 1}
          {...shown}
        />
      ))}
      <FedView approval={approval} fed={fed} draw={(text) => <TextWithFindings text={text} {...shown} />} />
      {Object.keys(act.rest).length > 0 && (
        <div className="border-t border-line">
          <Arguments args={act.rest} {...shown} />
        </div>
      )}
    </>
  );
}

type CommandAct = Extract<Act, { kind: "command" }>;

/** Each part with the place of its text in the command. */
function placed(parts: readonly Part[]): { part: Part; from: number; to: number }[] {
  let to = 0;
  return parts.map((part) => {
    const from = to;
    to += part.text.length;
    return { part, from, to };
  });
}

const isWithin = (place: Span | null, from: number, to: number) =>
  place !== null && from <= place.from && place.to <= to;

type RowProps = { part: Part; from: number; fed: readonly Fed[]; approval: Approval; alone: boolean } & Shown;

const linesIn = (text: string) => text.split("\n").length;

function PartRow({ part, from, fed, approval, alone, ...shown }: RowProps) {
  const say = useSay();
  const asks = part.verdict !== "run" && approval.state === "pending";
  const spans = part.verdict === "run" ? [] : dangerSpans(part.text, approval);
  const danger = approval.locked || spans.length > 0;
  const tone = asks && danger ? "tone-destructive" : toneOf(part.verdict);
  return (
    <div className={`part ${tone} ${asks ? "part-asks" : ""}`}>
      <Icon name={part.verdict === "run" ? "run" : part.verdict === "ask" ? "ask" : "deny"} />
      <div className="command">
        <span className="sr-only">
          {say(part.verdict === "run" ? "run" : part.verdict === "ask" ? "ask" : "deny")}:{" "}
        </span>
        {stretches(part.text, from, fed).map(({ start, end, input }) => {
          const inside = (
            <LongText text={part.text.slice(start, end)} spans={shifted(spans, start)} {...shown} />
          );
          if (!input) return <Fragment key={start}>{inside}</Fragment>;
          return (
            <div key={start} className="fed fed-inside">
              <FedBlock fed={input}>{inside}</FedBlock>
            </div>
          );
        })}
      </div>
      {!alone && (
        <span className="part-note">
          {part.verdict === "run" ? (
            <Sentence text={part.reason} />
          ) : part.rule ? (
            say("asksHere")
          ) : (
            say("nothingCovers")
          )}
        </span>
      )}
      {asks && <Leads text={part.text} approval={approval} />}
      <Findings text={part.text} />
    </div>
  );
}

type Stretch = { start: number; end: number; input: Fed | null };

/** The text of a part, cut where lines begin and end that are fed to a command. */
function stretches(text: string, from: number, fed: readonly Fed[]): Stretch[] {
  const found: Stretch[] = [];
  let at = 0;
  for (const input of fed.toSorted((one, other) => (one.place?.from ?? 0) - (other.place?.from ?? 0))) {
    const [start, end] = [(input.place?.from ?? 0) - from, (input.place?.to ?? 0) - from];
    // Lines inside of lines that are shown already are shown with them.
    if (start < at) continue;
    found.push({ start: at, end: start, input: null }, { start, end, input });
    at = end;
  }
  return [...found, { start: at, end: text.length, input: null }].filter(({ start, end }) => start < end);
}

const shifted = (spans: readonly Span[], by: number): Span[] =>
  spans.map(({ from, to }) => ({ from: from - by, to: to - by }));

/** Where the paths that leave the workspace really lead. */
function Leads({ text, approval }: { text: string; approval: Approval }) {
  const say = useSay();
  return outsideIn(text, approval).map(({ from, written, real }) => (
    <p key={from} className="finding">
      <Icon name="warn" size="small" />
      <span>
        <Sentence text={say("leadsOutside", { path: `\`${written}\``, real: `\`${real}\`` })} />
      </span>
    </p>
  ));
}

/** What does not show as itself, in sentences. */
function Findings({ text }: { text: string }) {
  const say = useSay();
  const found = useMemo(() => {
    const seen = new Map<string, string>();
    for (const run of runsOf(text)) {
      if (run.kind === "escape" && /[\u202a-\u202e\u2066-\u2069]/.test(run.text)) {
        seen.set(run.code, say("turnsAround", { code: `\`${run.code}\`` }));
      }
      if (run.kind === "mixed")
        seen.set(run.text, say("mixesScripts", { word: `\`${run.text}\``, scripts: run.scripts }));
    }
    return [...seen.values()].slice(0, 4);
  }, [text, say]);
  return found.map((sentence) => (
    <p key={sentence} className="finding">
      <Icon name="warn" size="small" />
      <span>
        <Sentence text={sentence} />
      </span>
    </p>
  ));
}

/** A text that may be long: whole, or its head and tail with the count of what lies between. */
function LongText({ text, spans, whole, onShowAll }: { text: string; spans: Span[] } & Shown) {
  const say = useSay();
  if (text.length <= LONGEST) return <Marked text={text} spans={spans} from={0} />;
  if (whole) {
    return (
      <div className="max-h-[60vh] overflow-auto">
        <Marked text={text} spans={spans} from={0} />
      </div>
    );
  }
  const tail = text.length - EDGE;
  return (
    <>
      <Marked text={text.slice(0, EDGE)} spans={spans} from={0} />
      <span className="cut">
        <b>{say("notShown", { count: tail - EDGE })}</b>
        <Button small onClick={onShowAll} hotkey="X">
          {say("showAll")}
        </Button>
      </span>
      <Marked text={text.slice(tail)} spans={spans} from={tail} />
    </>
  );
}

/** A piece of a text that begins at `from`, with the spans that fall into it marked. */
function Marked({ text, spans, from }: { text: string; spans: Span[]; from: number }) {
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

/** Why a change of a file is not shown as one. */
function NotCompared({ approval: { file } }: { approval: Approval }) {
  const say = useSay();
  if (!file?.why) return null;
  return (
    <p className="finding px-3.5 pt-2">
      <Icon name="warn" size="small" />
      <span>{say(file.state === "unfit" ? "file.unfit" : `file.${file.state}`, { why: file.why })}</span>
    </p>
  );
}

function Change({ act, ...shown }: { act: Extract<Act, { kind: "change" }> } & Shown) {
  const say = useSay();
  const { compared } = act;
  const diff = compared ? (compared.diff ?? "") : null;
  const total = compared && !compared.within ? compared.lines : 0;
  const lines = useMemo(
    () => (diff === null ? diffLines(act.before, act.after) : unifiedLines(diff)),
    [act.before, act.after, diff],
  );
  const hunks = useMemo(() => {
    if (diff !== null) return unifiedHunks(lines, total);
    return shown.whole ? [{ kind: "lines" as const, lines }] : hunksOf(lines);
  }, [lines, shown.whole, diff, total]);
  if (isLoading(act)) return <Bones rows={3} />;
  return (
    <>
      <div className="mono flex flex-wrap items-center gap-2 border-b border-line px-3.5 py-2 text-body">
        <Icon name="edit" size="small" />
        <b className="font-semibold break-all">
          <VisibleText text={act.path} />
        </b>
        <span className="grow" />
        {act.before === null && <span className="chip chip-plain font-sans">{say("newFile")}</span>}
        {compared?.within && <span className="chip chip-plain font-sans">{compared.within}</span>}
        {compared?.overwrites && (
          <span className="chip chip-plain font-sans">{say("overwrites", { count: compared.lines })}</span>
        )}
        <span className="font-semibold text-run">+{countOf(lines, "add")}</span>
        <span className="font-semibold text-deny">−{countOf(lines, "remove")}</span>
      </div>
      <div className="diff max-h-[60vh] overflow-auto">
        {hunks.map((hunk, at) =>
          hunk.kind === "gap" ? (
            <div key={at} className="diff-gap">
              {say("hiddenLines", { count: hunk.count })}
            </div>
          ) : (
            <DiffLines key={at} lines={hunk.lines} {...shown} />
          ),
        )}
      </div>
      {Object.keys(act.rest).length > 0 && (
        <div className="border-t border-line">
          <Arguments args={act.rest} {...shown} />
        </div>
      )}
    </>
  );
}

const SIGNS = { same: " ", add: "+", remove: "−" };

function DiffLines({ lines, whole, onShowAll }: { lines: ReturnType<typeof diffLines> } & Shown) {
  const say = useSay();
  const shown = whole ? lines : lines.slice(0, MOST_LINES);
  return (
    <>
      {shown.map((line) => (
        <div
          key={`${line.before}/${line.after}`}
          className={`diff-line ${line.kind === "same" ? "" : `diff-${line.kind}`}`}
        >
          <span>{line.before}</span>
          <span>{line.after}</span>
          <b>{SIGNS[line.kind]}</b>
          <code>
            <VisibleText text={line.text} />
            {line.unended && <i className="text-ink-3"> {say("unended")}</i>}
          </code>
        </div>
      ))}
      {shown.length < lines.length && (
        <div className="cut">
          <b>{say("hiddenLines", { count: lines.length - shown.length })}</b>
          <Button small onClick={onShowAll} hotkey="X">
            {say("showAll")}
          </Button>
        </div>
      )}
    </>
  );
}

export function Arguments({ args, ...shown }: { args: Args } & Shown) {
  return (
    <dl className="arguments">
      {inReadingOrder(args).flatMap(([name, value]) => [
        <dt key={`${name}:`}>
          <VisibleText text={name} />
        </dt>,
        <dd key={name}>
          <TextWithFindings text={textOf(value)} {...shown} />
        </dd>,
      ])}
    </dl>
  );
}

function TextWithFindings({ text, ...shown }: { text: string } & Shown) {
  return (
    <>
      <LongText text={text} spans={[]} {...shown} />
      <Findings text={text.slice(0, 20_000)} />
    </>
  );
}

/** A value as a person reads it: texts as they are, all else as JSON. */
export function textOf(value: Json): string {
  if (typeof value === "string") return value;
  const flat = JSON.stringify(value);
  return flat.length <= SHORT_JSON
    ? flat.replaceAll('","', '", "').replace(/(\d),(?=[\d-])/g, "$1, ")
    : JSON.stringify(value, null, 2);
}

const SHORT_JSON = 72;
