/** The route of the page. It is in the hash, so that any path can serve the app and no link appears in a log. */
import { useRef, useSyncExternalStore } from "react";

export const PAGES = [
  "inbox",
  "chat",
  "workbench",
  "agents",
  "rules",
  "history",
  "settings",
  "login",
] as const;
export type PageName = (typeof PAGES)[number];
export type Route = { page: PageName; id: string };

export function parseRoute(hash: string): Route {
  // A sign-in link contains only its secret in the hash.
  if (/^#assent_\w+/.test(hash)) return { page: "login", id: hash.slice(1) };
  const [, name = "", id = ""] = hash.split("/");
  const page = PAGES.find((one) => one === name) ?? "inbox";
  return { page, id: decodeId(id) };
}

function decodeId(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export const linkTo = (page: PageName, id = "") => `#/${page}${id && `/${encodeURIComponent(id)}`}`;

export function navigate(page: PageName, id = "") {
  location.hash = linkTo(page, id);
}

/** Change the route without a new entry in the browser history. */
export function replaceRoute(page: PageName, id = "") {
  history.replaceState(null, "", `./${linkTo(page, id)}`);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Whether this is still the current route. */
export const isCurrent = (page: PageName, id: string) =>
  currentRoute().page === page && currentRoute().id === id;

let lastHash = "";
let lastRoute: Route = parseRoute("");

function currentRoute(): Route {
  if (location.hash !== lastHash) {
    lastHash = location.hash;
    lastRoute = parseRoute(lastHash);
  }
  return lastRoute;
}

export const useRoute = () =>
  useSyncExternalStore((listener) => {
    addEventListener("hashchange", listener);
    return () => removeEventListener("hashchange", listener);
  }, currentRoute);

/** The id in the route of a page. While another page loads, this page keeps its last id. */
export function usePageId(page: PageName): string {
  const route = useRoute();
  const last = useRef("");
  if (route.page === page) last.current = route.id;
  return last.current;
}
