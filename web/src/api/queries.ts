/** What the pages know of the server, and how they learn it. */
import { QueryClient, useQuery } from "@tanstack/react-query";
import { get, Problem, query } from "./http";
import type { Approval, ApprovalDetail, Me, Page, Switch } from "./types";

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // A refusal will not change by asking again; silence might.
      retry: (count, error) =>
        count < 2 && !(error instanceof Problem && error.status >= 400 && error.status < 500),
    },
  },
});

export const keys = {
  pending: ["pending"],
  approval: (id: string) => ["approval", id],
  me: ["me"],
  paused: ["switch"],
  policy: ["policy"],
  rules: ["rules"],
  grants: ["grants"],
  agents: ["agents"],
  conversations: ["conversations"],
} as const;

/** Every page of a list, one after the other. */
export async function all<T>(
  path: string,
  values: Record<string, string | number | boolean> = {},
): Promise<T[]> {
  const found: T[] = [];
  let after: string | null = null;
  do {
    const page: Page<T> = await get(path + query({ ...values, after }));
    found.push(...page.items);
    after = page.next;
  } while (after);
  return found;
}

/** The newest rows of a list that may be long, and whether these are all. */
export async function newest<T>(path: string, values: Record<string, string | number>, most: number) {
  const items: T[] = [];
  let after: string | null = null;
  do {
    const page: Page<T> = await get(path + query({ ...values, limit: 200, after }));
    items.push(...page.items);
    after = page.next;
  } while (after && items.length < most);
  return { items, whole: after === null };
}

/** Every question that waits; the live connection keeps it current, so it is never stale by itself. */
export const usePending = () =>
  useQuery({
    queryKey: keys.pending,
    queryFn: () => all<Approval>("approvals", { state: "pending", limit: 200 }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** One question with all that is needed to answer it well. */
export const useApproval = (id: string) =>
  useQuery({
    queryKey: keys.approval(id),
    queryFn: ({ signal }) => get<ApprovalDetail>(`approvals/${id}`, signal),
    enabled: id !== "",
  });

export const useMe = () => useQuery({ queryKey: keys.me, queryFn: () => get<Me>("me"), retry: false });

export const useSwitch = () => useQuery({ queryKey: keys.paused, queryFn: () => get<Switch>("switch") });
