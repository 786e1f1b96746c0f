/** Whether the screen is narrow, as on a phone. */
import { useSyncExternalStore } from "react";

const narrow = matchMedia("(max-width: 720px)");

export const useNarrow = () =>
  useSyncExternalStore(
    (listener) => {
      narrow.addEventListener("change", listener);
      return () => narrow.removeEventListener("change", listener);
    },
    () => narrow.matches,
  );
