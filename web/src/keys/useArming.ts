/** Arms a card a grace time after it was painted, and again when its content changes. */
import { type RefObject, useEffect, useRef, useState } from "react";
import {
  ARMING_DELAY_MS,
  type ArmingState,
  type ClickResult,
  checkClick,
  findKeyAction,
  INITIAL_ARMING_STATE,
  isTextInput,
  type KeyAction,
} from "./arming";
import { windowReturnedAt } from "./windowReturn";

type Arming = {
  armed: boolean;
  /** Checks whether a click counts now. */
  click: () => ClickResult;
};

type ArmingOptions = {
  /** What the card shows; a change arms the card again. */
  showing: string;
  /** Keys act on the selected card only. */
  selected: boolean;
  onKey: (meaning: KeyAction) => void;
};

export function useArming(
  card: RefObject<HTMLElement | null>,
  { showing, selected, onKey }: ArmingOptions,
): Arming {
  const guard = useRef<ArmingState>(INITIAL_ARMING_STATE);
  const handler = useRef(onKey);
  const [armed, setArmed] = useState(false);
  handler.current = onKey;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another content is another card
  useEffect(() => {
    guard.current = INITIAL_ARMING_STATE;
    setArmed(false);
    let timer: ReturnType<typeof setTimeout>;
    const stop = callWhenPainted(card.current, (at) => {
      guard.current = { ...INITIAL_ARMING_STATE, paintedAt: at };
      timer = setTimeout(() => setArmed(true), ARMING_DELAY_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [card, showing]);

  useEffect(() => {
    if (!selected) return;
    const pressed = (event: KeyboardEvent) => {
      const press = {
        ...toKeyPress(event),
        typing: isTextInput(event.composedPath()[0] ?? event.target) || event.isComposing,
      };
      const meaning = findKeyAction(press, withReturnTime(guard.current), performance.now());
      if (meaning === null || event.defaultPrevented) return;
      event.preventDefault();
      handler.current(meaning);
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, [selected]);

  return { armed, click: () => checkClick(withReturnTime(guard.current), performance.now()) };
}

const withReturnTime = (guard: ArmingState): ArmingState => ({ ...guard, returnedAt: windowReturnedAt() });

const toKeyPress = ({ key, repeat, ctrlKey, metaKey, altKey }: KeyboardEvent) => ({
  key,
  repeat,
  ctrlKey,
  metaKey,
  altKey,
});

/** Call `then` with the time of the frame after the element became visible. */
function callWhenPainted(element: HTMLElement | null, then: (at: number) => void): () => void {
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
