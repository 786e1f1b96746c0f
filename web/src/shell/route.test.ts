import { renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { extractSecret } from "./Login";
import { linkTo, parseRoute, replaceRoute, usePageId } from "./route";

test.each([
  ["", { page: "inbox", id: "" }],
  ["#/rules", { page: "rules", id: "" }],
  ["#/inbox/0af3", { page: "inbox", id: "0af3" }],
  ["#/nowhere/x", { page: "inbox", id: "x" }],
  ["#/inbox/%E0%A4%A", { page: "inbox", id: "" }],
  ["#assent_l_secret-of_a-link", { page: "login", id: "assent_l_secret-of_a-link" }],
])("%s leads to %o", (hash, route) => {
  expect(parseRoute(hash)).toEqual(route);
});

test("a link keeps all characters of an id", () => {
  expect(parseRoute(linkTo("rules", "terminal.exec(a/b *)"))).toEqual({
    page: "rules",
    id: "terminal.exec(a/b *)",
  });
});

test.each([
  "assent_l_abc",
  " https://host.example/login#assent_l_abc ",
  "https://host.example/#/login/assent_l_abc",
])("the secret in %s is the link's", (text) => {
  expect(extractSecret(text)).toBe("assent_l_abc");
});

test("a page keeps its id while another page loads", () => {
  replaceRoute("inbox", "0af3");
  const inbox = renderHook(() => usePageId("inbox"));
  replaceRoute("agents", "porter");
  inbox.rerender();

  expect(inbox.result.current).toBe("0af3");
});
