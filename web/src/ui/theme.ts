/** The theme: light, dark, or the system's. */
import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
const STORAGE_KEY = "assent.theme";
const listeners = new Set<() => void>();

export function setTheme(theme: Theme) {
  const root = document.documentElement;
  if (theme === "system") {
    delete root.dataset["theme"];
    localStorage.removeItem(STORAGE_KEY);
  } else {
    root.dataset["theme"] = theme;
    localStorage.setItem(STORAGE_KEY, theme);
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

/** Switch between light and dark, starting from the current appearance. */
export function toggleTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset["theme"] ?? (dark ? "dark" : "light");
  setTheme(now === "dark" ? "light" : "dark");
}
