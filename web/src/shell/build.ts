/** Which build of the app this page is, and whether the server has another by now. */

const ENTRY = 'script[type="module"][src]';
const RELOADED = "assent.reloaded";

/** The name of the first script, which holds a mark of all that is in the build. */
const entryOf = (page: ParentNode) => page.querySelector(ENTRY)?.getAttribute("src") ?? "";

/** The build that the server has, if it is another than this page's. */
export async function newerBuild(): Promise<string | null> {
  try {
    const reply = await fetch("./", { cache: "no-store", credentials: "same-origin" });
    if (!reply.ok) return null;
    const served = entryOf(new DOMParser().parseFromString(await reply.text(), "text/html"));
    return served && served !== entryOf(document) ? served : null;
  } catch {
    return null;
  }
}

/** Reload the page for a build, once: a build whose files are missing must not be loaded for ever. */
export function reloadFor(build: string): boolean {
  try {
    if (sessionStorage.getItem(RELOADED) === build) return false;
    sessionStorage.setItem(RELOADED, build);
  } catch {
    // A browser that keeps nothing cannot tell whether it reloaded before.
    return false;
  }
  location.reload();
  return true;
}
