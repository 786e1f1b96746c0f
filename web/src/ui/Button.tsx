/** A button with its keyboard shortcut. */
import type { ComponentProps, ReactNode } from "react";
import { Icon, type IconName } from "./Icon";

const BUTTON_CLASSES = { plain: "", quiet: "btn-quiet", go: "btn-go", stop: "btn-stop" };

type ButtonProps = ComponentProps<"button"> & {
  look?: keyof typeof BUTTON_CLASSES;
  icon?: IconName;
  hotkey?: string;
  small?: boolean;
  children?: ReactNode;
};

export function Button({
  look = "plain",
  icon,
  hotkey,
  small,
  className = "",
  children,
  ...rest
}: ButtonProps) {
  const bare = children === undefined ? "btn-icon" : "";
  return (
    <button
      type="button"
      className={`btn ${BUTTON_CLASSES[look]} ${bare} ${small ? "btn-small" : ""} ${className}`}
      {...(hotkey ? { "aria-keyshortcuts": hotkey } : {})}
      {...rest}
    >
      {icon && <Icon name={icon} size={small ? "small" : "normal"} />}
      {children}
      {hotkey && <KeyCap>{hotkey}</KeyCap>}
    </button>
  );
}

export function KeyCap({ children }: { children: ReactNode }) {
  return (
    <span className="key" aria-hidden="true">
      {children}
    </span>
  );
}

/** The name of the command key on this platform. */
export const COMMAND_KEY_NAME = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";
