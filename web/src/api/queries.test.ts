import { QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";
import * as samples from "@/test/samples";
import { queryClient, queryKeys, refetchQueries, replacePendingList, updatePendingList } from "./queries";
import type { Approval } from "./types";

const cachedQuestionStates = () =>
  queryClient.getQueryData<Approval[]>(queryKeys.pending)?.map((one) => [one.id, one.state]);
const stubServerReply = (status: number, body: unknown) =>
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify(body), { status }));

afterEach(() => {
  queryClient.clear();
  vi.unstubAllGlobals();
});

test("a question that was answered while offline stays in the list with its answer", async () => {
  const answered = samples.makeApproval({ args: { command: "make one" } });
  const open = samples.makeApproval({ args: { command: "make two" } });
  queryClient.setQueryData(queryKeys.pending, [answered]);
  stubServerReply(200, { ...answered, state: "denied" });
  await replacePendingList([open]);

  expect(cachedQuestionStates()).toEqual([
    [open.id, "pending"],
    [answered.id, "denied"],
  ]);
});

test("a question that no longer exists after a reconnect leaves the list", async () => {
  const open = samples.makeApproval({ args: { command: "make two" } });
  queryClient.setQueryData(queryKeys.pending, [samples.makeApproval({ args: { command: "make one" } })]);
  stubServerReply(404, { title: "not found", status: 404 });
  await replacePendingList([open]);

  expect(cachedQuestionStates()).toEqual([[open.id, "pending"]]);
});

test("a question that arrives while the list is replaced is in the list", async () => {
  const open = samples.makeApproval({ args: { command: "make one" } });
  const asked = samples.makeApproval({ args: { command: "make two" } });
  const replaced = replacePendingList([open]);
  updatePendingList(asked);
  await replaced;

  expect(cachedQuestionStates()).toEqual([
    [open.id, "pending"],
    [asked.id, "pending"],
  ]);
});

test("an answer that arrives while the list is replaced is not undone", async () => {
  const open = samples.makeApproval({ args: { command: "make one" } });
  queryClient.setQueryData(queryKeys.pending, [open]);
  const replaced = replacePendingList([open]);
  updatePendingList({ ...open, state: "denied" });
  await replaced;

  expect(cachedQuestionStates()).toEqual([[open.id, "denied"]]);
});

test("a first fetch that began before a change is repeated after it", async () => {
  const replies: Array<(items: string[]) => void> = [];
  const observer = new QueryObserver<string[]>(queryClient, {
    queryKey: queryKeys.rules,
    queryFn: () => new Promise((resolve) => replies.push(resolve)),
  });
  const unsubscribe = observer.subscribe(() => {});
  const refetched = refetchQueries(queryKeys.rules);
  await vi.waitFor(() => expect(replies).toHaveLength(2));
  replies[0]?.([]);
  replies[1]?.(["Bash(make *)"]);
  await refetched;

  expect(queryClient.getQueryData(queryKeys.rules)).toEqual(["Bash(make *)"]);
  unsubscribe();
});
