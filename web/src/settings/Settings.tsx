/** Settings: appearance, language, notifications, people and tokens. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { patchJson, postJson } from "@/api/http";
import { PERMISSIONS_KEY, useModeDescription, useModes, useStoredPermissions } from "@/api/presets";
import { queryClient, storeQueryResult, useMe } from "@/api/queries";
import type { Permissions } from "@/api/types";
import { areNotificationsOn, setNotificationsOn } from "@/live/notify";
import { PauseSwitch } from "@/shell/AppLayout";
import { PageBar } from "@/shell/PageBar";
import { linkTo } from "@/shell/route";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { ModeDot, parseMode } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { SegmentedControl } from "@/ui/SegmentedControl";
import { setTheme, THEMES, useTheme } from "@/ui/theme";
import { timeZone } from "@/words/time";
import { LANGUAGES, type Language, useLanguage } from "@/words/words";
import { PeopleList } from "./PeopleList";
import { PermissionLists } from "./PermissionLists";
import { ServerDifferences } from "./ServerDifferences";
import { SettingsSection } from "./SettingsSection";
import { TokenList } from "./TokenList";

export default function Settings() {
  const { t } = useLanguage();
  const me = useMe().data;
  const signOut = useMutation({
    mutationFn: () => postJson("logout"),
    onSettled: () => queryClient.resetQueries(),
  });
  return (
    <>
      <PageBar title={t("settings")} {...(me ? { note: me.id } : {})}>
        <Button onClick={() => signOut.mutate()}>{t("signOut")}</Button>
      </PageBar>
      <div className="scroll grow">
        <div className="mx-auto grid max-w-3xl gap-6 p-4 phone:p-6">
          <div className="grid gap-3 phone:hidden">
            <PauseSwitch />
            <a className="btn" href={linkTo("agents")}>
              <Icon name="agents" size="small" /> {t("agents")}
            </a>
          </div>
          <ServerDifferences />
          <ThemeAndLanguageSettings />
          <NotificationSettings />
          {me?.administrator && <StartModeSetting />}
          {me?.administrator && <PermissionLists />}
          {me?.administrator && <PeopleList />}
          <TokenList />
        </div>
      </div>
    </>
  );
}

function ThemeAndLanguageSettings() {
  const { t, language, setLanguage } = useLanguage();
  const theme = useTheme();
  const languages = Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label }));
  return (
    <SettingsSection title={t("theme")}>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <SegmentedControl
          label={t("theme")}
          value={theme}
          choices={THEMES.map((value) => ({ value, label: t(`theme.${value}`) }))}
          onChoose={setTheme}
        />
        <SegmentedControl label={t("language")} value={language} choices={languages} onChoose={setLanguage} />
      </div>
      <p className="meta">{t("timezone", { zone: timeZone() })}</p>
    </SettingsSection>
  );
}

function NotificationSettings() {
  const { t } = useLanguage();
  const [wanted, setWanted] = useState(areNotificationsOn);
  const toggle = async (on: boolean) => {
    const granted = await setNotificationsOn(on);
    setWanted(granted);
    if (on && !granted) showToast(t("notifyDenied"), "warn");
  };
  return (
    <SettingsSection title={t("notifications")}>
      <label className="flex items-center gap-2.5">
        <input
          type="checkbox"
          className="tick"
          checked={wanted}
          onChange={(event) => void toggle(event.target.checked)}
        />
        {t("notifyWhenHidden")}
      </label>
    </SettingsSection>
  );
}

function StartModeSetting() {
  const { t } = useLanguage();
  const { data } = useStoredPermissions();
  const modes = useModes();
  const meaning = useModeDescription();
  const save = useMutation({
    mutationFn: (mode: string) => patchJson<Permissions>("settings/agent.permissions", { mode }),
    onSuccess: (now) => storeQueryResult(PERMISSIONS_KEY, now),
    onError: (error) => showToast(error.message, "warn"),
  });
  if (!data) return null;
  const now = parseMode(data.mode);
  return (
    <SettingsSection title={t("defaultMode")}>
      <div role="radiogroup" aria-label={t("defaultMode")} className="grid gap-2">
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
              <b className="font-semibold">{t(`mode.${one.mode}`)}</b>{" "}
              <span className="text-ink-3">{meaning(one)}</span>
            </span>
          </label>
        ))}
      </div>
    </SettingsSection>
  );
}
