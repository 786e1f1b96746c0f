/** A deliberate act: the button must be held, by pointer or key, until its fill reaches the end. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { HOLD } from "@/keys/arming";
import { Icon } from "@/ui/Icon";
import { tenths } from "@/words/time";
import { useWords } from "@/words/words";

type Props = { disabled: boolean; onHeld: () => void; mayStart: () => boolean; children: ReactNode };

export function HoldButton({ disabled, onHeld, mayStart, children }: Props) {
  const { say, language } = useWords();
  const [held, setHeld] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const stop = () => {
    clearTimeout(timer.current);
    setHeld(false);
  };
  const start = () => {
    if (disabled || held || !mayStart()) return;
    setHeld(true);
    timer.current = setTimeout(() => {
      setHeld(false);
      onHeld();
    }, HOLD);
  };
  const key = (event: KeyboardEvent, then: () => void) => {
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
      onKeyDown={(event) => key(event, start)}
      onKeyUp={(event) => key(event, stop)}
    >
      <Icon name="destructive" />
      {held ? <Countdown /> : children}
      <span className="sr-only" aria-live="assertive">
        {held ? say("holding", { time: tenths(HOLD / 1000, language) }) : ""}
      </span>
    </button>
  );
}

/** The rest of the hold in words, for those who see no motion. */
function Countdown() {
  const { say, language } = useWords();
  const [left, setLeft] = useState(HOLD);
  useEffect(() => {
    const timer = setInterval(() => setLeft((ms) => Math.max(0, ms - 100)), 100);
    return () => clearInterval(timer);
  }, []);
  return <span aria-hidden="true">{say("holding", { time: tenths(left / 1000, language) })}</span>;
}
