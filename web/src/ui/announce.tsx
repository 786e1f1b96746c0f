/** Toasts for the eye and one live region for the ear. */
import { useSyncExternalStore } from "react";
import { Icon, type IconName } from "./Icon";

type Toast = { id: number; text: string; icon: IconName };
type Heard = { toasts: readonly Toast[]; spoken: string };

const listeners = new Set<() => void>();
let heard: Heard = { toasts: [], spoken: "" };
let count = 0;

function change(next: Partial<Heard>) {
  heard = { ...heard, ...next };
  for (const listener of listeners) listener();
}

/** Say something to people who listen to the page. */
export const speak = (text: string) => change({ spoken: text });

/** Say something in passing, to everybody. */
export function toast(text: string, icon: IconName = "check") {
  count += 1;
  const id = count;
  change({ toasts: [...heard.toasts.slice(-2), { id, text, icon }], spoken: text });
  setTimeout(() => change({ toasts: heard.toasts.filter((one) => one.id !== id) }), 4500);
}

export function Announcements() {
  const { toasts, spoken } = useSyncExternalStore(subscribe, () => heard);
  return (
    <>
      <p className="sr-only" aria-live="polite" aria-atomic="true">
        {spoken}
      </p>
      {/* Over the head of a page: answers are at its foot, and what is shown once may be anywhere below. */}
      <div
        className="pointer-events-none fixed inset-x-0 top-[calc(8px+env(safe-area-inset-top))] z-40 grid justify-items-center gap-2"
        aria-hidden="true"
      >
        {toasts.map((one) => (
          <p key={one.id} className="toast">
            <Icon name={one.icon} />
            {one.text}
          </p>
        ))}
      </div>
    </>
  );
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
