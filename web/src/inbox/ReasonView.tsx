/** Why the call needs approval: one sentence; a click shows all steps and the narrowest rule that allows it. */
import type { Approval, Decision, Suggestion } from "@/api/types";
import { parseMode, verdictIcon, verdictTone } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { stageWord } from "@/ui/stage";
import { Sentence, VisibleText } from "@/ui/VisibleText";
import { en, type TextKey } from "@/words/en";
import { useLanguage, useTranslate } from "@/words/words";

export function ReasonView({
  approval,
  suggestions,
}: {
  approval: Approval;
  suggestions: readonly Suggestion[];
}) {
  const t = useTranslate();
  const reason = useReasonText(approval);
  const { decision, locked } = approval;
  return (
    <div className={`why ${locked ? "why-locked" : ""}`}>
      <p>
        <Icon name={locked ? "lock" : "ask"} />
        <span>
          <b className="font-semibold">{t("asksBecause")}</b>{" "}
          <span lang={reason.lang}>
            <Sentence text={reason.text} />
          </span>
        </span>
      </p>
      {decision.steps.length > 0 && <DecisionTrace decision={decision} smallest={suggestions[0]} />}
    </div>
  );
}

/** The reason in the user's language if it has a translation; else the server's text. */
function useReasonText({ decision, tool, mode }: Approval): { text: string; lang: string | undefined } {
  const { t, language } = useLanguage();
  if (language === "en") return { text: decision.because, lang: undefined };
  const key = `because.${decision.stage}`;
  if (!(key in en)) return { text: decision.because, lang: "en" };
  const values = { tool: tool.name, mode: t(`mode.${parseMode(mode)}`), effect: t(tool.effect) };
  return { text: t(key as TextKey, values), lang: undefined };
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
            <Sentence text={step.reason} />
          </span>
        </li>
      ))}
    </ol>
  );
}
