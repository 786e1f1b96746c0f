import { QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { queryClient } from "@/api/queries";
import type { Conversation } from "@/api/types";
import { Thread } from "./Thread";

afterEach(() => {
  vi.unstubAllGlobals();
  queryClient.clear();
});

const makeMessage = (id: string, role: "user" | "assistant", text: string) => ({
  id,
  role,
  parts: [{ type: "text", text }],
});

function renderThread() {
  const conversation = { id: "c", title: "", agent: "", owner: "ana", mode: "default", model: "" };
  render(
    <QueryClientProvider client={queryClient}>
      <Thread conversation={conversation as Conversation} />
    </QueryClientProvider>,
  );
}

test("an answer that ended between the history and the stream is shown", async () => {
  const looked: string[] = [];
  vi.stubGlobal("fetch", async (address: string | URL) => {
    const path = String(address);
    if (path.includes("/stream")) {
      looked.push("stream");
      return new Response(null, { status: 204 });
    }
    if (!path.includes("/messages")) return Response.json({ items: [] });
    looked.push("messages");
    const question = makeMessage("1", "user", "what is here?");
    const ended = looked.includes("stream");
    return Response.json({ items: ended ? [question, makeMessage("2", "assistant", "a file")] : [question] });
  });
  renderThread();

  await waitFor(() => expect(screen.getByText("a file")).toBeTruthy());
  expect(looked).toEqual(["messages", "stream", "messages"]);
});

test("a message that arrives while the history is read again stays", async () => {
  const question = makeMessage("1", "user", "what is here?");
  const again = Promise.withResolvers<void>();
  const looked: string[] = [];
  vi.stubGlobal("fetch", async (address: string | URL) => {
    const path = String(address);
    if (path.includes("/stream")) return new Response(null, { status: 204 });
    if (path.includes("/chat")) return new Response("data: [DONE]\n\n");
    if (!path.includes("/messages")) return Response.json({ items: [] });
    looked.push("messages");
    if (looked.length > 1) await again.promise;
    return Response.json({ items: [question] });
  });
  renderThread();

  await waitFor(() => expect(looked.length).toBe(2));
  fireEvent.change(screen.getByRole("textbox"), { target: { value: "and now?" } });
  fireEvent.keyDown(screen.getByRole("textbox"), { key: "Enter" });
  await waitFor(() => expect(screen.getByText("and now?", { selector: ":not(textarea)" })).toBeTruthy());
  again.resolve();
  await new Promise((resolve) => setTimeout(resolve, 50));

  expect(screen.getByText("and now?", { selector: ":not(textarea)" })).toBeTruthy();
});
