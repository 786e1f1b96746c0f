/** The modes that presets offer, and a description of each in the user's language. */
import { useQuery } from "@tanstack/react-query";
import { MODES } from "@/ui/effect";
import { useLanguage } from "@/words/words";
import { getJson } from "./http";
import type { Permissions, Preset, PresetMode } from "./types";

/** The preset of a conversation that does not name one. */
export const DEFAULT_PRESET = "assent";
export const PERMISSIONS_KEY = ["settings", "agent.permissions"];

const usePresets = () =>
  useQuery({
    queryKey: ["presets"],
    queryFn: async () => (await getJson<{ items: Preset[] }>("presets")).items,
    staleTime: 300_000,
  });

/** The modes of a preset, the strictest first; empty until they are loaded. */
export function useModes(preset = DEFAULT_PRESET): readonly PresetMode[] {
  const offered = usePresets().data?.find((one) => one.name === preset)?.modes ?? [];
  return MODES.flatMap((mode) => offered.find((one) => one.mode === mode) ?? []);
}

/** A function that describes a mode. */
export function useModeDescription(): (mode: PresetMode) => string {
  const { t, language } = useLanguage();
  // The server's descriptions are in English.
  return ({ mode, does }) => (language === "en" ? does : t(`mode.${mode}.does`));
}

/** The defaults that an administrator set for new conversations. */
export const useStoredPermissions = () =>
  useQuery({
    queryKey: PERMISSIONS_KEY,
    queryFn: () => getJson<Permissions>("settings/agent.permissions"),
    retry: false,
  });
