/** Toasts, and one live region for screen readers. */
import { useSyncExternalStore } from "react";
import { Icon, type IconName } from "./Icon";

type Toast = { id: number; text: string; icon: IconName };
type AnnouncementState = { toasts: readonly Toast[]; spoken: string };

const listeners = new Set<() => void>();
let announced: AnnouncementState = { toasts: [], spoken: "" };
let count = 0;

function updateAnnouncements(next: Partial<AnnouncementState>) {
  announced = { ...announced, ...next };
  for (const listener of listeners) listener();
}

/** Announce a text to screen readers. */
export const announce = (text: string) => updateAnnouncements({ spoken: text });

/** Show a toast and announce it. */
export function showToast(text: string, icon: IconName = "check") {
  count += 1;
  const id = count;
  updateAnnouncements({ toasts: [...announced.toasts.slice(-2), { id, text, icon }], spoken: text });
  setTimeout(() => updateAnnouncements({ toasts: announced.toasts.filter((one) => one.id !== id) }), 4500);
}

export function Announcements() {
  const { toasts, spoken } = useSyncExternalStore(subscribe, () => announced);
  return (
    <>
      <p className="sr-only" aria-live="polite" aria-atomic="true">
        {spoken}
      </p>
      {/* At the top of the page, so that toasts cover neither the answers nor a secret below. */}
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
