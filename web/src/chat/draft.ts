/** Drafts: typed text that the server has not stored yet. It survives a reload and is sent under one id. */
import { useCallback, useState } from "react";

/** A typed text and the id of its message; a changed text gets a new id. */
type Draft = { text: string; content?: string; id?: string };

const EMPTY_DRAFT: Draft = { text: "" };
/** Keeps drafts in browsers without local storage. */
const memoryStorage = new Map<string, string>();
const storageKey = (place: string) => `assent.draft.${place}`;

export function useDraft(place: string) {
  const [draft, setDraft] = useState(() => readDraft(place));
  const change = useCallback(
    (next: Draft) => {
      writeDraft(place, next);
      setDraft(next);
    },
    [place],
  );
  return {
    text: draft.text,
    setText: (text: string) => change({ ...readDraft(place), text }),
    /** The message id for this text; the same id is used when the message is sent again. */
    idFor: (content: string): string => {
      const now = readDraft(place);
      if (now.id && now.content === content) return now.id;
      const id = createId();
      change({ ...now, content, id });
      return id;
    },
    /** Call when the server has stored the message. */
    clear: () => change(EMPTY_DRAFT),
  };
}

export function createId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (one) => one.toString(16).padStart(2, "0")).join("");
}

function readDraft(place: string): Draft {
  try {
    return JSON.parse(readStored(storageKey(place)) ?? "null") ?? EMPTY_DRAFT;
  } catch {
    return EMPTY_DRAFT;
  }
}

function writeDraft(place: string, draft: Draft) {
  const name = storageKey(place);
  const text = draft.text || draft.id ? JSON.stringify(draft) : null;
  try {
    if (text === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    if (text === null) memoryStorage.delete(name);
    else memoryStorage.set(name, text);
  }
}

function readStored(name: string): string | null {
  try {
    return sessionStorage.getItem(name) ?? memoryStorage.get(name) ?? null;
  } catch {
    return memoryStorage.get(name) ?? null;
  }
}
