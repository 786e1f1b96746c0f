/** Always…: how wide, for whom, how long, and what it would have done before. */
import { useId, useState } from "react";
import type { ApprovalDetail, Lifetime, Said, Scope, Suggestion } from "@/api/types";
import { AnswerForm } from "@/inbox/AnswerForm";
import { Button, COMMAND } from "@/ui/Button";
import { SelectField } from "@/ui/Field";
import { Icon } from "@/ui/Icon";
import { Sentence } from "@/ui/VisibleText";
import type { Key } from "@/words/en";
import { useSay } from "@/words/words";
import { RulePreview, usePreview } from "./RulePreview";

const SCOPES: readonly Scope[] = ["conversation", "agent", "user_agent", "user", "everyone"];
const LASTS = ["30", "day", "restart", "forever", "uses"] as const;
type Lasts = (typeof LASTS)[number];

type Props = {
  approval: ApprovalDetail;
  busy: boolean;
  onAnswer: (answer: Said) => void;
  onBack: () => void;
};

export function AlwaysEditor({ approval, busy, onAnswer, onBack }: Props) {
  const say = useSay();
  const { suggestions, always } = approval;
  const [at, setAt] = useState(0);
  const [rules, setRules] = useState(suggestions[0]?.rules ?? []);
  const scopes = offered(SCOPES, always.scope).filter(
    (one) => one !== "conversation" || approval.call.conversation,
  );
  const [scope, setScope] = useState<Scope>(scopes[0] ?? "conversation");
  const lasting =
    always.lifetime === "choice" ? LASTS : LASTS.filter((one) => lifetimeOf(one) === always.lifetime);
  const [lasts, setLasts] = useState<Lasts>(lasting[0] ?? "forever");
  const choose = (index: number) => {
    setAt(index);
    setRules(suggestions[index]?.rules ?? []);
  };
  const said = useObjection(rules, approval.id);

  if (suggestions.length === 0) {
    return (
      <div className="always">
        <p className="text-ink-2">{say("noAlways")}</p>
        <div>
          <Button onClick={onBack} hotkey="Esc">
            {say("back")}
          </Button>
        </div>
      </div>
    );
  }
  const answer: Said = { say: "always", rules, scope, ...lifetimeFields(lasts) };
  // What was offered was proven already.
  const objection = suggestions.some((one) => same(one.rules, rules)) ? "" : said;
  const barred = busy || objection !== "";
  return (
    <AnswerForm onSend={() => !barred && onAnswer(answer)} onBack={onBack}>
      <Widths suggestions={suggestions} at={at} onChoose={choose} />
      <Rules rules={rules} onChange={setRules} objection={objection} />
      <RulePreview rules={rules} approval={approval} />
      <div className="grid gap-3 phone:grid-cols-2">
        <SelectField label={say("countsFor")} value={scope} onChange={(value) => setScope(value as Scope)}>
          {scopes.map((one) => (
            <option key={one} value={one}>
              {say(`scope.${one}`, { agent: approval.call.agent })}
            </option>
          ))}
        </SelectField>
        <SelectField label={say("lasts")} value={lasts} onChange={(value) => setLasts(value as Lasts)}>
          {lasting.map((one) => (
            <option key={one} value={one}>
              {say(`lasts.${one}`)}
            </option>
          ))}
        </SelectField>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="go" disabled={barred} hotkey={`${COMMAND} ↵`}>
          {say("remember")}
        </Button>
        <Button onClick={onBack} hotkey="Esc">
          {say("back")}
        </Button>
      </div>
    </AnswerForm>
  );
}

type WidthProps = { suggestions: readonly Suggestion[]; at: number; onChoose: (at: number) => void };

function Widths({ suggestions, at, onChoose }: WidthProps) {
  const say = useSay();
  const name = useId();
  const lost = suggestions[at]?.irreversible ?? [];
  return (
    <fieldset>
      <legend className="field-label">{say("howWide")}</legend>
      <div className="widths">
        {suggestions.map((one, index) => (
          <label key={`${one.width}${one.rules.join()}`} data-within={index <= at}>
            <input type="radio" name={name} checked={index === at} onChange={() => onChoose(index)} />
            {say(`width.${one.width}` as Key)}
            <code className="hidden phone:block">{one.rules.map(specifier).join(", ")}</code>
          </label>
        ))}
      </div>
      {lost.length > 0 && (
        <p className="mt-2" role="note">
          {say("alsoCoversLost", { commands: lost.join(", ") })}
        </p>
      )}
    </fieldset>
  );
}

/** Why the server would refuse these rules: empty if it would not, null while it has not said. */
function useObjection(rules: readonly string[], approval: string): string | null {
  const { data, error, isFetching } = usePreview(rules, approval);
  if (isFetching || rules.some((rule) => !rule.trim())) return null;
  return error ? error.message : (data?.objection ?? null);
}

type RulesProps = {
  rules: readonly string[];
  onChange: (rules: string[]) => void;
  objection: string | null;
};

function Rules({ rules, onChange, objection }: RulesProps) {
  const say = useSay();
  const told = useId();
  return (
    <div className="grid gap-2">
      <span className="field-label !mb-0">{say("ruleLabel")}</span>
      {rules.map((rule, at) => (
        <span key={at} className="field min-h-[38px]">
          <input
            className="mono !text-[14px]"
            aria-label={say("ruleLabel")}
            aria-invalid={Boolean(objection)}
            aria-describedby={told}
            spellCheck={false}
            value={rule}
            onChange={(event) => onChange(rules.with(at, event.target.value))}
          />
          <Mark objection={objection} />
        </span>
      ))}
      <p id={told} role="status" className="text-meta text-deny empty:hidden">
        {objection && <Sentence text={objection} />}
      </p>
    </div>
  );
}

/** Whether the rule answers this very question, as the server says while it is typed. */
function Mark({ objection }: { objection: string | null }) {
  const say = useSay();
  if (objection === null) return <span className="meta whitespace-nowrap">{say("checking")}</span>;
  const covers = objection === "";
  return (
    <span
      className={`${covers ? "tone-run" : "tone-deny"} tinted inline-flex items-center gap-1 text-meta font-medium whitespace-nowrap`}
    >
      <Icon name={covers ? "run" : "deny"} size="small" />
      <span className="max-phone:sr-only">{say(covers ? "coversThis" : "coversNot")}</span>
    </span>
  );
}

/** A preset that leaves no choice names the one thing there is. */
const offered = <T extends string>(choices: readonly T[], only: string) =>
  only === "choice" ? choices : choices.filter((one) => one === only);

function lifetimeOf(lasts: Lasts): Lifetime {
  if (lasts === "30" || lasts === "day") return "until";
  return lasts;
}

function lifetimeFields(lasts: Lasts): Pick<Said, "lifetime" | "until" | "uses"> {
  const lifetime = lifetimeOf(lasts);
  if (lasts === "uses") return { lifetime, uses: 10 };
  if (lifetime !== "until") return { lifetime };
  const minutes = lasts === "30" ? 30 : 24 * 60;
  return { lifetime, until: new Date(Date.now() + minutes * 60_000).toISOString() };
}

const same = (one: readonly string[], other: readonly string[]) => one.join("\n") === other.join("\n");
const specifier = (rule: string) => rule.match(/^[^(]+\((.*)\)$/s)?.[1] ?? rule;
