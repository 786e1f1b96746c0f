import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { SecretDialog } from "./SecretDialog";

afterEach(() => vi.unstubAllGlobals());

const copySecretWith = (clipboard: object | undefined) => {
  vi.stubGlobal("navigator", { ...navigator, language: "en", clipboard });
  render(<SecretDialog title="A token" value="ast_1" onClose={() => undefined} />);
  fireEvent.click(screen.getByRole("button", { name: "Copy" }));
};

test("copying a secret is confirmed", async () => {
  const written: string[] = [];
  copySecretWith({ writeText: async (text: string) => written.push(text) });

  await waitFor(() => expect(screen.getByRole("button", { name: "Copied" })).toBeTruthy());
  expect(written).toEqual(["ast_1"]);
});

test.each([
  ["there is no clipboard", undefined],
  ["the browser says no", { writeText: () => Promise.reject(new Error("no")) }],
])("a secret is not said to be copied where %s", async (_, clipboard) => {
  copySecretWith(clipboard);
  await new Promise((resolve) => setTimeout(resolve));

  expect(screen.getByRole("button", { name: "Copy" })).toBeTruthy();
});
