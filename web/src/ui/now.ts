/** One shared clock for all countdowns on the page. */
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(updateNow, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function updateNow() {
  now = Date.now();
  for (const listener of listeners) listener();
}

/** The current time in milliseconds, updated every second. */
export const useNow = () => useSyncExternalStore(subscribe, () => now);
