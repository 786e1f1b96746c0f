/** Arms a card: once it is painted, after a grace time, and anew whenever it shows something else. */
import { type RefObject, useEffect, useRef, useState } from "react";
import {
  type Click,
  clickCounts,
  FRESH,
  GRACE,
  type Guard,
  isTyping,
  type Meaning,
  meaningOf,
} from "./arming";
import { windowReturnedAt } from "./returned";

type Arming = {
  armed: boolean;
  /** Asked by whatever answers by click. */
  click: () => Click;
};

type Options = {
  /** What is shown; another text arms anew. */
  showing: string;
  /** Keys work on the selected card alone. */
  selected: boolean;
  onKey: (meaning: Meaning) => void;
};

export function useArming(
  card: RefObject<HTMLElement | null>,
  { showing, selected, onKey }: Options,
): Arming {
  const guard = useRef<Guard>(FRESH);
  const handler = useRef(onKey);
  const [armed, setArmed] = useState(false);
  handler.current = onKey;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another content is another card
  useEffect(() => {
    guard.current = FRESH;
    setArmed(false);
    let timer: ReturnType<typeof setTimeout>;
    const stop = whenPainted(card.current, (at) => {
      guard.current = { ...FRESH, paintedAt: at };
      timer = setTimeout(() => setArmed(true), GRACE);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [card, showing]);

  useEffect(() => {
    if (!selected) return;
    const pressed = (event: KeyboardEvent) => {
      const press = { ...keyOf(event), typing: isTyping(event.target) || event.isComposing };
      const meaning = meaningOf(press, now(guard.current), performance.now());
      if (meaning === null || event.defaultPrevented) return;
      event.preventDefault();
      handler.current(meaning);
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, [selected]);

  return { armed, click: () => clickCounts(now(guard.current), performance.now()) };
}

const now = (guard: Guard): Guard => ({ ...guard, returnedAt: windowReturnedAt() });

const keyOf = ({ key, repeat, ctrlKey, metaKey, altKey }: KeyboardEvent) => ({
  key,
  repeat,
  ctrlKey,
  metaKey,
  altKey,
});

/** Calls back with the time of the frame after the one in which the element first stood on the screen. */
function whenPainted(element: HTMLElement | null, then: (at: number) => void): () => void {
  let frame = 0;
  const paint = () => {
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => then(performance.now()));
    });
  };
  const observer =
    element && "IntersectionObserver" in window
      ? new IntersectionObserver((entries) => {
          if (!entries.some((entry) => entry.isIntersecting)) return;
          observer?.disconnect();
          paint();
        })
      : null;
  if (observer && element) observer.observe(element);
  else paint();
  return () => {
    observer?.disconnect();
    cancelAnimationFrame(frame);
  };
}
