/** The files and terminals of the server, and the calls of agents that the gate let run. */
import type { ToolCall, ToolHandler } from "assent-sdk";
import { getJson, postJson, queryString } from "@/api/http";

export type Root = { name: string; directory: string; own: boolean };
export type Reach = {
  files: boolean;
  terminal: boolean;
  local_only: boolean;
  roots: Root[];
  /** The version of the server; absent in older ones. */
  version?: string;
};
export type FileEntry = {
  name: string;
  kind: "file" | "directory" | "link" | "other";
  size: number;
  modified: string;
  target: string | null;
};
export type Listing = { root: string; path: string; truncated: boolean; entries: FileEntry[] };
export type FileContent = {
  root: string;
  path: string;
  size: number;
  modified: string;
  digest: string;
  binary: boolean;
  text: string | null;
};
export type FileChange = Omit<FileContent, "text">;
export type TerminalInfo = { id: string; root: string; path: string; busy: boolean; shared: boolean };

export const fetchReach = () => getJson<Reach>("workbench");
export const listFiles = (root: string, path: string) =>
  getJson<Listing>(`files${queryString({ root, path })}`);
export const readFile = (root: string, path: string) =>
  getJson<FileContent>(`files/content${queryString({ root, path })}`);
export const createFile = (root: string, path: string, kind: "file" | "directory", content = "") =>
  postJson<FileChange>("files/create", { root, path, kind, ...(kind === "file" ? { content } : {}) });
export const writeFile = (root: string, path: string, content: string, digest: string) =>
  postJson<FileChange>("files/write", { root, path, content, digest });
export const renameFile = (root: string, path: string, to: string) =>
  postJson<FileChange>("files/rename", { root, path, to });
export const deleteFile = (root: string, path: string) =>
  postJson<FileChange>("files/delete", { root, path });

const HEARTBEAT_MS = 10_000;

/** Have the server carry out a call that the gate let run; the ticket is valid once, for these arguments. */
export async function redeemTicket(
  tool: string,
  args: Record<string, unknown>,
  call: ToolCall,
  more: Record<string, unknown> = {},
): Promise<unknown> {
  if (!call.ticket) throw new Error("this call came without a ticket: the server did not let it run");
  // A command may be silent for longer than a call may be.
  const heartbeat = setInterval(() => call.progress(), HEARTBEAT_MS);
  try {
    const body = { ticket: call.ticket, tool, args, ...more };
    return (await postJson<{ value: unknown }>("workbench/calls", body)).value;
  } finally {
    clearInterval(heartbeat);
  }
}

/** The handler of a tool that the server carries out without anything of the page. */
export const onServer =
  (tool: string): ToolHandler =>
  (args, call) =>
    redeemTicket(tool, args, call);
