/** Queries for conversations and their titles. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { getJson } from "@/api/http";
import { fetchAllPages, queryClient, queryKeys, storeQueryResult } from "@/api/queries";
import type { Conversation } from "@/api/types";

export const useConversations = () =>
  useQuery({
    queryKey: queryKeys.conversations,
    queryFn: () => fetchAllPages<Conversation>("conversations", { limit: 200 }),
  });

/** One conversation, even if the list does not contain it yet. */
export const useConversation = (id: string) =>
  useQuery({
    queryKey: queryKeys.conversation(id),
    queryFn: ({ signal }) => getJson<Conversation>(`conversations/${encodeURIComponent(id)}`, signal),
    enabled: id !== "",
    initialData: () =>
      queryClient.getQueryData<Conversation[]>(queryKeys.conversations)?.find((one) => one.id === id),
    initialDataUpdatedAt: () => queryClient.getQueryState(queryKeys.conversations)?.dataUpdatedAt,
  });

/** Put a conversation that the server stored into the cache. */
export async function storeConversation(now: Conversation) {
  await Promise.all([
    storeQueryResult(queryKeys.conversation(now.id), now),
    storeQueryResult<Conversation[]>(
      queryKeys.conversations,
      (list) => list && upsertConversation(list, now),
    ),
  ]);
}

function upsertConversation(list: Conversation[], now: Conversation): Conversation[] {
  const at = list.findIndex((one) => one.id === now.id);
  return at >= 0 ? list.with(at, now) : [now, ...list];
}

/** The titles of all conversations, by their id. */
export function useConversationTitles(): Readonly<Record<string, string>> {
  const { data } = useConversations();
  return useMemo(() => Object.fromEntries((data ?? []).map((one) => [one.id, one.title])), [data]);
}
