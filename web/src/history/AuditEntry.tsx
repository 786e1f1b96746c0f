/** The cells of an audit row: the outcome, and what decided it. */
import type { AuditRow } from "@/api/types";
import { useRules } from "@/rules/ruleQueries";
import { parseMode, VerdictChip } from "@/ui/effect";
import { StageName, stageWord } from "@/ui/stage";
import { VisibleText } from "@/ui/VisibleText";
import { en, type TextKey } from "@/words/en";
import { useLanguage, useTranslate } from "@/words/words";

export function OutcomeCell({ entry }: { entry: AuditRow["entry"] }) {
  const { t } = useLanguage();
  if (
    entry.verdict === "run" ||
    entry.verdict === "ask" ||
    entry.verdict === "deny" ||
    entry.verdict === "absent"
  ) {
    return <VerdictChip verdict={entry.verdict} />;
  }
  if (entry.decision === "approved") return <VerdictChip verdict="run" word={t("allowed")} />;
  if (entry.decision.startsWith("denied")) return <VerdictChip verdict="deny" />;
  const key = `decision.${entry.decision}`;
  return <span className="chip chip-plain">{key in en ? t(key as TextKey) : entry.decision}</span>;
}

/** The audit names a stored rule by its id; show its text if the rule still exists. */
export function RuleText({ rule }: { rule: string }) {
  const { data } = useRules();
  const t = useTranslate();
  const known = data?.find((one) => one.id === rule);
  if (`stage.${rule}` in en) return stageWord(rule, t);
  return (
    <code>
      <VisibleText text={known?.text ?? (/^[0-9a-f]{32}$/.test(rule) ? `${rule.slice(0, 8)}…` : rule)} />
    </code>
  );
}

/** The reason of a row: the deciding rule, or else the stage; for an answer, the person. */
export function DeciderCell({ entry }: { entry: AuditRow["entry"] }) {
  const t = useTranslate();
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
        <RuleText rule={entry.rule} />
      ) : (
        entry.stage === "mode" && entry.mode && t(`mode.${parseMode(entry.mode)}`)
      )}
    </>
  );
}
