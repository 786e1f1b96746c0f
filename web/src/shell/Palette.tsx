/** The command palette: every page and everything that can be done from anywhere, by its name. */
import { useEffect, useMemo, useRef, useState } from "react";
import { post } from "@/api/http";
import { confirm, keys, usePending, useSwitch } from "@/api/queries";
import type { Switch } from "@/api/types";
import { headline } from "@/inbox/question";
import { isTyping } from "@/keys/arming";
import { toast } from "@/ui/announce";
import { Dialog } from "@/ui/Dialog";
import { Icon, type IconName } from "@/ui/Icon";
import { toggleTheme } from "@/ui/theme";
import { useSay } from "@/words/words";
import { openHelp } from "./help";
import { go } from "./route";
import { DOORS } from "./Shell";

type Command = { name: string; note?: string; icon: IconName; run: () => void };

const OPEN = "assent:commands";
export const openPalette = () => dispatchEvent(new Event(OPEN));

export function Palette() {
  const say = useSay();
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const asked = () => setOpen(true);
    addEventListener(OPEN, asked);
    return () => removeEventListener(OPEN, asked);
  }, []);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key === "?" && !isTyping(event.target)) return openHelp();
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.repeat) return;
      event.preventDefault();
      setOpen((shown) => !shown);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return (
    <Dialog open={open} onClose={() => setOpen(false)} title={say("commands")} hideTitle>
      <Commands onDone={() => setOpen(false)} />
    </Dialog>
  );
}

function Commands({ onDone }: { onDone: () => void }) {
  const say = useSay();
  const commands = useCommands();
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const found = useMemo(() => matching(commands, words), [commands, words]);
  const chosen = found[Math.min(at, found.length - 1)];
  const run = (command: Command | undefined) => {
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
        <span className="sr-only">{say("commandHint")}</span>
        <input
          className="w-full bg-transparent text-why outline-0"
          role="combobox"
          aria-expanded="true"
          aria-controls="commands"
          aria-activedescendant={chosen ? `command-${found.indexOf(chosen)}` : undefined}
          placeholder={say("commandHint")}
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
        aria-label={say("commands")}
        className="scroll max-h-[50vh] p-1.5"
      >
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled where the focus is, in the field
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
      {found.length === 0 && <p className="px-4 pb-4 text-ink-3">{say("noCommand")}</p>}
    </div>
  );
}

const MOST = 60;

function matching(commands: readonly Command[], words: string): Command[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (command: Command) =>
    wanted.every((word) => `${command.name} ${command.note ?? ""}`.toLowerCase().includes(word));
  return commands.filter(fits).slice(0, MOST);
}

function useCommands(): Command[] {
  const say = useSay();
  const { data: pending } = usePending();
  const { data } = useSwitch();
  return useMemo(() => {
    const paused = data?.paused ?? false;
    const turn = async () => confirm(keys.paused, await post<Switch>("switch", { paused: !paused }));
    return [
      ...DOORS.map(({ page, icon }) => ({
        name: say("goTo", { page: say(page) }),
        icon,
        run: () => go(page),
      })),
      {
        name: say(paused ? "resumeAll" : "pauseAll"),
        icon: paused ? "play" : "pause",
        run: () => void turn().catch((error: Error) => toast(error.message, "warn")),
      },
      { name: say("appearance"), icon: "theme", run: toggleTheme },
      { name: say("keysTitle"), icon: "keys", run: openHelp },
      ...(pending ?? [])
        .filter((one) => one.state === "pending")
        .map((one) => ({
          name: headline(one),
          note: one.call.agent,
          icon: one.tool.effect as IconName,
          run: () => go("inbox", one.id),
        })),
    ] satisfies Command[];
  }, [say, pending, data?.paused]);
}
