/** What the store says: rules that people wrote, and yeses that they gave. */
import { useQuery } from "@tanstack/react-query";
import { get } from "@/api/http";
import { keys, newest, useMe } from "@/api/queries";
import type { AuditRow, Grant, PolicyShown, Rule } from "@/api/types";

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

export type Use = { hits: number; last: string };
export type Uses = { of: number; by: ReadonlyMap<string, Use> };

/** So many of the newest decisions are looked through for the rules that made them. */
const MOST = 2000;

/** How often each rule decided of late, by its id or, for a rule of a file, its text. */
export const useUses = () =>
  useQuery({
    queryKey: ["audit", "uses"],
    queryFn: async () => usesIn((await newest<AuditRow>("audit", {}, MOST)).items),
    staleTime: 60_000,
  });

export function usesIn(rows: readonly AuditRow[]): Uses {
  const decided = rows.filter((row) => row.entry.verdict !== "");
  const by = new Map<string, Use>();
  for (const { entry, at } of decided) {
    if (!entry.rule) continue;
    const known = by.get(entry.rule);
    by.set(entry.rule, { hits: (known?.hits ?? 0) + 1, last: known && known.last > at ? known.last : at });
  }
  return { of: decided.length, by };
}
