/** A menu of choices; not modal, so that nothing is injected into the page while it is open. */
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { Icon } from "./Icon";

export type Choice<T extends string> = { value: T; label: string; note?: string; mark?: ReactNode };

type RadioProps<T extends string> = {
  label: string;
  value: T;
  choices: readonly Choice<T>[];
  onChoose: (value: T) => void;
  trigger: ReactNode;
  note?: string;
};

/** One of a few, with radio semantics and a tick at the one that holds. */
export function RadioMenu<T extends string>({
  label,
  value,
  choices,
  onChoose,
  trigger,
  note,
}: RadioProps<T>) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu"
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-label={label}
        >
          <DropdownMenu.RadioGroup value={value} onValueChange={(chosen) => onChoose(chosen as T)}>
            {choices.map((choice) => (
              <DropdownMenu.RadioItem key={choice.value} value={choice.value} className="menu-item">
                <span>{choice.mark}</span>
                <span>{choice.label}</span>
                {choice.value === value ? <Icon name="check" /> : <span />}
                {choice.note && <small>{choice.note}</small>}
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          {note && <p className="menu-note">{note}</p>}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
