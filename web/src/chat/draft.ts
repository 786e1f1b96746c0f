/** Drafts: typed text that the server has not stored yet. It survives a reload and is sent under one id. */
import { useCallback, useState } from "react";

/** A typed text and the id of its message; a changed text gets a new id. */
type MessageDraft = { text: string; content?: string; id?: string };

const EMPTY_MESSAGE_DRAFT: MessageDraft = { text: "" };
/** Keeps drafts in browsers without local storage. */
const draftsWithoutStorage = new Map<string, string>();
const draftStorageKey = (place: string) => `assent.draft.${place}`;

export function useDraft(place: string) {
  const [draft, setDraft] = useState(() => readDraft(place));
  const change = useCallback(
    (next: MessageDraft) => {
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
      const id = createMessageId();
      change({ ...now, content, id });
      return id;
    },
    /** Call when the server has stored the message. */
    clear: () => change(EMPTY_MESSAGE_DRAFT),
  };
}

export function createMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (one) => one.toString(16).padStart(2, "0")).join("");
}

function readDraft(place: string): MessageDraft {
  try {
    return JSON.parse(readStoredText(draftStorageKey(place)) ?? "null") ?? EMPTY_MESSAGE_DRAFT;
  } catch {
    return EMPTY_MESSAGE_DRAFT;
  }
}

function writeDraft(place: string, draft: MessageDraft) {
  const name = draftStorageKey(place);
  const text = draft.text || draft.id ? JSON.stringify(draft) : null;
  try {
    if (text === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    if (text === null) draftsWithoutStorage.delete(name);
    else draftsWithoutStorage.set(name, text);
  }
}

function readStoredText(name: string): string | null {
  try {
    return sessionStorage.getItem(name) ?? draftsWithoutStorage.get(name) ?? null;
  } catch {
    return draftsWithoutStorage.get(name) ?? null;
  }
}
