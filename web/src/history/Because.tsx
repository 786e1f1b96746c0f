/** A row of the audit in words: what came of a call, and what decided it. */
import type { AuditRow } from "@/api/types";
import { useRules } from "@/rules/stored";
import { modeNamed, VerdictChip } from "@/ui/effect";
import { StageName, stageWord } from "@/ui/stage";
import { VisibleText } from "@/ui/VisibleText";
import { en, type Key } from "@/words/en";
import { useSay, useWords } from "@/words/words";

export function Outcome({ entry }: { entry: AuditRow["entry"] }) {
  const { say } = useWords();
  if (
    entry.verdict === "run" ||
    entry.verdict === "ask" ||
    entry.verdict === "deny" ||
    entry.verdict === "absent"
  ) {
    return <VerdictChip verdict={entry.verdict} />;
  }
  if (entry.decision === "approved") return <VerdictChip verdict="run" word={say("allowed")} />;
  if (entry.decision.startsWith("denied")) return <VerdictChip verdict="deny" />;
  const key = `decision.${entry.decision}`;
  return <span className="chip chip-plain">{key in en ? say(key as Key) : entry.decision}</span>;
}

/** A rule of the store is named by its id: where it still counts, its text says more. */
export function RuleName({ rule }: { rule: string }) {
  const { data } = useRules();
  const say = useSay();
  const known = data?.find((one) => one.id === rule);
  if (`stage.${rule}` in en) return stageWord(rule, say);
  return (
    <code>
      <VisibleText text={known?.text ?? (/^[0-9a-f]{32}$/.test(rule) ? `${rule.slice(0, 8)}…` : rule)} />
    </code>
  );
}

/** What decided: the rule where there is one, else the stage; for an answer, who gave it. */
export function Because({ entry }: { entry: AuditRow["entry"] }) {
  const say = useSay();
  if (entry.verdict === "") {
    return (
      <>
        <VisibleText text={entry.user} /> {entry.reason && <VisibleText text={`“${entry.reason}”`} />}
      </>
    );
  }
  return (
    <>
      <StageName stage={entry.stage} />{" "}
      {entry.rule ? (
        <RuleName rule={entry.rule} />
      ) : (
        entry.stage === "mode" && entry.mode && say(`mode.${modeNamed(entry.mode)}`)
      )}
    </>
  );
}
