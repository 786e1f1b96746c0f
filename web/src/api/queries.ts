/** What the pages know of the server, and how they learn it. */
import { QueryClient, useQuery } from "@tanstack/react-query";
import { get, Problem, query } from "./http";
import type { Approval, ApprovalDetail, Me, Page, PodDifference, PodsShown, Switch } from "./types";

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
  pods: ["pods"],
  rules: ["rules"],
  grants: ["grants"],
  agents: ["agents"],
  conversations: ["conversations"],
  conversation: (id: string) => ["conversation", id],
} as const;

/** Take in what the server has stored. What was asked for earlier may arrive later, and must not undo it. */
export async function confirm<T>(
  queryKey: readonly unknown[],
  next: T | ((known: T | undefined) => T | undefined),
) {
  await client.cancelQueries({ queryKey, exact: true });
  client.setQueryData<T>(queryKey, next);
  // Nothing was known that could be changed: it is asked for again.
  if (client.getQueryData(queryKey) === undefined) void client.invalidateQueries({ queryKey, exact: true });
}

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

/** Questions that arrived while their list was fetched or replaced: the list may be older. */
const arrived = new Map<string, Approval>();
let replacing = 0;

/** Take one question into the list of those that wait. */
export function tell(approval: Approval) {
  const listChanges = replacing > 0 || client.isFetching({ queryKey: keys.pending, exact: true }) > 0;
  if (listChanges) arrived.set(approval.id, approval);
  client.setQueryData<Approval[]>(keys.pending, (list) => list && withOne(list, approval));
}

const withArrived = (list: Approval[]) => [...arrived.values()].reduce(withOne, list);

function withOne(list: Approval[], approval: Approval): Approval[] {
  const at = list.findIndex((one) => one.id === approval.id);
  if (at >= 0) return list.with(at, approval);
  return approval.state === "pending" ? [...list, approval] : list;
}

/** Ended questions that are looked up one by one after a break; more than these nobody reads. */
const MAX_LOOKED_UP = 20;

/** Replace the list by all questions that are open now. One that is missing was answered meanwhile:
 * it stays until its answer is known, so that it never vanishes without a word. */
export async function replacePending(open: readonly Approval[]) {
  arrived.clear();
  const ids = new Set(open.map((one) => one.id));
  const missing = (client.getQueryData<Approval[]>(keys.pending) ?? []).filter((one) => !ids.has(one.id));
  const ended = missing.filter((one) => one.state !== "pending");
  const unknown = missing.filter((one) => one.state === "pending").slice(-MAX_LOOKED_UP);
  replacing += 1;
  await confirm<Approval[]>(keys.pending, () => withArrived([...open, ...ended, ...unknown]));
  replacing -= 1;
  await Promise.all(unknown.map(lookUp));
}

async function lookUp({ id }: Approval) {
  try {
    const found = await get<ApprovalDetail>(`approvals/${id}`);
    client.setQueryData(keys.approval(id), found);
    tell(found);
  } catch {
    await confirm<Approval[]>(keys.pending, (list) => list?.filter((one) => one.id !== id));
  }
}

/** Every question that waits; the live connection keeps it current, so it is never stale by itself. */
export const usePending = () =>
  useQuery({
    queryKey: keys.pending,
    queryFn: async () => {
      arrived.clear();
      return withArrived(await all<Approval>("approvals", { state: "pending", limit: 200 }));
    },
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

/** What differs between the servers of this database; only administrators are told. */
export function usePods(): readonly PodDifference[] {
  const administrator = useMe().data?.administrator ?? false;
  const { data } = useQuery({
    queryKey: keys.pods,
    queryFn: () => get<PodsShown>("pods"),
    enabled: administrator,
    refetchInterval: 60_000,
  });
  return (administrator && data?.differences) || ALIKE;
}

const ALIKE: readonly PodDifference[] = [];

export const useSwitch = () => useQuery({ queryKey: keys.paused, queryFn: () => get<Switch>("switch") });
