/** The three states of a tool, as one control; a group that is of two minds shows none of them as chosen. */
import { RadioGroup } from "radix-ui";
import { useId } from "react";
import type { Tier } from "@/api/types";
import { Button } from "@/ui/Button";
import { Icon, type IconName } from "@/ui/Icon";
import { useSay } from "@/words/words";

const TIERS: ReadonlyArray<{ tier: Tier; icon: IconName; tone: string }> = [
  { tier: "always_allow", icon: "run", tone: "run" },
  { tier: "needs_approval", icon: "ask", tone: "ask" },
  { tier: "blocked", icon: "deny", tone: "deny" },
];

type Props = {
  label: string;
  value: Tier | "mixed" | null;
  /** What holds while none of the three is chosen. */
  note: string;
  disabled: boolean;
  onChoose: (tier: Tier) => void;
  /** Takes back what was chosen, where that can be said of one tool. */
  onClear?: () => void;
};

export function Tiers({ label, value, note, disabled, onChoose, onClear }: Props) {
  const say = useSay();
  const told = useId();
  return (
    <div className="flex flex-wrap items-center justify-end gap-x-3 gap-y-1 max-phone:w-full max-phone:justify-start">
      {/* As wide in every row, so that what stands before it stands in a column. */}
      <span className="meta text-right max-phone:w-full max-phone:text-left phone:w-[172px]">
        <span id={told}>{value === "mixed" ? say("mixed") : value === null ? note : ""}</span>
        {value !== null && onClear && (
          <Button
            look="quiet"
            small
            icon="undo"
            className="max-phone:float-right max-phone:-mt-10"
            aria-label={say("clearTier", { tool: label })}
            title={say("clearTier", { tool: label })}
            disabled={disabled}
            onClick={onClear}
          />
        )}
      </span>
      <RadioGroup.Root
        className="segments max-phone:grid max-phone:w-full max-phone:grid-cols-3"
        aria-label={label}
        aria-describedby={told}
        orientation="horizontal"
        value={value === "mixed" ? "" : (value ?? "")}
        disabled={disabled}
        onValueChange={(chosen) => onChoose(chosen as Tier)}
      >
        {TIERS.map(({ tier, icon, tone }) => (
          <RadioGroup.Item
            key={tier}
            value={tier}
            className={`!px-2 max-phone:!h-auto max-phone:min-h-10 max-phone:justify-center max-phone:!whitespace-normal max-phone:leading-tight ${value === tier ? `tone-${tone}` : ""}`}
          >
            <Icon
              name={icon}
              size="small"
              className={`max-phone:!hidden ${value === tier ? "tinted" : ""}`}
            />
            {say(`tier.${tier}`)}
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
    </div>
  );
}
