/** What was asked and what ran, one above the other: only what a person changed, the rest is counted. */
import type { Approval, Args, Json, State } from "@/api/types";
import { VisibleText } from "@/ui/VisibleText";
import type { Key } from "@/words/en";
import { useSay } from "@/words/words";
import { textOf } from "./ActView";
import { diffLines, hunksOf, type Line } from "./diff";

export function Versus({ approval, ran }: { approval: Approval; ran: Args }) {
  const say = useSay();
  const asked = approval.call.args;
  const names = [...new Set([...Object.keys(asked), ...Object.keys(ran)])];
  const changed = names.filter((name) => JSON.stringify(asked[name]) !== JSON.stringify(ran[name]));
  return (
    <div className="pt-2.5">
      <div className="plate versus">
        <Side word={say("asked")} args={asked} other={ran} names={changed} kind="remove" />
        <Side
          word={say(RAN[approval.state] ?? "wouldRun")}
          args={ran}
          other={asked}
          names={changed}
          kind="add"
        />
        <p className="plate-foot">{say("changedArguments", { count: changed.length, all: names.length })}</p>
      </div>
    </div>
  );
}

const RAN: Partial<Record<State, Key>> = {
  approved: "willRun",
  running: "willRun",
  done: "ran",
  failed: "ran",
  unknown: "mayHaveRun",
};

type SideProps = { word: string; args: Args; other: Args; names: readonly string[]; kind: "add" | "remove" };

function Side({ word, args, other, names, kind }: SideProps) {
  return (
    <section aria-label={word}>
      <h3>{word}</h3>
      <dl className="arguments">
        {names.flatMap((name) => [
          <dt key={`${name}:`}>
            <VisibleText text={name} />
          </dt>,
          <dd key={name}>
            <Value value={args[name]} other={other[name]} kind={kind} />
          </dd>,
        ])}
      </dl>
    </section>
  );
}

/** A value; of a text of several lines those that are only on this side, and a few around them. */
function Value({
  value,
  other,
  kind,
}: {
  value: Json | undefined;
  other: Json | undefined;
  kind: Line["kind"];
}) {
  const say = useSay();
  if (value === undefined) return <i className="text-ink-3">{say("notGiven")}</i>;
  const text = textOf(value);
  const Mark = kind === "add" ? "ins" : "del";
  if (!text.includes("\n"))
    return (
      <Mark>
        <VisibleText text={text} />
      </Mark>
    );
  const there = textOf(other ?? "");
  const lines = kind === "add" ? diffLines(there, text) : diffLines(text, there);
  const hunks = hunksOf(lines.filter((line) => line.kind === "same" || line.kind === kind));
  return (
    <div className="max-h-[40vh] overflow-auto">
      {hunks.map((hunk, at) =>
        hunk.kind === "gap" ? (
          <div key={at} className="text-ink-3">
            {say("hiddenLines", { count: hunk.count })}
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
