/** Why it asks: one sentence, the whole trace one click below, and the smallest rule that would have helped. */
import type { Approval, Decision, Suggestion } from "@/api/types";
import { iconOf, modeNamed, toneOf } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { stageWord } from "@/ui/stage";
import { Sentence, VisibleText } from "@/ui/VisibleText";
import { en, type Key } from "@/words/en";
import { useSay, useWords } from "@/words/words";

export function WhyView({
  approval,
  suggestions,
}: {
  approval: Approval;
  suggestions: readonly Suggestion[];
}) {
  const say = useSay();
  const told = useBecause(approval);
  const { decision, locked } = approval;
  return (
    <div className={`why ${locked ? "why-locked" : ""}`}>
      <p>
        <Icon name={locked ? "lock" : "ask"} />
        <span>
          <b className="font-semibold">{say("asksBecause")}</b>{" "}
          <span lang={told.lang}>
            <Sentence text={told.text} />
          </span>
        </span>
      </p>
      {decision.steps.length > 0 && <Trace decision={decision} smallest={suggestions[0]} />}
    </div>
  );
}

/** The reason in the reader's language where it says no more than its stage; else as the server wrote it. */
function useBecause({ decision, tool, mode }: Approval): { text: string; lang: string | undefined } {
  const { say, language } = useWords();
  if (language === "en") return { text: decision.because, lang: undefined };
  const key = `because.${decision.stage}`;
  if (!(key in en)) return { text: decision.because, lang: "en" };
  const values = { tool: tool.name, mode: say(`mode.${modeNamed(mode)}`), effect: say(tool.effect) };
  return { text: say(key as Key, values), lang: undefined };
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
          <span title={step.stage}>{stageWord(step.stage, say)}</span>
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
