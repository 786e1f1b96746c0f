/** Agents: the settings of each agent's tools. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { deleteJson, getJson, patchJson, queryString } from "@/api/http";
import { useModes, useStoredPermissions } from "@/api/presets";
import { queryKeys, refetchQueries } from "@/api/queries";
import type { AgentShown, CatalogTool, OverrideShown, Tier, ToolSettingShown } from "@/api/types";
import { PageBar } from "@/shell/PageBar";
import { linkTo, usePageId } from "@/shell/route";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { type Effect, EffectChip, parseMode } from "@/ui/effect";
import { SearchField } from "@/ui/Field";
import { Icon } from "@/ui/Icon";
import { EmptyState, LoadError, Skeleton } from "@/ui/states";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import { DefinitionsToReview } from "./DefinitionsToReview";
import { TierChoice } from "./TierChoice";

const agentToolsKey = (agent: string) => [...queryKeys.agents, agent, "tools"];

export default function Agents() {
  const t = useTranslate();
  const id = usePageId("agents");
  const agents = useQuery({
    queryKey: queryKeys.agents,
    queryFn: async () => (await getJson<{ items: AgentShown[] }>("agents")).items,
  });
  const chosen = id || agents.data?.[0]?.id || "";
  const calledTools = agents.data?.find((agent) => agent.id === chosen)?.tools ?? [];
  return (
    <>
      <PageBar title={t("agents")} note={t("nAgents", { count: agents.data?.length ?? 0 })} />
      {agents.error ? (
        <LoadError error={agents.error} onRetry={() => void agents.refetch()} />
      ) : agents.isPending ? (
        <Skeleton rows={5} />
      ) : !chosen ? (
        <div className="scroll grid content-start gap-5 p-4 phone:p-5">
          <DefinitionsToReview />
          <EmptyState icon="agents" title={t("agentsEmpty")}>
            <p>{t("agentsEmptyMore")}</p>
          </EmptyState>
        </div>
      ) : (
        <div className="grid min-h-0 grow grid-rows-[auto_minmax(0,1fr)] phone:grid-cols-[244px_minmax(0,1fr)] phone:grid-rows-1">
          <nav
            aria-label={t("agents")}
            className="scroll flex border-line max-phone:border-b phone:block phone:border-r"
          >
            {agents.data.map((agent) => (
              <a
                key={agent.id}
                href={linkTo("agents", agent.id)}
                ref={agent.id === chosen ? scrollIntoView : undefined}
                aria-current={agent.id === chosen ? "true" : undefined}
                className={`flex items-center gap-2 px-4 py-2.5 font-medium whitespace-nowrap !text-ink !no-underline hover:bg-hover ${agent.id === chosen ? "bg-accent-soft shadow-[inset_3px_0_0_var(--accent)] max-phone:shadow-[inset_0_-3px_0_var(--accent)]" : ""}`}
              >
                <Icon name="agents" className="text-ink-3" />
                <VisibleText text={agent.id} />
              </a>
            ))}
          </nav>
          <AgentTools key={chosen} agent={chosen} seen={calledTools} />
        </div>
      )}
    </>
  );
}

/** Scroll to the link of the chosen agent if the row of agents is wider than the page. */
const scrollIntoView = (link: HTMLElement | null) =>
  link?.scrollIntoView({ block: "nearest", inline: "center" });

/** The group of tools that an agent called without declaring them. */
const UNDECLARED_GROUP = "calls";

/** A tool with its setting. An agent's tools are those it declared or called, and those with a setting. */
export type ToolEntry = {
  name: string;
  provider: string;
  tool: CatalogTool | null;
  tier: Tier | null;
  explicit: boolean;
};

