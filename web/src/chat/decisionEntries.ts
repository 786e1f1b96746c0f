/** Why each call of a conversation ran or did not, from the audit. */
import { useQuery } from "@tanstack/react-query";
import { createContext, use, useEffect } from "react";
import { getJson, queryString } from "@/api/http";
import { fetchNewestItems, refetchQueries } from "@/api/queries";
import type { AuditRow, Tally } from "@/api/types";

export type DecisionEntry = AuditRow["entry"];

const MAX_AUDIT_ROWS = 400;
/** Audit rows are written with a short delay, so they are fetched again after this time. */
const REFETCH_DELAY_MS = 1500;
const conversationAuditKey = (conversation: string) => ["audit", "conversation", conversation];

/** The decisions of a conversation by call id; fetched again when `decided` changes. */
export function useDecisionEntries(
  conversation: string,
  decided: number,
): ReadonlyMap<string, DecisionEntry> {
  const { data } = useQuery({
    queryKey: [...conversationAuditKey(conversation), "reasons"],
    queryFn: async () => (await fetchNewestItems<AuditRow>("audit", { conversation }, MAX_AUDIT_ROWS)).items,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: refetch for each call that ends
  useEffect(() => {
    const refetch = () => void refetchQueries(conversationAuditKey(conversation));
    refetch();
    const again = setTimeout(refetch, REFETCH_DELAY_MS);
    return () => clearTimeout(again);
  }, [conversation, decided]);
  return entriesByCall(data ?? []);
}

/** How many calls of a conversation got each verdict. */
export const useVerdictCounts = (conversation: string) =>
  useQuery({
    queryKey: [...conversationAuditKey(conversation), "tally"],
    queryFn: async () => (await getJson<Tally>(`audit/tally${queryString({ conversation })}`)).decisions,
  });

export function entriesByCall(rows: readonly AuditRow[]): ReadonlyMap<string, DecisionEntry> {
  return new Map(rows.filter(({ entry }) => entry.verdict !== "").map(({ entry }) => [entry.call, entry]));
}

export const DecisionEntriesContext = createContext<ReadonlyMap<string, DecisionEntry>>(new Map());

/** The decision about a call, if the audit has it. */
export const useDecisionEntry = (call: string) => use(DecisionEntriesContext).get(call);
