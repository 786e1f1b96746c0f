/** The requested and the edited arguments, one above the other; unchanged arguments are only counted. */
import type { Approval, CallArguments, Json, State } from "@/api/types";
import { VisibleText } from "@/ui/VisibleText";
import type { TextKey } from "@/words/en";
import { useTranslate } from "@/words/words";
import { argumentValueText } from "./CallContentView";
import { type DiffLine, diffLines, splitIntoHunks } from "./diff";

export function ArgumentChanges({ approval, ran }: { approval: Approval; ran: CallArguments }) {
  const t = useTranslate();
  const asked = approval.call.args;
  const names = [...new Set([...Object.keys(asked), ...Object.keys(ran)])];
  const changed = names.filter((name) => JSON.stringify(asked[name]) !== JSON.stringify(ran[name]));
  return (
    <div className="pt-2.5">
      <div className="plate versus">
        <ArgumentColumn word={t("asked")} args={asked} other={ran} names={changed} kind="remove" />
        <ArgumentColumn
          word={t(RUN_STATE_TEXTS[approval.state] ?? "wouldRun")}
          args={ran}
          other={asked}
          names={changed}
          kind="add"
        />
        <p className="plate-foot">{t("changedArguments", { count: changed.length, all: names.length })}</p>
      </div>
    </div>
  );
}

const RUN_STATE_TEXTS: Partial<Record<State, TextKey>> = {
  approved: "willRun",
  running: "willRun",
  done: "ran",
  failed: "ran",
  unknown: "mayHaveRun",
};

type ArgumentColumnProps = {
  word: string;
  args: CallArguments;
  other: CallArguments;
  names: readonly string[];
  kind: "add" | "remove";
};

function ArgumentColumn({ word, args, other, names, kind }: ArgumentColumnProps) {
  return (
    <section aria-label={word}>
      <h3>{word}</h3>
      <dl className="arguments">
        {names.flatMap((name) => [
          <dt key={`${name}:`}>
            <VisibleText text={name} />
          </dt>,
          <dd key={name}>
            <ChangedValue value={args[name]} other={other[name]} kind={kind} />
          </dd>,
        ])}
      </dl>
    </section>
  );
}

/** Shows a value; for a text of several lines, only the changed lines with some context. */
function ChangedValue({
  value,
  other,
  kind,
}: {
  value: Json | undefined;
  other: Json | undefined;
  kind: DiffLine["kind"];
}) {
  const t = useTranslate();
  if (value === undefined) return <i className="text-ink-3">{t("notGiven")}</i>;
  const text = argumentValueText(value);
  const Mark = kind === "add" ? "ins" : "del";
  if (!text.includes("\n"))
    return (
      <Mark>
        <VisibleText text={text} />
      </Mark>
    );
  const there = argumentValueText(other ?? "");
  const lines = kind === "add" ? diffLines(there, text) : diffLines(text, there);
  const hunks = splitIntoHunks(lines.filter((line) => line.kind === "same" || line.kind === kind));
  return (
    <div className="max-h-[40vh] overflow-auto">
      {hunks.map((hunk, at) =>
        hunk.kind === "gap" ? (
          <div key={at} className="text-ink-3">
            {t("hiddenLines", { count: hunk.count })}
          </div>
        ) : (
          hunk.lines.map((line, place) => (
            <div key={place}>
              {line.kind === "same" ? (
                <VisibleText text={line.text} />
              ) : (
                <Mark>
                  <VisibleText text={line.text} />
                </Mark>
              )}
            </div>
          ))
        ),
      )}
    </div>
  );
}
