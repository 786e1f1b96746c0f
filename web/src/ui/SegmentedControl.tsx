/** A segmented control of two to four choices; arrow keys move between them. */
import { RadioGroup } from "radix-ui";

type SegmentedControlProps<T extends string> = {
  label: string;
  value: T;
  choices: ReadonlyArray<{ value: T; label: string }>;
  onChoose: (value: T) => void;
  className?: string;
};

export function SegmentedControl<T extends string>({
  label,
  value,
  choices,
  onChoose,
  className = "",
}: SegmentedControlProps<T>) {
  return (
    <RadioGroup.Root
      className={`segments ${className}`}
      aria-label={label}
      orientation="horizontal"
      value={value}
      onValueChange={(chosen) => onChoose(chosen as T)}
    >
      {choices.map((choice) => (
        <RadioGroup.Item key={choice.value} value={choice.value}>
          {choice.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
