/** The conversations there are, and what they are called. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { all, keys } from "@/api/queries";
import type { Conversation } from "@/api/types";

export const useConversations = () =>
  useQuery({
    queryKey: keys.conversations,
    queryFn: () => all<Conversation>("conversations", { limit: 200 }),
  });

/** Titles by id. */
export function useTitles(): Readonly<Record<string, string>> {
  const { data } = useConversations();
  return useMemo(() => Object.fromEntries((data ?? []).map((one) => [one.id, one.title])), [data]);
}
