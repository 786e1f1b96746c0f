/** Why it asks: one sentence, the whole trace one click below, and the smallest rule that would have helped. */
import type { Approval, Decision, Suggestion } from "@/api/types";
import { iconOf, toneOf } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { Sentence, VisibleText } from "@/ui/VisibleText";
import { useSay } from "@/words/words";

export function WhyView({
  approval,
  suggestions,
}: {
  approval: Approval;
  suggestions: readonly Suggestion[];
}) {
  const say = useSay();
  const { decision, locked } = approval;
  return (
    <div className={`why ${locked ? "why-locked" : ""}`}>
      <p>
        <Icon name={locked ? "lock" : "ask"} />
        <span>
          <b className="font-semibold">{say("asksBecause")}</b> <Sentence text={decision.because} />
        </span>
      </p>
      {decision.steps.length > 0 && <Trace decision={decision} smallest={suggestions[0]} />}
    </div>
  );
}

export function Trace({ decision, smallest }: { decision: Decision; smallest?: Suggestion | undefined }) {
  const say = useSay();
  return (
    <details className="group phone:ml-[25px]">
      <summary className="inline-flex items-center gap-1 py-1 text-meta font-medium text-ink-3 hover:text-ink">
        <Icon name="next" size="small" className="transition-transform group-open:rotate-90" />
        {say("wholeTrace", { count: decision.steps.length })}
      </summary>
      <Steps decision={decision} />
      {smallest && (
        <p className="px-2 pb-1 text-meta text-ink-2">
          {say("smallestRule")}{" "}
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

export function Steps({ decision }: { decision: Decision }) {
  const say = useSay();
  const deciding = decision.steps.findIndex(
    (step) => step.stage === decision.stage && step.verdict === decision.verdict,
  );
  return (
    <ol className="trace">
      {decision.steps.map((step, at) => (
        <li key={at} className={`${toneOf(step.verdict)} ${at === deciding ? "decides" : ""}`}>
          <span>{step.stage}</span>
          <span className="tinted inline-flex items-center gap-1 font-medium">
            <Icon name={iconOf(step.verdict)} size="small" />
            {say(step.verdict === "absent" ? "absent" : step.verdict)}
          </span>
          <span>
            <Sentence text={step.reason} />
          </span>
        </li>
      ))}
    </ol>
  );
}
