/** The id of a page, which it keeps while it reloads and which a duplicated tab does not share. */

const STORAGE_KEY = "assent.page";

/** Take the id that this tab left before its reload, or a new one. */
export function takePageId(): string {
  const kept = readStored();
  const id = kept ?? newPageId();
  // The stored id is removed while the page lives: a duplicated tab copies the storage.
  try {
    sessionStorage.removeItem(STORAGE_KEY);
    addEventListener("pagehide", () => sessionStorage.setItem(STORAGE_KEY, id));
  } catch {
    // Without storage, a reload makes a new page.
  }
  return id;
}

function readStored(): string | null {
  try {
    return sessionStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

const newPageId = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
