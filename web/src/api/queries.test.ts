import { afterEach, expect, test, vi } from "vitest";
import * as samples from "@/test/samples";
import { client, keys, replacePending, updatePendingList } from "./queries";
import type { Approval } from "./types";

const ids = () => client.getQueryData<Approval[]>(keys.pending)?.map((one) => [one.id, one.state]);
const reply = (status: number, body: unknown) =>
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify(body), { status }));

afterEach(() => {
  client.clear();
  vi.unstubAllGlobals();
});

test("a question that was answered during a break stays in the list with its answer", async () => {
  const answered = samples.approval({ args: { command: "make one" } });
  const open = samples.approval({ args: { command: "make two" } });
  client.setQueryData(keys.pending, [answered]);
  reply(200, { ...answered, state: "denied" });
  await replacePending([open]);

  expect(ids()).toEqual([
    [open.id, "pending"],
    [answered.id, "denied"],
  ]);
});

test("a question that is gone after a break leaves the list", async () => {
  const open = samples.approval({ args: { command: "make two" } });
  client.setQueryData(keys.pending, [samples.approval({ args: { command: "make one" } })]);
  reply(404, { title: "not found", status: 404 });
  await replacePending([open]);

  expect(ids()).toEqual([[open.id, "pending"]]);
});

test("a question that arrives while the list is replaced is in the list", async () => {
  const open = samples.approval({ args: { command: "make one" } });
  const asked = samples.approval({ args: { command: "make two" } });
  const replaced = replacePending([open]);
  updatePendingList(asked);
  await replaced;

  expect(ids()).toEqual([
    [open.id, "pending"],
    [asked.id, "pending"],
  ]);
});

test("an answer that arrives while the list is replaced is not undone", async () => {
  const open = samples.approval({ args: { command: "make one" } });
  client.setQueryData(keys.pending, [open]);
  const replaced = replacePending([open]);
  updatePendingList({ ...open, state: "denied" });
  await replaced;

  expect(ids()).toEqual([[open.id, "denied"]]);
});
