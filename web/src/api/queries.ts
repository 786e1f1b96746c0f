/** The query cache of the pages, and the queries that several pages share. */
import { QueryClient, useQuery } from "@tanstack/react-query";
import { getJson, ProblemError, queryString } from "./http";
import type { Approval, ApprovalDetail, Me, Page, PodDifference, PodsShown, Switch } from "./types";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // Repeat a request without an answer, but not one that the server refused.
      retry: (count, error) =>
        count < 2 && !(error instanceof ProblemError && error.status >= 400 && error.status < 500),
    },
  },
});

export const queryKeys = {
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

/** Fetch what the server has now. A running fetch is cancelled first: its reply may be older than the change,
 * and the first fetch of a query would not be repeated. */
export async function refetchQueries(queryKey: readonly unknown[]) {
  await queryClient.cancelQueries({ queryKey });
  await queryClient.invalidateQueries({ queryKey });
}

/** Put a value that the server stored into the cache; older requests are cancelled, so that none overwrites it. */
export async function storeQueryResult<T>(
  queryKey: readonly unknown[],
  next: T | ((known: T | undefined) => T | undefined),
) {
  await queryClient.cancelQueries({ queryKey, exact: true });
  queryClient.setQueryData<T>(queryKey, next);
  // The cache has no value to change, so fetch it.
  if (queryClient.getQueryData(queryKey) === undefined) void refetchQueries(queryKey);
}

/** Fetch every page of a list. */
export async function fetchAllPages<T>(
  path: string,
  values: Record<string, string | number | boolean> = {},
): Promise<T[]> {
  const found: T[] = [];
  let after: string | null = null;
  do {
    const page: Page<T> = await getJson(path + queryString({ ...values, after }));
    found.push(...page.items);
    after = page.next;
  } while (after);
  return found;
}

/** Fetch the newest rows of a list; also returns whether the list has no more rows. */
export async function fetchNewestItems<T>(
  path: string,
  values: Record<string, string | number>,
  most: number,
) {
  const items: T[] = [];
  let after: string | null = null;
  do {
    const page: Page<T> = await getJson(path + queryString({ ...values, limit: 200, after }));
    items.push(...page.items);
    after = page.next;
  } while (after && items.length < most);
  return { items, whole: after === null };
}

/** Questions that arrived while the list was fetched or replaced; the fetched list may not contain them. */
const arrivedQuestions = new Map<string, Approval>();
let runningReplacements = 0;

/** Insert or update one question in the pending list. */
export function updatePendingList(approval: Approval) {
  const listChanges =
    runningReplacements > 0 || queryClient.isFetching({ queryKey: queryKeys.pending, exact: true }) > 0;
  if (listChanges) arrivedQuestions.set(approval.id, approval);
  queryClient.setQueryData<Approval[]>(queryKeys.pending, (list) => list && upsertApproval(list, approval));
}

const mergeArrivedQuestions = (list: Approval[]) =>
  [...arrivedQuestions.values()].reduce(upsertApproval, list);

function upsertApproval(list: Approval[], approval: Approval): Approval[] {
  const at = list.findIndex((one) => one.id === approval.id);
  if (at >= 0) return list.with(at, approval);
  return approval.state === "pending" ? [...list, approval] : list;
}

/** The maximum number of ended questions that are fetched one by one after a lost connection. */
const MAX_ENDED_QUESTION_FETCHES = 20;

/** Replace the list with all questions that are open now. A missing question was answered meanwhile:
 * it stays until its answer is known, so that it never disappears without an explanation. */
export async function replacePendingList(open: readonly Approval[]) {
  arrivedQuestions.clear();
  const ids = new Set(open.map((one) => one.id));
  const missing = (queryClient.getQueryData<Approval[]>(queryKeys.pending) ?? []).filter(
    (one) => !ids.has(one.id),
  );
  const ended = missing.filter((one) => one.state !== "pending");
  const unknown = missing.filter((one) => one.state === "pending").slice(-MAX_ENDED_QUESTION_FETCHES);
  runningReplacements += 1;
  await storeQueryResult<Approval[]>(queryKeys.pending, () =>
    mergeArrivedQuestions([...open, ...ended, ...unknown]),
  );
  runningReplacements -= 1;
  await Promise.all(unknown.map(fetchEndedQuestion));
}

async function fetchEndedQuestion({ id }: Approval) {
  try {
    const found = await getJson<ApprovalDetail>(`approvals/${id}`);
    queryClient.setQueryData(queryKeys.approval(id), found);
    updatePendingList(found);
  } catch {
    await storeQueryResult<Approval[]>(queryKeys.pending, (list) => list?.filter((one) => one.id !== id));
  }
}

/** Every pending question. The live connection keeps the list current, so it never becomes stale. */
export const usePendingQuestions = () =>
  useQuery({
    queryKey: queryKeys.pending,
    queryFn: async () => {
      arrivedQuestions.clear();
      return mergeArrivedQuestions(
        await fetchAllPages<Approval>("approvals", { state: "pending", limit: 200 }),
      );
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** One question with all details that its card shows. */
export const useApproval = (id: string) =>
  useQuery({
    queryKey: queryKeys.approval(id),
    queryFn: ({ signal }) => getJson<ApprovalDetail>(`approvals/${id}`, signal),
    enabled: id !== "",
  });

export const useMe = () =>
  useQuery({ queryKey: queryKeys.me, queryFn: () => getJson<Me>("me"), retry: false });

/** The differences between the servers of this database; empty for people who are not administrators. */
export function usePodDifferences(): readonly PodDifference[] {
  const administrator = useMe().data?.administrator ?? false;
  const { data } = useQuery({
    queryKey: queryKeys.pods,
    queryFn: () => getJson<PodsShown>("pods"),
    enabled: administrator,
    refetchInterval: 60_000,
  });
  return (administrator && data?.differences) || NO_POD_DIFFERENCES;
}

const NO_POD_DIFFERENCES: readonly PodDifference[] = [];

export const usePauseState = () =>
  useQuery({ queryKey: queryKeys.paused, queryFn: () => getJson<Switch>("switch") });