function useAgentTools(agent: string) {
  return useQuery({
    queryKey: agentToolsKey(agent),
    queryFn: async () => {
      const path = `agents/${encodeURIComponent(agent)}`;
      const [catalog, said, overrides] = await Promise.all([
        getJson<{ tools: CatalogTool[] }>(`${path}/tools/catalog`),
        getJson<{ tools: ToolSettingShown[] }>(`${path}/tools`),
        getJson<{ items: OverrideShown[] }>(`${path}/tool-overrides`),
      ]);
      return { catalog: catalog.tools, said: said.tools, overrides: overrides.items };
    },
  });
}

export function listToolEntries(
  catalog: readonly CatalogTool[],
  said: readonly ToolSettingShown[],
  seen: readonly string[],
): ToolEntry[] {
  const tiers = new Map(said.map((one) => [one.toolName, one]));
  const declared = catalog.map((tool) => {
    const known = tiers.get(tool.name);
    return {
      name: tool.name,
      provider: known?.providerKey ?? tool.provider,
      tool,
      tier: known?.status ?? null,
      explicit: known?.explicit ?? false,
    };
  });
  const names = new Set(catalog.map((tool) => tool.name));
  const rest = [...new Set([...said.map((one) => one.toolName), ...seen])]
    .filter((name) => !names.has(name))
    .map((name) => {
      const known = tiers.get(name);
      return {
        name,
        provider: known?.providerKey ?? UNDECLARED_GROUP,
        tool: null,
        tier: known?.status ?? null,
        explicit: known?.explicit ?? false,
      };
    });
  return [...declared, ...rest].toSorted(
    (one, other) => one.provider.localeCompare(other.provider) || one.name.localeCompare(other.name),
  );
}

function AgentTools({ agent, seen }: { agent: string; seen: readonly string[] }) {
  const t = useTranslate();
  const tools = useAgentTools(agent);
  const [words, setWords] = useState("");
  const toolEntries = useMemo(
    () => (tools.data ? listToolEntries(tools.data.catalog, tools.data.said, seen) : []),
    [tools.data, seen],
  );
  const save = useSaveTiers(agent, toolEntries);
  const groups = useMemo(() => {
    const matchesFilter = (one: ToolEntry) =>
      `${one.name} ${one.tool?.description ?? ""}`.toLowerCase().includes(words.toLowerCase());
    return [...Map.groupBy(toolEntries.filter(matchesFilter), (one) => one.provider)];
  }, [toolEntries, words]);
  if (tools.error) return <LoadError error={tools.error} onRetry={() => void tools.refetch()} />;
  if (tools.isPending) return <Skeleton rows={7} />;
  return (
    <div className="scroll grid auto-rows-max content-start gap-5 p-4 phone:p-5">
      <DefinitionsToReview />
      {toolEntries.length === 0 ? (
        <EmptyState icon="settings" title={t("toolsEmpty")} />
      ) : (
        <SearchField
          className="max-w-sm"
          label={t("findTool")}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      )}
      {groups.map(([provider, members]) => (
        <section key={provider}>
          <div className="flex flex-wrap items-center gap-2.5 pb-2 phone:pr-[15px]">
            <h2 className="grow">
              {provider === UNDECLARED_GROUP ? t("seenInCalls") : <VisibleText text={provider} />}
            </h2>
            <TierChoice
              label={`${t("wholeGroup")}: ${provider === UNDECLARED_GROUP ? t("seenInCalls") : provider}`}
              value={groupTier(members)}
              note={t("notSet")}
              disabled={save.isPending}
              onChoose={(tier) => save.mutate(new Map(members.map((one) => [one.name, tier])))}
            />
          </div>
          <ul className="box divide-y divide-line-soft">
            {members.map((one) => (
              <ToolRow
                key={one.name}
                listed={one}
                busy={save.isPending}
                onChoose={(tier) => save.mutate(new Map([[one.name, tier]]))}
                onClear={() => save.mutate(new Map([[one.name, null]]))}
              />
            ))}
          </ul>
        </section>
      ))}
      <OverrideList agent={agent} overrides={tools.data.overrides} />
    </div>
  );
}

