/** The stage: the question that is read now, its neighbours, and the one that comes next. */
import { useEffect, useRef } from "react";
import { useApproval } from "@/api/queries";
import { useTitles } from "@/chat/conversations";
import type { Meaning } from "@/keys/arming";
import { go, slip } from "@/shell/route";
import { Button, KeyCap } from "@/ui/Button";
import { Icon, type IconName } from "@/ui/Icon";
import { Bones, EmptyState } from "@/ui/states";
import { useSay } from "@/words/words";
import { latest } from "./answering";
import { Card } from "./Card";
import { headline } from "./question";
import { nextAfter, type Row } from "./queue";

export function Stage({ id, rows, loading }: { id: string; rows: readonly Row[]; loading: boolean }) {
  const say = useSay();
  const titles = useTitles();
  const listed = rows.find((row) => row.key === id);
  const known = listed?.kind === "question" ? listed.approval : undefined;
  const detail = useApproval(id);
  const whole = detail.data;
  const approval = known ? latest(whole, known) : whole;
  const next = nextAfter(rows, id);

  const move = (meaning: Meaning) => {
    if (meaning === "back") go("inbox");
    else {
      const to = nextAfter(rows, id, meaning === "next" ? 1 : -1);
      if (to) slip("inbox", to);
    }
  };

  const element = useFollowedFocus(approval?.id ?? "");
  return (
    <section ref={element} className="stage scroll" aria-label={say("theQuestion")}>
      <h1 className="sr-only phone:hidden">{say("theQuestion")}</h1>
      <div className="mx-auto max-w-[776px]">
        {id && <Pager id={id} rows={rows} />}
        {approval ? (
          <Card
            key={approval.id}
            approval={approval}
            selected
            title={titles[approval.call.conversation]}
            onMove={move}
            onAnswered={() => (next ? slip("inbox", next) : undefined)}
          />
        ) : detail.error ? (
          <EmptyState icon="undo" title={say("over.gone")} />
        ) : id || loading ? (
          <Bones rows={5} />
        ) : null}
        {next && approval && <Next rows={rows} id={next} />}
      </div>
    </section>
  );
}

/** The next card takes the focus that went with the last one; a field that has it keeps it. */
function useFollowedFocus(shown: string) {
  const element = useRef<HTMLElement>(null);
  const before = useRef("");
  useEffect(() => {
    const replaced = before.current !== "" && shown !== "" && before.current !== shown;
    before.current = shown || before.current;
    if (!replaced || document.activeElement !== document.body) return;
    element.current?.querySelector<HTMLElement>(".card")?.focus({ preventScroll: true });
  }, [shown]);
  return element;
}

function Pager({ id, rows }: { id: string; rows: readonly Row[] }) {
  const say = useSay();
  const questions = rows.filter((row) => row.kind === "question");
  const at = questions.findIndex((row) => row.key === id);
  return (
    <div className="pager">
      <a className="btn btn-icon btn-quiet phone:!hidden" href="#/inbox" aria-label={say("backToInbox")}>
        <Icon name="back" />
      </a>
      {at >= 0 && (
        <b className="text-ui font-semibold text-ink">
          {say("ofN", { at: at + 1, count: questions.length })}
        </b>
      )}
      {at >= 0 && <span className="hidden phone:inline">{say("oldestFirst")}</span>}
      <span className="grow" />
      <Step to={nextAfter(rows, id, -1)} icon="up" label={say("previous")} />
      <Step to={nextAfter(rows, id)} icon="down" label={say("next")} />
      <span className="hidden items-center gap-1 phone:inline-flex">
        <KeyCap>J</KeyCap> <KeyCap>K</KeyCap> {say("move")} <KeyCap>?</KeyCap> {say("allKeys")}
      </span>
    </div>
  );
}

/** On a phone, where there are no keys: the neighbours of the question that is read. */
function Step({ to, icon, label }: { to: string; icon: IconName; label: string }) {
  return (
    <Button
      className="phone:!hidden"
      look="quiet"
      icon={icon}
      aria-label={label}
      disabled={!to}
      onClick={() => slip("inbox", to)}
    />
  );
}

function Next({ rows, id }: { rows: readonly Row[]; id: string }) {
  const say = useSay();
  const row = rows.find((one) => one.key === id);
  if (row?.kind !== "question") return null;
  return (
    <a
      href={`#/inbox/${id}`}
      className="mt-4 hidden items-center gap-2.5 rounded-m border border-dashed border-line-strong px-3.5 py-2.5 text-meta text-ink-3 phone:flex"
    >
      <Icon name={row.approval.tool.effect} size="small" />
      {say("next")}
      <span className="mono truncate text-ink-2">{headline(row.approval)}</span>
      <span className="ml-auto whitespace-nowrap">{row.approval.call.agent}</span>
    </a>
  );
}
