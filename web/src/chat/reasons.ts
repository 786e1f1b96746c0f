/** Why each call of a conversation ran or did not: what the audit says of it. */
import { useQuery } from "@tanstack/react-query";
import { createContext, use, useEffect } from "react";
import { get, query } from "@/api/http";
import { client, newest } from "@/api/queries";
import type { AuditRow, Tally } from "@/api/types";

export type Entry = AuditRow["entry"];

const MOST = 400;
/** The audit is written when nothing more urgent is to be done. */
const A_MOMENT = 1500;
const keyOf = (conversation: string) => ["audit", "conversation", conversation];

/** The decisions of a conversation by the id of their call; asked for again whenever there are more. */
export function useReasons(conversation: string, decided: number): ReadonlyMap<string, Entry> {
  const { data } = useQuery({
    queryKey: [...keyOf(conversation), "reasons"],
    queryFn: async () => (await newest<AuditRow>("audit", { conversation }, MOST)).items,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each call that ends there is more to know
  useEffect(() => {
    const look = () => void client.invalidateQueries({ queryKey: keyOf(conversation) });
    look();
    const again = setTimeout(look, A_MOMENT);
    return () => clearTimeout(again);
  }, [conversation, decided]);
  return reasonsIn(data ?? []);
}

/** How the calls of a conversation were decided, counted. */
export const useDecided = (conversation: string) =>
  useQuery({
    queryKey: [...keyOf(conversation), "tally"],
    queryFn: async () => (await get<Tally>(`audit/tally${query({ conversation })}`)).decisions,
  });

export function reasonsIn(rows: readonly AuditRow[]): ReadonlyMap<string, Entry> {
  return new Map(rows.filter(({ entry }) => entry.verdict !== "").map(({ entry }) => [entry.call, entry]));
}

export const Reasons = createContext<ReadonlyMap<string, Entry>>(new Map());

/** What was decided of a call, if the audit has it by now. */
export const useReason = (call: string) => use(Reasons).get(call);
