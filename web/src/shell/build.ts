/** Whether the server has a newer build of the app than this page. */

const ENTRY_SCRIPT_SELECTOR = 'script[type="module"][src]';
const RELOADED_KEY = "assent.reloaded";

/** The path of the first script; its hash identifies the build. */
const entryScriptPath = (page: ParentNode) =>
  page.querySelector(ENTRY_SCRIPT_SELECTOR)?.getAttribute("src") ?? "";

/** The server's build if it differs from this page's. */
export async function findNewerBuild(): Promise<string | null> {
  try {
    const reply = await fetch("./", { cache: "no-store", credentials: "same-origin" });
    if (!reply.ok) return null;
    const served = entryScriptPath(new DOMParser().parseFromString(await reply.text(), "text/html"));
    return served && served !== entryScriptPath(document) ? served : null;
  } catch {
    return null;
  }
}

/** Reload the page once per build, so that a build with missing files does not reload forever. */
export function reloadOnce(build: string): boolean {
  try {
    if (sessionStorage.getItem(RELOADED_KEY) === build) return false;
    sessionStorage.setItem(RELOADED_KEY, build);
  } catch {
    // Without storage we cannot know whether the page was reloaded before.
    return false;
  }
  location.reload();
  return true;
}
