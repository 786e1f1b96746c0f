/** Whether the page is connected to the server, and since when it is not. */
import { useSyncExternalStore } from "react";

export type ConnectionStatus = { online: boolean; since: string };

const listeners = new Set<() => void>();
let status: ConnectionStatus = { online: true, since: "" };

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

export const useConnectionStatus = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => status,
  );
