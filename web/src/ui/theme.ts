/** Light, dark, or as the system says. */
import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
const KEPT = "assent.theme";
const listeners = new Set<() => void>();

export function setTheme(theme: Theme) {
  const root = document.documentElement;
  if (theme === "system") {
    delete root.dataset["theme"];
    localStorage.removeItem(KEPT);
  } else {
    root.dataset["theme"] = theme;
    localStorage.setItem(KEPT, theme);
  }
  for (const listener of listeners) listener();
}

export const useTheme = (): Theme =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => THEMES.find((theme) => theme === document.documentElement.dataset["theme"]) ?? "system",
  );

/** Switch between light and dark, starting from what is seen now. */
export function toggleTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset["theme"] ?? (dark ? "dark" : "light");
  setTheme(now === "dark" ? "light" : "dark");
}
