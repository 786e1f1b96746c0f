/** One control for the three settings of a tool; a group with different settings shows none as chosen. */
import { RadioGroup } from "radix-ui";
import { useId } from "react";
import type { Tier } from "@/api/types";
import { Button } from "@/ui/Button";
import { Icon, type IconName } from "@/ui/Icon";
import { useTranslate } from "@/words/words";

const TIERS: ReadonlyArray<{ tier: Tier; icon: IconName; tone: string }> = [
  { tier: "always_allow", icon: "run", tone: "run" },
  { tier: "needs_approval", icon: "ask", tone: "ask" },
  { tier: "blocked", icon: "deny", tone: "deny" },
];

type TierChoiceProps = {
  label: string;
  value: Tier | "mixed" | null;
  /** What happens if none of the three tiers is chosen. */
  note: string;
  disabled: boolean;
  onChoose: (tier: Tier) => void;
  /** Clears the setting; only for a single tool. */
  onClear?: () => void;
};

export function TierChoice({ label, value, note, disabled, onChoose, onClear }: TierChoiceProps) {
  const t = useTranslate();
  const noteId = useId();
  return (
    <div className="flex flex-wrap items-center justify-end gap-x-3 gap-y-1 max-phone:w-full max-phone:justify-start">
      {/* The same width in every row, so that the columns align. */}
      <span className="meta text-right max-phone:w-full max-phone:text-left phone:w-[172px]">
        <span id={noteId}>{value === "mixed" ? t("mixed") : value === null ? note : ""}</span>
        {value !== null && onClear && (
          <Button
            look="quiet"
            small
            icon="undo"
            className="max-phone:float-right max-phone:-mt-10"
            aria-label={t("clearTier", { tool: label })}
            title={t("clearTier", { tool: label })}
            disabled={disabled}
            onClick={onClear}
          />
        )}
      </span>
      <RadioGroup.Root
        className="segments max-phone:grid max-phone:w-full max-phone:grid-cols-3"
        aria-label={label}
        aria-describedby={noteId}
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
            {t(`tier.${tier}`)}
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
    </div>
  );
}
