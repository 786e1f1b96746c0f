/** The frame around each page: a sidebar on a wide screen, a tab bar on a phone. */
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { postJson } from "@/api/http";
import {
  queryKeys,
  storeQueryResult,
  useMe,
  usePauseState,
  usePendingQuestions,
  usePodDifferences,
} from "@/api/queries";
import type { Approval, Switch } from "@/api/types";
import { countPending } from "@/inbox/queue";
import { useConnectionStatus } from "@/live/status";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { Icon, type IconName, Logo } from "@/ui/Icon";
import { Banner } from "@/ui/states";
import { toggleTheme } from "@/ui/theme";
import { useTranslate } from "@/words/words";
import { findNewerBuild } from "./build";
import { linkTo, type PageName, useRoute } from "./route";
import { usePageTitleAndIcon } from "./title";

export const NAVIGATION: ReadonlyArray<{ page: Exclude<PageName, "login">; icon: IconName }> = [
  { page: "inbox", icon: "inbox" },
  { page: "chat", icon: "chat" },
  { page: "workbench", icon: "workbench" },
  { page: "agents", icon: "agents" },
  { page: "rules", icon: "rules" },
  { page: "history", icon: "history" },
  { page: "settings", icon: "settings" },
];
const TAB_BAR_PAGES: readonly PageName[] = ["inbox", "chat", "rules", "history", "settings"];
const NO_APPROVALS: readonly Approval[] = [];

export function AppLayout({ children }: { children: ReactNode }) {
  const t = useTranslate();
  const { page, id } = useRoute();
  const { data: pending = NO_APPROVALS } = usePendingQuestions();
  const waiting = countPending(pending);
  usePageTitleAndIcon(t(page === "login" ? "signIn" : page), waiting);
  return (
    <div
      className="app-frame grid h-dvh grid-rows-[minmax(0,1fr)_auto] phone:grid-cols-[var(--rail)_minmax(0,1fr)] phone:grid-rows-[minmax(0,1fr)]"
      data-slim={page === "workbench"}
    >
      <button
        type="button"
        className="absolute -top-16 left-2 z-50 rounded-m bg-ink px-3 py-2 text-on-ink focus:top-2"
        onClick={() => document.getElementById("page")?.focus()}
      >
        {t("skip")}
      </button>
      <Sidebar current={page} waiting={waiting} pending={pending} />
      <main id="page" tabIndex={-1} className="flex min-h-0 min-w-0 flex-col bg-surface outline-0">
        <ServerNotices />
        {children}
      </main>
      {!(page === "inbox" && id) && <TabBar current={page} waiting={waiting} />}
    </div>
  );
}

function ServerNotices() {
  const t = useTranslate();
  const { online, since } = useConnectionStatus();
  const { data } = usePauseState();
  const upgraded = useIsServerUpgraded(online);
  const { page } = useRoute();
  const pods = usePodDifferences();
  const aspects = [...new Set(pods.map((one) => one.what))];
  return (
    <>
      {upgraded && (
        <Banner tone="ask" icon="warn">
          <b>{t("upgraded")}</b> {t("upgradedMore")}{" "}
          <Button small onClick={() => location.reload()}>
            {t("loadAnew")}
          </Button>
        </Banner>
      )}
      {!online && (
        <Banner tone="ask" icon="offline">
          <b>{t("offline")}</b> {t("offlineMore", { time: since })}
        </Banner>
      )}
      {pods.length > 0 && (
        <Banner tone="ask" icon="warn">
          <b>{t("serversDiffer")}</b> {aspects.map((what) => t(`servers.${what}`)).join(" ")}{" "}
          {page !== "settings" && <a href={linkTo("settings")}>{t("serversMore")}</a>}
        </Banner>
      )}
      {data?.paused && (
        <Banner tone="ask" icon="pause">
          <b>{t("pausedBanner")}</b> {t("pausedMore")}
        </Banner>
      )}
    </>
  );
}

/** Whether the server has a newer build after a reconnect. */
function useIsServerUpgraded(online: boolean): boolean {
  const [upgraded, setUpgraded] = useState(false);
  const wasAway = useRef(false);
  useEffect(() => {
    if (online && wasAway.current) void findNewerBuild().then((build) => setUpgraded(build !== null));
    wasAway.current = !online;
  }, [online]);
  return upgraded;
}

type SidebarProps = { current: PageName; waiting: number; pending: readonly Approval[] };

