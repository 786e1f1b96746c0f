/** Why each call of a conversation ran or did not: what the audit says of it. */
import { useQuery } from "@tanstack/react-query";
import { createContext, use, useEffect } from "react";
import { client, newest } from "@/api/queries";
import type { AuditRow } from "@/api/types";

export type Entry = AuditRow["entry"];

const MOST = 400;
const keyOf = (conversation: string) => ["audit", "reasons", conversation];

/** The decisions of a conversation by the id of their call; asked for again whenever a run has ended. */
export function useReasons(conversation: string, running: boolean): ReadonlyMap<string, Entry> {
  const { data } = useQuery({
    queryKey: keyOf(conversation),
    queryFn: async () => (await newest<AuditRow>("audit", { conversation }, MOST)).items,
  });
  useEffect(() => {
    if (!running) void client.invalidateQueries({ queryKey: keyOf(conversation) });
  }, [conversation, running]);
  return reasonsIn(data ?? []);
}

export function reasonsIn(rows: readonly AuditRow[]): ReadonlyMap<string, Entry> {
  return new Map(rows.filter(({ entry }) => entry.verdict !== "").map(({ entry }) => [entry.call, entry]));
}

export const Reasons = createContext<ReadonlyMap<string, Entry>>(new Map());

/** What was decided of a call, if the audit has it by now. */
export const useReason = (call: string) => use(Reasons).get(call);
