/** The form behind "Always…": the rules, their scope and duration, and a preview. */
import { useId, useState } from "react";
import type { ApprovalDetail, Lifetime, Said, Scope, Suggestion } from "@/api/types";
import { AnswerForm } from "@/inbox/AnswerForm";
import { Button, COMMAND_KEY_NAME } from "@/ui/Button";
import { SelectField } from "@/ui/Field";
import { Icon } from "@/ui/Icon";
import { Sentence } from "@/ui/VisibleText";
import type { TextKey } from "@/words/en";
import { useTranslate } from "@/words/words";
import { RulePreview, useRulePreview } from "./RulePreview";

const RULE_SCOPES: readonly Scope[] = ["conversation", "agent", "user_agent", "user", "everyone"];
const RULE_DURATIONS = ["30", "day", "restart", "forever", "uses"] as const;
type RuleDuration = (typeof RULE_DURATIONS)[number];

type AlwaysEditorProps = {
  approval: ApprovalDetail;
  busy: boolean;
  onAnswer: (answer: Said) => void;
  onBack: () => void;
};

export function AlwaysEditor({ approval, busy, onAnswer, onBack }: AlwaysEditorProps) {
  const t = useTranslate();
  const { suggestions, always } = approval;
  const [at, setAt] = useState(0);
  const [rules, setRules] = useState(suggestions[0]?.rules ?? []);
  const scopes = choicesAllowedByPreset(RULE_SCOPES, always.scope).filter(
    (one) => one !== "conversation" || approval.call.conversation,
  );
  const [scope, setScope] = useState<Scope>(scopes[0] ?? "conversation");
  const durations =
    always.lifetime === "choice"
      ? RULE_DURATIONS
      : RULE_DURATIONS.filter((one) => durationToLifetime(one) === always.lifetime);
  const [duration, setDuration] = useState<RuleDuration>(durations[0] ?? "forever");
  const choose = (index: number) => {
    setAt(index);
    setRules(suggestions[index]?.rules ?? []);
  };
  const serverObjection = useRuleObjection(rules, approval.id);

  if (suggestions.length === 0) {
    return (
      <div className="always">
        <p className="text-ink-2">{t("noAlways")}</p>
        <div>
          <Button onClick={onBack} hotkey="Esc">
            {t("back")}
          </Button>
        </div>
      </div>
    );
  }
  const answer: Said = { say: "always", rules, scope, ...answerLifetimeFields(duration) };
  // The server has already checked the rules that it offers.
  const objection = suggestions.some((one) => haveSameRules(one.rules, rules)) ? "" : serverObjection;
  const isDisabled = busy || objection !== "";
  return (
    <AnswerForm onSend={() => !isDisabled && onAnswer(answer)} onBack={onBack}>
      <SuggestionChoice suggestions={suggestions} at={at} onChoose={choose} />
      <RuleInputs rules={rules} onChange={setRules} objection={objection} />
      <div className="grid gap-3 phone:grid-cols-2">
        <SelectField label={t("countsFor")} value={scope} onChange={(value) => setScope(value as Scope)}>
          {scopes.map((one) => (
            <option key={one} value={one}>
              {t(`scope.${one}`, { agent: approval.call.agent })}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={t("lasts")}
          value={duration}
          onChange={(value) => setDuration(value as RuleDuration)}
        >
          {durations.map((one) => (
            <option key={one} value={one}>
              {t(`lasts.${one}`)}
            </option>
          ))}
        </SelectField>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="go" disabled={isDisabled} hotkey={`${COMMAND_KEY_NAME} ↵`}>
          {t("remember")}
        </Button>
        <Button onClick={onBack} hotkey="Esc">
          {t("back")}
        </Button>
      </div>
      {/* Below the buttons, so that no button moves under the pointer when the preview arrives. */}
      <RulePreview rules={rules} approval={approval} />
    </AnswerForm>
  );
}

type SuggestionChoiceProps = {
  suggestions: readonly Suggestion[];
  at: number;
  onChoose: (at: number) => void;
};

function SuggestionChoice({ suggestions, at, onChoose }: SuggestionChoiceProps) {
  const t = useTranslate();
  const name = useId();
  const lost = suggestions[at]?.irreversible ?? [];
  return (
    <fieldset>
      <legend className="field-label">{t("howWide")}</legend>
      <div className="widths">
        {suggestions.map((one, index) => (
          <label key={`${one.width}${one.rules.join()}`} data-within={index <= at}>
            <input type="radio" name={name} checked={index === at} onChange={() => onChoose(index)} />
            {t(`width.${one.width}` as TextKey)}
            <code className="hidden phone:block">{one.rules.map(ruleSpecifier).join(", ")}</code>
          </label>
        ))}
      </div>
      {lost.length > 0 && (
        <p className="mt-2" role="note">
          {t("alsoCoversLost", { commands: lost.join(", ") })}
        </p>
      )}
    </fieldset>
  );
}

/** Why the server would refuse these rules: empty if it accepts them, null while unknown. */
function useRuleObjection(rules: readonly string[], approval: string): string | null {
  const { data, error, isFetching } = useRulePreview(rules, approval);
  if (isFetching || rules.some((rule) => !rule.trim())) return null;
  return error ? error.message : (data?.objection ?? null);
}

type RuleInputsProps = {
  rules: readonly string[];
  onChange: (rules: string[]) => void;
  objection: string | null;
};

function RuleInputs({ rules, onChange, objection }: RuleInputsProps) {
  const t = useTranslate();
  const objectionId = useId();
  return (
    <div className="grid gap-2">
      <span className="field-label !mb-0">{t("ruleLabel")}</span>
      {rules.map((rule, at) => (
        <span key={at} className="field min-h-[38px]">
          <input
            className="mono !text-[14px]"
            aria-label={t("ruleLabel")}
            aria-invalid={Boolean(objection)}
            aria-describedby={objectionId}
            spellCheck={false}
            value={rule}
            onChange={(event) => onChange(rules.with(at, event.target.value))}
          />
          <RuleCoverageMark objection={objection} />
        </span>
      ))}
      {/* One line is reserved, so that nothing below moves when the server objects. */}
      <p id={objectionId} role="status" className="min-h-[1lh] text-meta text-deny">
        {objection && <Sentence text={objection} />}
      </p>
    </div>
  );
}

/** Whether the rules cover this call, checked by the server while the person types. */
function RuleCoverageMark({ objection }: { objection: string | null }) {
  const t = useTranslate();
  if (objection === null) return <span className="meta whitespace-nowrap">{t("checking")}</span>;
  const covers = objection === "";
  return (
    <span
      className={`${covers ? "tone-run" : "tone-deny"} tinted inline-flex items-center gap-1 text-meta font-medium whitespace-nowrap`}
    >
      <Icon name={covers ? "run" : "deny"} size="small" />
      <span className="max-phone:sr-only">{t(covers ? "coversThis" : "coversNot")}</span>
    </span>
  );
}

/** The offered choices; only one if the preset fixes it. */
const choicesAllowedByPreset = <T extends string>(choices: readonly T[], only: string) =>
  only === "choice" ? choices : choices.filter((one) => one === only);

function durationToLifetime(duration: RuleDuration): Lifetime {
  if (duration === "30" || duration === "day") return "until";
  return duration;
}

function answerLifetimeFields(duration: RuleDuration): Pick<Said, "lifetime" | "until" | "uses"> {
  const lifetime = durationToLifetime(duration);
  if (duration === "uses") return { lifetime, uses: 10 };
  if (lifetime !== "until") return { lifetime };
  const minutes = duration === "30" ? 30 : 24 * 60;
  return { lifetime, until: new Date(Date.now() + minutes * 60_000).toISOString() };
}

const haveSameRules = (one: readonly string[], other: readonly string[]) =>
  one.join("\n") === other.join("\n");
const ruleSpecifier = (rule: string) => rule.match(/^[^(]+\((.*)\)$/s)?.[1] ?? rule;
