import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { watchWindow } from "@/keys/returned";
import { App } from "./app";
import "./style.css";

// The chat's library checks shapes with zod, which would try to make functions from text; the page's policy
// forbids that, and would say so each time.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

watchWindow(window);
forgetRescue();
const root = document.getElementById("app");
if (root) {
  // React reports here what it could mend: a page whose code had to be loaded again was drawn in the end.
  createRoot(root, { onRecoverableError: () => undefined }).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

/** The app has loaded: should it not another time, it may be loaded again. */
function forgetRescue() {
  try {
    sessionStorage.removeItem("assent.rescued");
  } catch {
    // There is nothing to forget.
  }
}
