/** What is typed and not yet stored by the server: it outlives its page, and is sent under one id. */
import { useCallback, useState } from "react";

/** An id belongs to what was sent under it; other content gets another. */
type Draft = { text: string; content?: string; id?: string };

const EMPTY: Draft = { text: "" };
/** For browsers that keep nothing. */
const kept = new Map<string, string>();
const nameOf = (place: string) => `assent.draft.${place}`;

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
    /** The id under which this is sent, also when it is sent again because nobody heard the answer. */
    idFor: (content: string): string => {
      const now = read(place);
      if (now.id && now.content === content) return now.id;
      const id = freshId();
      change({ ...now, content, id });
      return id;
    },
    /** The server has it. */
    clear: () => change(EMPTY),
  };
}

export function freshId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (one) => one.toString(16).padStart(2, "0")).join("");
}

function read(place: string): Draft {
  try {
    return JSON.parse(stored(nameOf(place)) ?? "null") ?? EMPTY;
  } catch {
    return EMPTY;
  }
}

function write(place: string, draft: Draft) {
  const name = nameOf(place);
  const text = draft.text || draft.id ? JSON.stringify(draft) : null;
  try {
    if (text === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    if (text === null) kept.delete(name);
    else kept.set(name, text);
  }
}

function stored(name: string): string | null {
  try {
    return sessionStorage.getItem(name) ?? kept.get(name) ?? null;
  } catch {
    return kept.get(name) ?? null;
  }
}
