/** The modes that presets offer, and what each means: the server says it, the reader's language spells it. */
import { useQuery } from "@tanstack/react-query";
import { MODES } from "@/ui/effect";
import { useWords } from "@/words/words";
import { get } from "./http";
import type { Permissions, Preset, PresetMode } from "./types";

/** What a conversation that names no preset runs under. */
export const USUAL = "assent";
export const PERMISSIONS = ["settings", "agent.permissions"];

const usePresets = () =>
  useQuery({
    queryKey: ["presets"],
    queryFn: async () => (await get<{ items: Preset[] }>("presets")).items,
    staleTime: 300_000,
  });

/** The modes of a preset, the most careful first; none until the server has said so. */
export function useModes(preset = USUAL): readonly PresetMode[] {
  const offered = usePresets().data?.find((one) => one.name === preset)?.modes ?? [];
  return MODES.flatMap((mode) => offered.find((one) => one.mode === mode) ?? []);
}

/** Says what a mode does. */
export function useMeaning(): (mode: PresetMode) => string {
  const { say, language } = useWords();
  // The server speaks English.
  return ({ mode, does }) => (language === "en" ? does : say(`mode.${mode}.does`));
}

/** What an administrator set for everybody's new conversations. */
export const usePermissions = () =>
  useQuery({
    queryKey: PERMISSIONS,
    queryFn: () => get<Permissions>("settings/agent.permissions"),
    retry: false,
  });