/** The tier of a whole group; "mixed" if its tools have different tiers. */
export function groupTier(members: readonly ToolEntry[]): Tier | "mixed" | null {
  const tiers = new Set(members.map((one) => one.tier));
  return tiers.size > 1 ? "mixed" : (members[0]?.tier ?? null);
}

function ToolRow({
  listed: one,
  busy,
  onChoose,
  onClear,
}: {
  listed: ToolEntry;
  busy: boolean;
  onChoose: (tier: Tier) => void;
  onClear: () => void;
}) {
  const unset = useUnsetTierText();
  return (
    <li className="grid items-center gap-x-4 gap-y-1.5 px-3.5 py-2 phone:grid-cols-[minmax(0,1fr)_auto_auto]">
      <div className="min-w-0">
        <code className="text-[13px] font-medium">
          <VisibleText text={one.name} />
        </code>
        {one.tool?.description && (
          <p className="meta truncate">
            <VisibleText text={one.tool.description} />
          </p>
        )}
      </div>
      <span className="justify-self-start">{one.tool && <EffectChip effect={one.tool.effect} />}</span>
      <TierChoice
        label={one.name}
        value={one.tier}
        note={unset(one.tool?.effect)}
        disabled={busy}
        onChoose={onChoose}
        onClear={onClear}
      />
    </li>
  );
}

const UNSET_TIER_TEXTS = {
  run: "notSet.runs",
  ask: "notSet.asks",
  deny: "notSet.denies",
  absent: "notSet.denies",
} as const;

/** The text for a tool without a setting: what the mode of new conversations does with it. */
function useUnsetTierText(): (effect: Effect | undefined) => string {
  const t = useTranslate();
  const modes = useModes();
  const start = useStoredPermissions().data?.mode;
  const mode = modes.find((one) => one.mode === (start ? parseMode(start) : "default"));
  return (effect) => {
    const verdict = effect && mode?.verdicts[effect];
    return mode && verdict
      ? t(UNSET_TIER_TEXTS[verdict], { mode: t(`mode.${mode.mode}`) })
      : t("notSet.mode");
  };
}

/** Sends only the changed settings, so that settings of other tools, changed elsewhere meanwhile, are kept. */
function useSaveTiers(agent: string, tools: readonly ToolEntry[]) {
  const t = useTranslate();
  const providers = new Map(tools.map((one) => [one.name, one.provider]));
  return useMutation({
    mutationFn: (changes: ReadonlyMap<string, Tier | null>) =>
      patchJson(`agents/${encodeURIComponent(agent)}/tools`, {
        tools: [...changes].map(([toolName, status]) => ({
          toolName,
          providerKey: providers.get(toolName) ?? null,
          status,
        })),
      }),
    onSuccess: () => showToast(t("saved")),
    onError: (error) => showToast(error.message, "warn"),
    onSettled: () => refetchQueries(agentToolsKey(agent)),
  });
}

function OverrideList({ agent, overrides }: { agent: string; overrides: readonly OverrideShown[] }) {
  const t = useTranslate();
  const revoke = useMutation({
    mutationFn: (one: OverrideShown) =>
      deleteJson(
        `agents/${encodeURIComponent(agent)}/tool-overrides${queryString({ toolName: one.toolName, userId: one.userId })}`,
      ),
    onSuccess: () => showToast(t("revoked"), "undo"),
    onError: (error) => showToast(error.message, "warn"),
    onSettled: () => refetchQueries(agentToolsKey(agent)),
  });
  if (overrides.length === 0) return null;
  return (
    <section>
      <h2 className="pb-2">{t("overrides")}</h2>
      <ul className="box divide-y divide-line-soft">
        {overrides.map((one) => (
          <li key={one.id} className="flex items-center gap-3 px-3.5 py-1.5">
            <code className="grow text-[13px]">
              <VisibleText text={one.toolName} />
            </code>
            <span className="meta">{one.userId}</span>
            <Button small look="stop" disabled={revoke.isPending} onClick={() => revoke.mutate(one)}>
              {t("revoke")}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
