/** The list of keys. */
import { useSyncExternalStore } from "react";
import { COMMAND_KEY_NAME, KeyCap } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import type { TextKey } from "@/words/en";
import { useTranslate } from "@/words/words";

const HELP_KEYS: ReadonlyArray<readonly [readonly string[], TextKey]> = [
  [["J", "K"], "key.move"],
  [["Y"], "key.once"],
  [["A"], "key.always"],
  [["N"], "key.deny"],
  [["E"], "key.edit"],
  [["L"], "key.later"],
  [["X"], "key.show"],
  [[`${COMMAND_KEY_NAME} K`], "key.commands"],
  [["?"], "key.help"],
  [["Esc"], "key.back"],
];

const listeners = new Set<() => void>();
let isOpen = false;

function setHelpOpen(now: boolean) {
  isOpen = now;
  for (const listener of listeners) listener();
}

export const openHelp = () => setHelpOpen(true);

export function HelpDialog() {
  const t = useTranslate();
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isOpen,
  );
  return (
    <Dialog open={shown} onClose={() => setHelpOpen(false)} title={t("keysTitle")}>
      <p className="px-5 text-ink-2">{t("keysMore")}</p>
      <dl className="grid grid-cols-[max-content_1fr] items-center gap-x-4 gap-y-2 p-5 text-ink-2 phone:grid-cols-[max-content_1fr_max-content_1fr]">
        {HELP_KEYS.flatMap(([caps, meaning]) => [
          <dt key={`${meaning} key`} className="flex gap-1">
            <span className="sr-only">{caps.join(", ")}</span>
            {caps.map((cap) => (
              <KeyCap key={cap}>{cap}</KeyCap>
            ))}
          </dt>,
          <dd key={meaning}>{t(meaning)}</dd>,
        ])}
      </dl>
    </Dialog>
  );
}
