import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { watchWindowReturn } from "@/keys/windowReturn";
import { App } from "./app";
import "./style.css";

// The chat's library checks types with zod, which would compile functions from text. The page's content
// security policy forbids that and would report each attempt.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

watchWindowReturn(window);
clearReloadMark();
const root = document.getElementById("app");
if (root) {
  // React reports errors here that it recovered from, such as a page whose code was loaded at a second attempt.
  createRoot(root, { onRecoverableError: () => undefined }).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

/** The app has loaded, so the inline script may reload the page again after a later failure. */
function clearReloadMark() {
  try {
    sessionStorage.removeItem("assent.rescued");
  } catch {
    // Without storage there is no mark to clear.
  }
}
