/** The rows of the file tree: directories that are open, kept up to date by the server's watch. */
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { API_PREFIX } from "@/api/http";
import { type FileEntry, listFiles } from "../api";

export type FileRow = FileEntry & { path: string; depth: number; open: boolean };

const RETRY_MS = 3_000;

export const parentOf = (path: string) => path.slice(0, path.lastIndexOf("/"));

/** The rows of all open directories below a path, in order: directories first, then by name. */
export function treeRows(
  listings: ReadonlyMap<string, readonly FileEntry[]>,
  open: ReadonlySet<string>,
  path = "",
  depth = 0,
): FileRow[] {
  const entries = [...(listings.get(path) ?? [])].toSorted(
    (one, other) =>
      Number(other.kind === "directory") - Number(one.kind === "directory") ||
      one.name.localeCompare(other.name),
  );
  return entries.flatMap((entry) => {
    const here = `${path}/${entry.name}`;
    const isOpen = entry.kind === "directory" && open.has(here);
    const row = { ...entry, path: here, depth, open: isOpen };
    return isOpen ? [row, ...treeRows(listings, open, here, depth + 1)] : [row];
  });
}

/** The tree of a root; the path of the root itself is empty. */
export function useFileTree(root: string) {
  const [listings, setListings] = useState<ReadonlyMap<string, readonly FileEntry[]>>(new Map());
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [problem, setProblem] = useState("");
  const shown = useMemo(() => ["", ...open], [open]);
  const list = useCallback(
    async (path: string) => {
      if (!root) return;
      try {
        const { entries } = await listFiles(root, path || "/");
        setListings((now) => new Map(now).set(path, entries));
        if (path === "") setProblem("");
      } catch (error) {
        if (path === "") setProblem(error instanceof Error ? error.message : String(error));
        // The directory is gone.
        else setOpen((now) => new Set([...now].filter((one) => one !== path)));
      }
    },
    [root],
  );
  const refresh = useCallback(() => {
    for (const path of shown) void list(path);
  }, [shown, list]);
  useEffect(() => void list(""), [list]);
  useWatch(root, shown, list);
  const toggle = (path: string) => {
    const isOpen = open.has(path);
    setOpen((now) => new Set(isOpen ? [...now].filter((one) => one !== path) : [...now, path]));
    if (!isOpen) void list(path);
  };
  const rows = useMemo(() => treeRows(listings, open), [listings, open]);
  return { rows, problem, toggle, refresh };
}

/** Let the server report changes of the directories that are shown. */
function useWatch(root: string, paths: readonly string[], changed: (path: string) => void) {
  const socket = useRef<WebSocket | null>(null);
  const latest = useRef(paths);
  latest.current = paths;
  useEffect(() => {
    if (!root) return;
    let stopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const connect = () => {
      const address = new URL(`${API_PREFIX}files/watch`, location.href);
      address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
      const opened = new WebSocket(address);
      socket.current = opened;
      opened.onopen = () => sendWatch(opened, root, latest.current);
      opened.onmessage = (event) => {
        const frame = JSON.parse(String(event.data)) as { type: string; path?: string };
        if (frame.type === "changed") changed(frame.path === "/" ? "" : (frame.path ?? ""));
      };
      opened.onclose = () => {
        if (!stopped) timer = setTimeout(connect, RETRY_MS);
      };
    };
    connect();
    return () => {
      stopped = true;
      clearTimeout(timer);
      socket.current?.close();
    };
  }, [root, changed]);
  useEffect(() => {
    if (socket.current?.readyState === WebSocket.OPEN) sendWatch(socket.current, root, paths);
  }, [root, paths]);
}

function sendWatch(socket: WebSocket, root: string, paths: readonly string[]) {
  const directories = paths.slice(0, 200).map((path) => ({ root, path: path || "/" }));
  socket.send(JSON.stringify({ type: "watch", directories }));
}
