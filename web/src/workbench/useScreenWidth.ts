/** How much room the workbench has: all panes, without side panes, or without side panes and chat. */
import { useSyncExternalStore } from "react";

export type ScreenWidth = "wide" | "medium" | "narrow";

const medium = matchMedia("(max-width: 1240px)");
const narrow = matchMedia("(max-width: 900px)");

const read = (): ScreenWidth => (narrow.matches ? "narrow" : medium.matches ? "medium" : "wide");

export const useScreenWidth = (): ScreenWidth =>
  useSyncExternalStore((listener) => {
    for (const one of [medium, narrow]) one.addEventListener("change", listener);
    return () => {
      for (const one of [medium, narrow]) one.removeEventListener("change", listener);
    };
  }, read);
