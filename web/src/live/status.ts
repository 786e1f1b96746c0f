/** Whether the page is connected to the server, and since when it is not. */
import { useSyncExternalStore } from "react";

export type Status = { online: boolean; since: string };

const listeners = new Set<() => void>();
let status: Status = { online: true, since: "" };

export function setOnline(online: boolean) {
  if (online === status.online) return;
  const time = new Date().toLocaleTimeString(document.documentElement.lang || [], {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  status = { online, since: online ? "" : time };
  for (const listener of listeners) listener();
}

export const useOnline = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => status,
  );
