/** The command palette: pages, commands and pending questions by name. */
import { useEffect, useMemo, useRef, useState } from "react";
import { postJson } from "@/api/http";
import { queryKeys, storeQueryResult, usePauseState, usePendingQuestions } from "@/api/queries";
import type { Switch } from "@/api/types";
import { questionHeadline } from "@/inbox/question";
import { isTextInput } from "@/keys/arming";
import { showToast } from "@/ui/announce";
import { Dialog } from "@/ui/Dialog";
import { Icon, type IconName } from "@/ui/Icon";
import { toggleTheme } from "@/ui/theme";
import { useTranslate } from "@/words/words";
import { NAVIGATION } from "./AppLayout";
import { openHelp } from "./help";
import { navigate } from "./route";

type PaletteCommand = { name: string; note?: string; icon: IconName; run: () => void };

const OPEN_PALETTE_EVENT = "assent:commands";
export const openCommandPalette = () => dispatchEvent(new Event(OPEN_PALETTE_EVENT));

export function CommandPalette() {
  const t = useTranslate();
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const openOnEvent = () => setOpen(true);
    addEventListener(OPEN_PALETTE_EVENT, openOnEvent);
    return () => removeEventListener(OPEN_PALETTE_EVENT, openOnEvent);
  }, []);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key === "?" && !isTextInput(event.target)) return openHelp();
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.repeat) return;
      event.preventDefault();
      setOpen((shown) => !shown);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return (
    <Dialog open={open} onClose={() => setOpen(false)} title={t("commands")} hideTitle>
      <CommandList onDone={() => setOpen(false)} />
    </Dialog>
  );
}

function CommandList({ onDone }: { onDone: () => void }) {
  const t = useTranslate();
  const commands = useCommands();
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const found = useMemo(() => findCommands(commands, words), [commands, words]);
  const chosen = found[Math.min(at, found.length - 1)];
  const run = (command: PaletteCommand | undefined) => {
    onDone();
    command?.run();
  };
  const move = (by: number) => {
    const next = (at + by + found.length) % Math.max(1, found.length);
    setAt(next);
    list.current?.children[next]?.scrollIntoView({ block: "nearest" });
  };
  return (
    <div>
      <label className="flex items-center gap-2.5 border-b border-line px-4 py-3">
        <Icon name="search" className="text-ink-3" />
        <span className="sr-only">{t("commandHint")}</span>
        <input
          className="w-full bg-transparent text-why outline-0"
          role="combobox"
          aria-expanded="true"
          aria-controls="commands"
          aria-activedescendant={chosen ? `command-${found.indexOf(chosen)}` : undefined}
          placeholder={t("commandHint")}
          value={words}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown") move(1);
            else if (event.key === "ArrowUp") move(-1);
            else if (event.key === "Enter" && !event.repeat) run(chosen);
            else return;
            event.preventDefault();
          }}
          onChange={(event) => {
            setWords(event.target.value);
            setAt(0);
          }}
        />
      </label>
      <div
        ref={list}
        id="commands"
        role="listbox"
        aria-label={t("commands")}
        className="scroll max-h-[50vh] p-1.5"
      >
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the focused field handles the keys
          <div
            key={command.name + (command.note ?? "")}
            id={`command-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={command === chosen}
            onClick={() => run(command)}
            className={`flex cursor-pointer items-center gap-2.5 rounded-m px-2.5 py-2 ${command === chosen ? "bg-hover" : ""}`}
          >
            <Icon name={command.icon} className="text-ink-3" />
            <span className="truncate">{command.name}</span>
            {command.note && <span className="meta ml-auto truncate">{command.note}</span>}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="px-4 pb-4 text-ink-3">{t("noCommand")}</p>}
    </div>
  );
}

const MAX_SHOWN_COMMANDS = 60;

function findCommands(commands: readonly PaletteCommand[], words: string): PaletteCommand[] {
  const searchWords = words.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (command: PaletteCommand) =>
    searchWords.every((word) => `${command.name} ${command.note ?? ""}`.toLowerCase().includes(word));
  return commands.filter(matches).slice(0, MAX_SHOWN_COMMANDS);
}

function useCommands(): PaletteCommand[] {
  const t = useTranslate();
  const { data: pending } = usePendingQuestions();
  const { data } = usePauseState();
  return useMemo(() => {
    const paused = data?.paused ?? false;
    const togglePause = async () =>
      storeQueryResult(queryKeys.paused, await postJson<Switch>("switch", { paused: !paused }));
    return [
      ...NAVIGATION.map(({ page, icon }) => ({
        name: t("goTo", { page: t(page) }),
        icon,
        run: () => navigate(page),
      })),
      {
        name: t(paused ? "resumeAll" : "pauseAll"),
        icon: paused ? "play" : "pause",
        run: () => void togglePause().catch((error: Error) => showToast(error.message, "warn")),
      },
      { name: t("appearance"), icon: "theme", run: toggleTheme },
      { name: t("keysTitle"), icon: "keys", run: openHelp },
      ...(pending ?? [])
        .filter((one) => one.state === "pending")
        .map((one) => ({
          name: questionHeadline(one),
          note: one.call.agent,
          icon: one.tool.effect as IconName,
          run: () => navigate("inbox", one.id),
        })),
    ] satisfies PaletteCommand[];
  }, [t, pending, data?.paused]);
}
