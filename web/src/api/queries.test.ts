import { afterEach, expect, test, vi } from "vitest";
import * as samples from "@/test/samples";
import { client, keys, replacePending } from "./queries";
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
