/** A menu of choices; not modal, because a modal one injects styles into the page. */
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { Icon } from "./Icon";

export type MenuChoice<T extends string> = { value: T; label: string; note?: string; mark?: ReactNode };

type RadioMenuProps<T extends string> = {
  label: string;
  value: T;
  choices: readonly MenuChoice<T>[];
  onChoose: (value: T) => void;
  trigger: ReactNode;
  note?: string;
};

/** A menu with radio semantics and a check mark at the chosen item. */
export function RadioMenu<T extends string>({
  label,
  value,
  choices,
  onChoose,
  trigger,
  note,
}: RadioMenuProps<T>) {
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
