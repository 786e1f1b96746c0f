/** The open documents: their text on disk and in the editor, shared by all panes. */
import { useCallback, useSyncExternalStore } from "react";
import { ProblemError } from "@/api/http";
import { type FileContent, readFile, writeFile } from "../api";

/** A file of the workbench: its root, and its path from there. */
export type FilePlace = { root: string; path: string };

/** What a pane of a file shows: its path, and before it the name of its root if that is not the first. */
export const resourceOf = ({ root, path }: FilePlace, firstRoot: string) =>
  root === "" || root === firstRoot ? path : `${root}:${path}`;

/** The file that a pane shows; a name of a root has no slash. */
export function placeOfResource(resource: string, firstRoot: string): FilePlace {
  const end = resource.indexOf(":/");
  if (resource.startsWith("/") || end < 0) return { root: firstRoot, path: resource };
  return { root: resource.slice(0, end), path: resource.slice(end + 1) };
}

/** A change that an agent proposed, and that nobody has accepted yet. */
export type Proposal = {
  id: string;
  text: string;
  accept: () => Promise<void>;
  decline: () => void;
};

export type OpenDocument = {
  /** Its resource: the path, after the name of its root if that is not the first. */
  path: string;
  status: "loading" | "ready" | "failed" | "binary";
  /** Why it could not be read or saved. */
  problem: string;
  /** The text on disk when it was read, and its digest. */
  saved: string;
  digest: string;
  /** The text in the editor. */
  text: string;
  dirty: boolean;
  /** Whether the file changed on disk while the editor has other changes. */
  stale: boolean;
  proposal: Proposal | null;
};

const ABSENT: Omit<OpenDocument, "path"> = {
  status: "loading",
  problem: "",
  saved: "",
  digest: "",
  text: "",
  dirty: false,
  stale: false,
  proposal: null,
};

export class DocumentStore {
  private readonly documents = new Map<string, OpenDocument>();
  private readonly listeners = new Set<() => void>();
  /** The root of paths without the name of a root. */
  root = "";
  /** Moves the cursor of an editor to a line, by document; returns the line. */
  readonly cursors = new Map<string, (line: number) => number>();

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };

  get = (path: string): OpenDocument | undefined => this.documents.get(path);
  place = (resource: string): FilePlace => placeOfResource(resource, this.root);
  get all(): OpenDocument[] {
    return [...this.documents.values()];
  }

  /** Read a file again; the text in the editor stays if it has changes. */
  async load(path: string): Promise<void> {
    if (!this.documents.has(path)) this.update(path, {});
    try {
      const place = this.place(path);
      this.take(path, await readFile(place.root, place.path));
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const isNew = error instanceof ProblemError && error.status === 404;
      this.update(path, { status: isNew ? "ready" : "failed", problem });
    }
  }

  edit(path: string, text: string) {
    const known = this.documents.get(path);
    if (known && known.text !== text) this.update(path, { text, dirty: text !== known.saved });
  }

  /** Replace the text in the editor by the one on disk. */
  async revert(path: string): Promise<void> {
    this.update(path, { dirty: false });
    await this.load(path);
  }

  /** Save what the person edited; refused if the file changed meanwhile. */
  async save(path: string): Promise<void> {
    const known = this.documents.get(path);
    if (!known) return;
    try {
      const place = this.place(path);
      const { digest } = await writeFile(place.root, place.path, known.text, known.digest);
      this.update(path, { digest, saved: known.text, dirty: false, stale: false, problem: "" });
    } catch (error) {
      const stale = error instanceof ProblemError && error.status === 409;
      this.update(path, { stale, problem: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  propose(path: string, proposal: Proposal) {
    this.update(path, { proposal });
  }
  withdraw(path: string, id: string) {
    if (this.documents.get(path)?.proposal?.id === id) this.update(path, { proposal: null });
  }

  close(path: string) {
    this.documents.delete(path);
    this.notify();
  }

  private take(path: string, { binary, text, digest }: FileContent) {
    const known = this.documents.get(path);
    if (binary || text === null) return this.update(path, { status: "binary", digest });
    const isSame = known?.digest === digest;
    if (known?.dirty && !isSame) return this.update(path, { stale: true });
    if (known?.dirty) return;
    this.update(path, {
      ...ABSENT,
      status: "ready",
      saved: text,
      text,
      digest,
      proposal: known?.proposal ?? null,
    });
  }

  private update(path: string, changes: Partial<OpenDocument>) {
    this.documents.set(path, { ...ABSENT, path, ...this.documents.get(path), ...changes });
    this.notify();
  }

  private notify() {
    for (const listener of this.listeners) listener();
  }
}

/** The document of a path, drawn again when it changes. */
export function useDocument(store: DocumentStore, path: string): OpenDocument | undefined {
  return useSyncExternalStore(
    store.subscribe,
    useCallback(() => store.get(path), [store, path]),
  );
}
