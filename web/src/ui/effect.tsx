/** Effects, verdicts and modes, each with a colour, an icon and a text. */
import type { TextKey } from "@/words/en";
import { useTranslate } from "@/words/words";
import { Icon, type IconName } from "./Icon";

export const EFFECTS = ["read", "edit", "write", "execute", "external", "destructive"] as const;
export type Effect = (typeof EFFECTS)[number];
export const MODES = ["plan", "default", "accept_edits", "auto"] as const;
export type Mode = (typeof MODES)[number];
export type Verdict = "run" | "ask" | "deny" | "absent";

const MODE_ALIASES: Readonly<Record<string, Mode>> = {
  approve: "default",
  manual: "default",
  acceptEdits: "accept_edits",
  autonomous: "auto",
  bypassPermissions: "auto",
};

/** The mode of a spelling; an unknown spelling is `default`, as on the server. */
export function parseMode(spelling: string): Mode {
  const found = MODES.find((mode) => mode === spelling);
  return found ?? MODE_ALIASES[spelling] ?? "default";
}

export function EffectChip({ effect }: { effect: Effect }) {
  const t = useTranslate();
  return (
    <span className={`chip tone-${effect}`}>
      <Icon name={effect} size="small" />
      {t(effect)}
    </span>
  );
}

const VERDICT_DISPLAYS: Record<Verdict, { tone: string; icon: IconName; word: TextKey }> = {
  run: { tone: "run", icon: "run", word: "ran" },
  ask: { tone: "ask", icon: "ask", word: "asks" },
  deny: { tone: "deny", icon: "deny", word: "denied" },
  absent: { tone: "deny", icon: "deny", word: "absent" },
};

export function VerdictChip({ verdict, word }: { verdict: Verdict; word?: string }) {
  const t = useTranslate();
  const { tone, icon, word: usual } = VERDICT_DISPLAYS[verdict];
  return (
    <span className={`chip tone-${tone}`}>
      <Icon name={icon} size="small" />
      {word ?? t(usual)}
    </span>
  );
}

export const verdictTone = (verdict: Verdict) => `tone-${VERDICT_DISPLAYS[verdict].tone}`;
export const verdictIcon = (verdict: Verdict) => VERDICT_DISPLAYS[verdict].icon;

/** A dot that is fuller for more permissive modes. */
export function ModeDot({ mode }: { mode: Mode }) {
  return <span className={`dot dot-${mode}`} aria-hidden="true" />;
}

export function ModeName({ mode }: { mode: Mode }) {
  const t = useTranslate();
  return (
    <span className="inline-flex items-center gap-2">
      <ModeDot mode={mode} />
      {t(`mode.${mode}`)}
    </span>
  );
}
