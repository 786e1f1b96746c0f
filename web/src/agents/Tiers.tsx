/** The three states of a tool, as one control; a group that is of two minds shows none of them as chosen. */
import { RadioGroup } from "radix-ui";
import type { Tier } from "@/api/types";
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
  disabled: boolean;
  onChoose: (tier: Tier) => void;
};

export function Tiers({ label, value, disabled, onChoose }: Props) {
  const say = useSay();
  return (
    <div className="flex flex-wrap items-center gap-2 max-phone:w-full">
      {value === "mixed" && <span className="meta">{say("mixed")}</span>}
      <RadioGroup.Root
        className="segments max-phone:grid max-phone:w-full max-phone:grid-cols-3"
        aria-label={label}
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
