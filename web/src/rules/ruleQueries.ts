/** Queries for stored rules, remembered approvals, policy files and hits. */
import { useQuery } from "@tanstack/react-query";
import { getJson, postJson } from "@/api/http";
import { queryKeys, useMe } from "@/api/queries";
import type { Grant, Hits, PackShown, PolicyShown, Preview, Rule } from "@/api/types";

export const useRules = () =>
  useQuery({
    queryKey: queryKeys.rules,
    queryFn: async () => (await getJson<{ items: Rule[] }>("rules")).items,
  });

export const useGrants = () =>
  useQuery({
    queryKey: queryKeys.grants,
    queryFn: async () => (await getJson<{ items: Grant[] }>("grants")).items,
  });

/** The policy files; only for administrators. */
export function usePolicyFiles() {
  const administrator = useMe().data?.administrator ?? false;
  return useQuery({
    queryKey: queryKeys.policy,
    queryFn: () => getJson<PolicyShown>("policy"),
    enabled: administrator,
  });
}

export type RuleHits = Hits["items"][number];
export type HitsByRule = { of: number; by: ReadonlyMap<string, RuleHits> };

/** How often each rule decided, by its id, or by its text for a rule in a file. */
export const useRuleHits = () =>
  useQuery({
    queryKey: ["audit", "uses"],
    queryFn: async () => indexHitsByRule(await getJson<Hits>("rules/hits")),
    staleTime: 60_000,
  });

export const indexHitsByRule = ({ decisions, items }: Hits): HitsByRule => ({
  of: decisions,
  by: new Map(items.map((use) => [use.rule, use])),
});

/** The shipped packs; only for administrators. */
export function usePacks() {
  const administrator = useMe().data?.administrator ?? false;
  return useQuery({
    queryKey: ["packs"],
    queryFn: async () => (await getJson<{ items: PackShown[] }>("packs")).items,
    enabled: administrator,
  });
}

/** The recent questions that a pack would have avoided. */
export const usePackPreview = ({ name, rules }: PackShown) =>
  useQuery({
    queryKey: ["packs", name],
    queryFn: () => postJson<Preview>("rules/preview", { list: "allow", rules }),
    staleTime: 60_000,
  });
