/** Why the call needs approval: one sentence; a click shows all steps and the narrowest rule that allows it. */
import type { Approval, Decision, Suggestion } from "@/api/types";
import { verdictIcon, verdictTone } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { ReasonSentence } from "@/ui/reason";
import { stageWord } from "@/ui/stage";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";

export function ReasonView({
  approval,
  suggestions,
}: {
  approval: Approval;
  suggestions: readonly Suggestion[];
}) {
  const t = useTranslate();
  const { decision, locked } = approval;
  return (
    <div className={`why ${locked ? "why-locked" : ""}`}>
      <p>
        <Icon name={locked ? "lock" : "ask"} />
        <span>
          <b className="font-semibold">{t("asksBecause")}</b>{" "}
          <ReasonSentence reason={{ sentence: decision.because, ...decision.reason }} />
        </span>
      </p>
      {decision.steps.length > 0 && <DecisionTrace decision={decision} smallest={suggestions[0]} />}
    </div>
  );
}

export function DecisionTrace({
  decision,
  smallest,
}: {
  decision: Decision;
  smallest?: Suggestion | undefined;
}) {
  const t = useTranslate();
  return (
    <details className="group phone:ml-[25px]">
      <summary className="inline-flex items-center gap-1 py-1 text-meta font-medium text-ink-3 hover:text-ink">
        <Icon name="next" size="small" className="transition-transform group-open:rotate-90" />
        {t("wholeTrace", { count: decision.steps.length })}
      </summary>
      <DecisionSteps decision={decision} />
      {smallest && (
        <p className="px-2 pb-1 text-meta text-ink-2">
          {t("smallestRule")}{" "}
          {smallest.rules.map((rule) => (
            <code key={rule}>
              <VisibleText text={rule} />
            </code>
          ))}
        </p>
      )}
    </details>
  );
}

export function DecisionSteps({ decision }: { decision: Decision }) {
  const t = useTranslate();
  const deciding = decision.steps.findIndex(
    (step) => step.stage === decision.stage && step.verdict === decision.verdict,
  );
  return (
    <ol className="trace">
      {decision.steps.map((step, at) => (
        <li key={at} className={`${verdictTone(step.verdict)} ${at === deciding ? "decides" : ""}`}>
          <span title={step.stage}>{stageWord(step.stage, t)}</span>
          <span className="tinted inline-flex items-center gap-1 font-medium">
            <Icon name={verdictIcon(step.verdict)} size="small" />
            {t(step.verdict === "absent" ? "absent" : step.verdict)}
          </span>
          <span>
            <ReasonSentence reason={{ ...step, sentence: step.reason }} />
          </span>
        </li>
      ))}
    </ol>
  );
}
