/** Whether the screen is narrow, as on a phone. */
import { useSyncExternalStore } from "react";

const narrowScreen = matchMedia("(max-width: 720px)");

export const useIsNarrowScreen = () =>
  useSyncExternalStore(
    (listener) => {
      narrowScreen.addEventListener("change", listener);
      return () => narrowScreen.removeEventListener("change", listener);
    },
    () => narrowScreen.matches,
  );
