/** Where the person is. Routes live behind `#`, so that any path can serve the app and no link reaches a log. */
import { useRef, useSyncExternalStore } from "react";

export const PAGES = ["inbox", "chat", "agents", "rules", "history", "settings", "login"] as const;
export type PageName = (typeof PAGES)[number];
export type Route = { page: PageName; id: string };

export function routeOf(hash: string): Route {
  // A log-in link has nothing but its secret behind the `#`.
  if (/^#assent_\w+/.test(hash)) return { page: "login", id: hash.slice(1) };
  const [, name = "", id = ""] = hash.split("/");
  const page = PAGES.find((one) => one === name) ?? "inbox";
  return { page, id: decoded(id) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export const linkTo = (page: PageName, id = "") => `#/${page}${id && `/${encodeURIComponent(id)}`}`;

export function go(page: PageName, id = "") {
  location.hash = linkTo(page, id);
}

/** Go there without a step that "back" would return to. */
export function slip(page: PageName, id = "") {
  history.replaceState(null, "", `./${linkTo(page, id)}`);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Whether the person is still there. */
export const isHere = (page: PageName, id: string) => current().page === page && current().id === id;

let seen = "";
let route: Route = routeOf("");

function current(): Route {
  if (location.hash !== seen) {
    seen = location.hash;
    route = routeOf(seen);
  }
  return route;
}

export const useRoute = () =>
  useSyncExternalStore((listener) => {
    addEventListener("hashchange", listener);
    return () => removeEventListener("hashchange", listener);
  }, current);

/** The id in the address of a page. While another page loads, this one keeps the id that it had. */
export function usePageId(page: PageName): string {
  const route = useRoute();
  const last = useRef("");
  if (route.page === page) last.current = route.id;
  return last.current;
}
