/** What the store says: rules that people wrote, and yeses that they gave. */
import { useQuery } from "@tanstack/react-query";
import { get } from "@/api/http";
import { keys, useMe } from "@/api/queries";
import type { Grant, Hits, PolicyShown, Rule } from "@/api/types";

export const useRules = () =>
  useQuery({ queryKey: keys.rules, queryFn: async () => (await get<{ items: Rule[] }>("rules")).items });

export const useGrants = () =>
  useQuery({ queryKey: keys.grants, queryFn: async () => (await get<{ items: Grant[] }>("grants")).items });

/** What the files say; administrators may look at it. */
export function usePolicy() {
  const administrator = useMe().data?.administrator ?? false;
  return useQuery({
    queryKey: keys.policy,
    queryFn: () => get<PolicyShown>("policy"),
    enabled: administrator,
  });
}

export type Use = Hits["items"][number];
export type Uses = { of: number; by: ReadonlyMap<string, Use> };

/** How often each rule decided, by its id or, for a rule of a file, its text. */
export const useUses = () =>
  useQuery({
    queryKey: ["audit", "uses"],
    queryFn: async () => usesIn(await get<Hits>("rules/hits")),
    staleTime: 60_000,
  });

export const usesIn = ({ decisions, items }: Hits): Uses => ({
  of: decisions,
  by: new Map(items.map((use) => [use.rule, use])),
});