function Sidebar({ current, waiting, pending }: SidebarProps) {
  const t = useTranslate();
  const me = useMe().data;
  return (
    <aside
      className="hidden min-h-0 flex-col gap-0.5 border-r border-line bg-canvas px-2.5 py-3 phone:flex"
      aria-label={t("more")}
    >
      <a
        href={linkTo("inbox")}
        className="mb-2.5 flex h-8 items-center gap-2 px-2 text-why font-bold tracking-tight !text-ink !no-underline"
      >
        <Logo />
        <span className="rail-word">Assent</span>
      </a>
      <nav aria-label={t("pages")} className="grid gap-0.5">
        {NAVIGATION.map(({ page, icon }) => (
          <a
            key={page}
            href={linkTo(page)}
            aria-current={page === current ? "page" : undefined}
            className={`flex h-8 items-center gap-2 rounded-m px-2 !no-underline ${page === current ? "bg-pressed font-semibold !text-ink" : "font-medium !text-ink-2 hover:bg-hover"}`}
          >
            <Icon name={icon} className={page === current ? "" : "text-ink-3"} />
            <span className="rail-word">{t(page)}</span>
            {page === "inbox" && waiting > 0 && <PendingCount count={waiting} />}
          </a>
        ))}
      </nav>
      <WaitingAgents pending={pending} />
      <div className="mt-auto grid grid-cols-1 gap-2 pt-3">
        <PauseSwitch />
        {me && (
          <div className="flex items-center gap-2 pr-1 pl-2 text-ink-2">
            <span
              className="grid size-[22px] flex-none place-items-center rounded-full bg-pressed text-[10px] font-bold text-ink uppercase"
              aria-hidden="true"
            >
              {me.id.slice(0, 2)}
            </span>
            <span className="rail-word grow truncate">{me.id}</span>
            <Button look="quiet" icon="theme" aria-label={t("appearance")} onClick={toggleTheme} />
          </div>
        )}
      </div>
    </aside>
  );
}

function PendingCount({ count }: { count: number }) {
  const t = useTranslate();
  return (
    <span className="ml-auto h-[18px] min-w-5 rounded-full bg-ink px-1.5 text-center text-micro leading-[18px] font-bold text-on-ink tabular-nums">
      <span aria-hidden="true">{count}</span>
      <span className="sr-only">{t("nWaiting", { count })}</span>
    </span>
  );
}

/** The agents with pending questions, those with the most first. */
function WaitingAgents({ pending }: { pending: readonly Approval[] }) {
  const t = useTranslate();
  const agents = useMemo(() => {
    const open = pending.filter((one) => one.state === "pending" && one.later_at === null);
    const counts = [...Map.groupBy(open, (one) => one.call.agent)].map(([agent, asked]) => ({
      agent,
      asked,
    }));
    return counts.toSorted((one, other) => other.asked.length - one.asked.length).slice(0, 8);
  }, [pending]);
  if (agents.length === 0) return null;
  return (
    <section className="rail-agents min-h-0 overflow-hidden">
      <h3 className="px-2 pt-4 pb-1.5 text-micro font-medium text-ink-3">{t("running")}</h3>
      {agents.map(({ agent, asked }) => (
        <a
          key={agent}
          href={linkTo("inbox", asked[0]?.id)}
          className="flex h-7 items-center gap-2 rounded-m px-2 !text-ink-2 !no-underline hover:bg-hover"
        >
          <span className="size-[7px] flex-none rotate-45 rounded-[2px] bg-ask" aria-hidden="true" />
          <span className="truncate">{agent || t("anyAgent")}</span>
          <span className="meta ml-auto whitespace-nowrap tabular-nums">
            {t("nWaiting", { count: asked.length })}
          </span>
        </a>
      ))}
    </section>
  );
}

export function PauseSwitch() {
  const t = useTranslate();
  const { data } = usePauseState();
  const paused = data?.paused ?? false;
  const toggle = useMutation({
    mutationFn: () => postJson<Switch>("switch", { paused: !paused }),
    onSuccess: (now) => storeQueryResult(queryKeys.paused, now),
    onError: (error) => showToast(error.message, "warn"),
  });
  return (
    <button
      type="button"
      aria-pressed={paused}
      disabled={toggle.isPending}
      onClick={() => toggle.mutate()}
      className={`flex w-full items-center gap-2 rounded-m border px-2.5 py-2 text-left hover:bg-hover ${paused ? "border-ask bg-ask-soft" : "border-line-strong bg-surface"}`}
    >
      <Icon name={paused ? "play" : "pause"} />
      <span className="rail-word min-w-0">
        <b className="block leading-tight font-semibold">{t(paused ? "resumeAll" : "pauseAll")}</b>
        <span className="meta block truncate leading-snug">
          {paused ? t("pausedBy", { who: data?.by ?? "" }) : t("pauseHint")}
        </span>
      </span>
    </button>
  );
}

function TabBar({ current, waiting }: { current: PageName; waiting: number }) {
  const t = useTranslate();
  return (
    <nav
      aria-label={t("pages")}
      className="grid grid-cols-5 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] phone:hidden"
    >
      {NAVIGATION.filter(({ page }) => TAB_BAR_PAGES.includes(page)).map(({ page, icon }) => (
        <a
          key={page}
          href={linkTo(page)}
          aria-current={page === current ? "page" : undefined}
          className={`relative grid min-h-[52px] justify-items-center gap-0.5 pt-2 pb-1.5 text-micro !no-underline ${page === current ? "font-bold !text-ink" : "font-medium !text-ink-3"}`}
        >
          <Icon name={icon} className="!size-5" />
          {t(page)}
          {page === "inbox" && waiting > 0 && (
            <span className="absolute top-1 left-[calc(50%+5px)] h-4 min-w-4 rounded-full bg-ink px-1 text-center text-[10px] leading-4 font-bold text-on-ink">
              {waiting}
            </span>
          )}
        </a>
      ))}
    </nav>
  );
}
