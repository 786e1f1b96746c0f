/** Settings: how it looks and speaks to you, who else comes in, and with what. */
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { patch, post } from "@/api/http";
import { PERMISSIONS, useMeaning, useModes, usePermissions } from "@/api/presets";
import { client, confirm, useMe } from "@/api/queries";
import type { Permissions } from "@/api/types";
import { wantNotifications, wantsNotifications } from "@/live/notify";
import { PageBar } from "@/shell/PageBar";
import { linkTo } from "@/shell/route";
import { PauseSwitch } from "@/shell/Shell";
import { toast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { ModeDot, modeNamed } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { Segments } from "@/ui/Segments";
import { setTheme, THEMES, useTheme } from "@/ui/theme";
import { zone } from "@/words/time";
import { LANGUAGES, type Language, useWords } from "@/words/words";
import { People } from "./People";
import { Servers } from "./Servers";
import { Tokens } from "./Tokens";

export default function Settings() {
  const { say } = useWords();
  const me = useMe().data;
  const out = useMutation({ mutationFn: () => post("logout"), onSettled: () => client.resetQueries() });
  return (
    <>
      <PageBar title={say("settings")} {...(me ? { note: me.id } : {})}>
        <Button onClick={() => out.mutate()}>{say("signOut")}</Button>
      </PageBar>
      <div className="scroll grow">
        <div className="mx-auto grid max-w-3xl gap-6 p-4 phone:p-6">
          <div className="grid gap-3 phone:hidden">
            <PauseSwitch />
            <a className="btn" href={linkTo("agents")}>
              <Icon name="agents" size="small" /> {say("agents")}
            </a>
          </div>
          <Servers />
          <Looks />
          <Notifications />
          {me?.administrator && <StartMode />}
          {me?.administrator && <People />}
          <Tokens />
        </div>
      </div>
    </>
  );
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-3">
      <h2>{title}</h2>
      <div className="box grid gap-4 p-4">{children}</div>
    </section>
  );
}

function Looks() {
  const { say, language, speak } = useWords();
  const theme = useTheme();
  const languages = Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label }));
  return (
    <Section title={say("theme")}>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <Segments
          label={say("theme")}
          value={theme}
          choices={THEMES.map((value) => ({ value, label: say(`theme.${value}`) }))}
          onChoose={setTheme}
        />
        <Segments label={say("language")} value={language} choices={languages} onChoose={speak} />
      </div>
      <p className="meta">{say("timezone", { zone: zone() })}</p>
    </Section>
  );
}

function Notifications() {
  const { say } = useWords();
  const [wanted, setWanted] = useState(wantsNotifications);
  const turn = async (on: boolean) => {
    const granted = await wantNotifications(on);
    setWanted(granted);
    if (on && !granted) toast(say("notifyDenied"), "warn");
  };
  return (
    <Section title={say("notifications")}>
      <label className="flex items-center gap-2.5">
        <input
          type="checkbox"
          className="tick"
          checked={wanted}
          onChange={(event) => void turn(event.target.checked)}
        />
        {say("notifyWhenHidden")}
      </label>
    </Section>
  );
}

function StartMode() {
  const { say } = useWords();
  const { data } = usePermissions();
  const modes = useModes();
  const meaning = useMeaning();
  const save = useMutation({
    mutationFn: (mode: string) => patch<Permissions>("settings/agent.permissions", { mode }),
    onSuccess: (now) => confirm(PERMISSIONS, now),
    onError: (error) => toast(error.message, "warn"),
  });
  if (!data) return null;
  const now = modeNamed(data.mode);
  return (
    <Section title={say("defaultMode")}>
      <div role="radiogroup" aria-label={say("defaultMode")} className="grid gap-2">
        {modes.map((one) => (
          <label
            key={one.mode}
            className="grid cursor-pointer grid-cols-[16px_14px_minmax(0,1fr)] items-center gap-x-2.5 rounded-m px-1 py-1 hover:bg-hover"
          >
            <input
              type="radio"
              name="mode"
              checked={one.mode === now}
              disabled={save.isPending}
              onChange={() => save.mutate(one.mode)}
            />
            <ModeDot mode={one.mode} />
            <span>
              <b className="font-semibold">{say(`mode.${one.mode}`)}</b>{" "}
              <span className="text-ink-3">{meaning(one)}</span>
            </span>
          </label>
        ))}
      </div>
    </Section>
  );
}
