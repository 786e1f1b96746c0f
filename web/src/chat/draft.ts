/** Drafts: typed text that the server has not stored yet. It survives a reload and is sent under one id. */
import { useCallback, useState } from "react";

/** An id belongs to one content; changed content gets a new id. */
type Draft = { text: string; content?: string; id?: string };

const EMPTY: Draft = { text: "" };
/** For browsers without storage. */
const memory = new Map<string, string>();
const storageKey = (place: string) => `assent.draft.${place}`;

export function useDraft(place: string) {
  const [draft, setDraft] = useState(() => read(place));
  const change = useCallback(
    (next: Draft) => {
      write(place, next);
      setDraft(next);
    },
    [place],
  );
  return {
    text: draft.text,
    setText: (text: string) => change({ ...read(place), text }),
    /** The id for this content, the same when it is sent again after a lost response. */
    idFor: (content: string): string => {
      const now = read(place);
      if (now.id && now.content === content) return now.id;
      const id = createId();
      change({ ...now, content, id });
      return id;
    },
    /** Call when the server has stored the message. */
    clear: () => change(EMPTY),
  };
}

export function createId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (one) => one.toString(16).padStart(2, "0")).join("");
}

function read(place: string): Draft {
  try {
    return JSON.parse(readStored(storageKey(place)) ?? "null") ?? EMPTY;
  } catch {
    return EMPTY;
  }
}

function write(place: string, draft: Draft) {
  const name = storageKey(place);
  const text = draft.text || draft.id ? JSON.stringify(draft) : null;
  try {
    if (text === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    if (text === null) memory.delete(name);
    else memory.set(name, text);
  }
}

function readStored(name: string): string | null {
  try {
    return sessionStorage.getItem(name) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}
