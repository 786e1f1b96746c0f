/** A button that must be held down, by pointer or key, until it is full. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { HOLD_DURATION_MS } from "@/keys/arming";
import { Icon } from "@/ui/Icon";
import { formatTenths } from "@/words/time";
import { useLanguage } from "@/words/words";

type HoldButtonProps = {
  disabled: boolean;
  onHeld: () => void;
  canStart: () => boolean;
  children: ReactNode;
};

export function HoldButton({ disabled, onHeld, canStart, children }: HoldButtonProps) {
  const { t, language } = useLanguage();
  const [held, setHeld] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const stop = () => {
    clearTimeout(timer.current);
    setHeld(false);
  };
  const start = () => {
    if (disabled || held || !canStart()) return;
    setHeld(true);
    timer.current = setTimeout(() => {
      setHeld(false);
      onHeld();
    }, HOLD_DURATION_MS);
  };
  const onHoldKey = (event: KeyboardEvent, then: () => void) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    if (!event.repeat) then();
  };
  useEffect(() => () => clearTimeout(timer.current), []);

  return (
    <button
      type="button"
      className="btn hold"
      data-held={held}
      disabled={disabled}
      onPointerDown={(event) => event.button === 0 && start()}
      onPointerUp={stop}
      onPointerLeave={stop}
      onPointerCancel={stop}
      onBlur={stop}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => onHoldKey(event, start)}
      onKeyUp={(event) => onHoldKey(event, stop)}
    >
      <Icon name="destructive" />
      {held ? <HoldCountdown /> : children}
      <span className="sr-only" aria-live="assertive">
        {held ? t("holding", { time: formatTenths(HOLD_DURATION_MS / 1000, language) }) : ""}
      </span>
    </button>
  );
}

/** The remaining time as text, for people who do not see the animation. */
function HoldCountdown() {
  const { t, language } = useLanguage();
  const [millisecondsLeft, setMillisecondsLeft] = useState(HOLD_DURATION_MS);
  useEffect(() => {
    const timer = setInterval(() => setMillisecondsLeft((ms) => Math.max(0, ms - 100)), 100);
    return () => clearInterval(timer);
  }, []);
  return (
    <span aria-hidden="true">{t("holding", { time: formatTenths(millisecondsLeft / 1000, language) })}</span>
  );
}
