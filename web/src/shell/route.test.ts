import { renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { secretIn } from "./Login";
import { linkTo, routeOf, slip, usePageId } from "./route";

test.each([
  ["", { page: "inbox", id: "" }],
  ["#/rules", { page: "rules", id: "" }],
  ["#/inbox/0af3", { page: "inbox", id: "0af3" }],
  ["#/nowhere/x", { page: "inbox", id: "x" }],
  ["#/inbox/%E0%A4%A", { page: "inbox", id: "" }],
  ["#assent_l_secret-of_a-link", { page: "login", id: "assent_l_secret-of_a-link" }],
])("%s leads to %o", (hash, route) => {
  expect(routeOf(hash)).toEqual(route);
});

test("a link leads to what it names, whatever characters that has", () => {
  expect(routeOf(linkTo("rules", "terminal.exec(a/b *)"))).toEqual({
    page: "rules",
    id: "terminal.exec(a/b *)",
  });
});

test.each([
  "assent_l_abc",
  " https://host.example/login#assent_l_abc ",
  "https://host.example/#/login/assent_l_abc",
])("the secret in %s is the link's", (text) => {
  expect(secretIn(text)).toBe("assent_l_abc");
});

test("a page keeps its id while another page loads", () => {
  slip("inbox", "0af3");
  const inbox = renderHook(() => usePageId("inbox"));
  slip("agents", "porter");
  inbox.rerender();

  expect(inbox.result.current).toBe("0af3");
});
