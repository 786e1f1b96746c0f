/** The conversations there are, what they are called, and each by its id. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { get } from "@/api/http";
import { all, client, confirm, keys } from "@/api/queries";
import type { Conversation } from "@/api/types";

export const useConversations = () =>
  useQuery({
    queryKey: keys.conversations,
    queryFn: () => all<Conversation>("conversations", { limit: 200 }),
  });

/** One conversation, whether or not the list has it by now. */
export const useConversation = (id: string) =>
  useQuery({
    queryKey: keys.conversation(id),
    queryFn: ({ signal }) => get<Conversation>(`conversations/${encodeURIComponent(id)}`, signal),
    enabled: id !== "",
    initialData: () => client.getQueryData<Conversation[]>(keys.conversations)?.find((one) => one.id === id),
    initialDataUpdatedAt: () => client.getQueryState(keys.conversations)?.dataUpdatedAt,
  });

/** Take in a conversation as the server has stored it. */
export async function learnConversation(now: Conversation) {
  await Promise.all([
    confirm(keys.conversation(now.id), now),
    confirm<Conversation[]>(keys.conversations, (list) => list && withOne(list, now)),
  ]);
}

function withOne(list: Conversation[], now: Conversation): Conversation[] {
  const at = list.findIndex((one) => one.id === now.id);
  return at >= 0 ? list.with(at, now) : [now, ...list];
}

/** Titles by id. */
export function useTitles(): Readonly<Record<string, string>> {
  const { data } = useConversations();
  return useMemo(() => Object.fromEntries((data ?? []).map((one) => [one.id, one.title])), [data]);
}
