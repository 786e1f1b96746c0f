/** A terminal of the person; commands of agents run beside it and are drawn into it. */
import { useAgentContext } from "assent-sdk/react";
import { useEffect, useRef, useState } from "react";
import { API_PREFIX } from "@/api/http";
import { questionHeadline } from "@/inbox/question";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/states";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import { HeldNumber } from "../dock/HeldNumber";
import { placeOf, useHeldCalls } from "../dock/heldCalls";
import type { PaneProps } from "../panes/kinds";
import { useReach } from "../panes/StatusPane";
import { useWorkbench } from "../services";
import { AgentOutput } from "./agentOutput";
import { createEmulator, type Emulator } from "./emulator";

const MAX_CONTEXT_LINES = 200;

type Frame =
  | { type: "opened"; terminal: string; shared: boolean }
  | { type: "output"; text: string; agent?: boolean }
  | { type: "started"; command: string }
  | { type: "ended"; status: number | null }
  | { type: "exited"; status: number | null }
  | { type: "error"; detail: string };

export default function TerminalPane({ pane }: PaneProps) {
  const t = useTranslate();
  const reach = useReach();
  const { documents } = useWorkbench();
  if (reach.data && !reach.data.terminal) return <EmptyState icon="lock" title={t("terminalOff")} />;
  if (!documents.root) return <EmptyState icon="folder" title={t("noRoot")} />;
  // A pane that was opened with the name of a root starts a terminal there.
  const named = reach.data?.roots.find((one) => one.name === pane.resource)?.name;
  return (
    <OpenTerminal paneId={pane.id} terminalId={named ? "" : pane.resource} root={named ?? documents.root} />
  );
}

function OpenTerminal({
  paneId,
  terminalId,
  root: wanted,
}: {
  paneId: string;
  terminalId: string;
  root: string;
}) {
  const t = useTranslate();
  // The pane shows the id of the terminal once it is open; its root does not change.
  const [root] = useState(wanted);
  const { layout, conversation, documents } = useWorkbench();
  const place = useRef<HTMLDivElement>(null);
  const emulator = useRef<Emulator | null>(null);
  const socket = useRef<WebSocket | null>(null);
  const [agentOutput] = useState(() => new AgentOutput());
  const [state, setState] = useState({ command: "", status: "" as "" | "exited" | "lost", detail: "" });
  const [shared, setShared] = useState(false);
  const [attempt, setAttempt] = useState(0);
  // Only what agents' commands wrote, unless the person shares the terminal.
  useAgentContext(() => ({
    terminal: terminalId || null,
    running: state.command || null,
    shared,
    output: shared ? screenLines(emulator.current).join("\n") : agentOutput.lastLines(MAX_CONTEXT_LINES),
  }));

  // biome-ignore lint/correctness/useExhaustiveDependencies: the id is written by this connection
  useEffect(() => {
    const parent = place.current;
    if (!parent || !root) return;
    const made = createEmulator(parent, t("terminalInput"));
    emulator.current = made;
    const { terminal, fit } = made;
    const address = new URL(`${API_PREFIX}terminals/stream`, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const opened = new WebSocket(address);
    socket.current = opened;
    const send = (frame: object) => {
      if (opened.readyState === WebSocket.OPEN) opened.send(JSON.stringify(frame));
    };
    const size = () => ({ columns: Math.max(2, terminal.cols), rows: Math.max(1, terminal.rows) });
    const resize = () => {
      if (parent.offsetWidth === 0) return;
      fit.fit();
      send({ type: "resize", ...size() });
    };
    opened.onopen = () => {
      if (parent.offsetWidth > 0) fit.fit();
      send(
        terminalId
          ? { type: "attach", terminal: terminalId, ...size() }
          : { type: "open", root, path: "/", ...size() },
      );
    };
    opened.onmessage = (event) => {
      const frame = JSON.parse(String(event.data)) as Frame;
      switch (frame.type) {
        case "opened":
          layout.setResource(paneId, frame.terminal);
          setShared(frame.shared);
          return setState({ command: "", status: "", detail: "" });
        case "output":
          if (frame.agent) agentOutput.add(frame.text);
          return terminal.write(frame.text);
        case "started":
          return setState({ command: frame.command, status: "", detail: "" });
        case "ended":
          return setState({ command: "", status: "", detail: "" });
        case "exited":
          layout.setResource(paneId, "");
          return setState({ command: "", status: "exited", detail: "" });
        case "error":
          // A terminal that has ended cannot be attached to; the next attempt opens a new one.
          layout.setResource(paneId, "");
          return setState({ command: "", status: "lost", detail: frame.detail });
      }
    };
    opened.onclose = () =>
      setState((now) => (now.status ? now : { command: "", status: "lost", detail: "" }));
    const typed = terminal.onData((text) => {
      for (let at = 0; at < text.length; at += 8_000)
        send({ type: "input", text: text.slice(at, at + 8_000) });
    });
    const observer = new ResizeObserver(resize);
    observer.observe(parent);
    return () => {
      observer.disconnect();
      typed.dispose();
      opened.onclose = null;
      opened.close();
      made.dispose();
    };
  }, [root, attempt]);

  const held = useHeldCalls(conversation.id).filter(({ approval }) => {
    const found = placeOf(approval, documents.root);
    return found?.kind === "terminal" && (found.resource === "" || found.resource === terminalId);
  });
  return (
    <>
      {state.command && (
        <div className="editor-bar">
          <span className="meta">{t("agentRuns")}</span>
          <code className="grow truncate">
            <VisibleText text={state.command} />
          </code>
        </div>
      )}
      <div ref={place} className="terminal-place" />
      {held.map(({ approval, number }) => (
        <div key={approval.id} className="held-line tone-ask">
          <HeldNumber number={number} />
          <code className="grow truncate">
            <VisibleText text={questionHeadline(approval)} />
          </code>
          <b className="tinted font-semibold whitespace-nowrap">{t("heldNotSent")}</b>
        </div>
      ))}
      <div className="pane-foot">
        {state.status ? (
          <>
            <span className="grow truncate text-ask">
              {t(state.status === "exited" ? "terminalExited" : "terminalLost")} {state.detail}
            </span>
            <Button small onClick={() => setAttempt(attempt + 1)}>
              {t("openAgain")}
            </Button>
          </>
        ) : (
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              className="tick"
              checked={shared}
              onChange={(event) => {
                setShared(event.target.checked);
                socket.current?.send(JSON.stringify({ type: "share", shared: event.target.checked }));
              }}
            />
            {t("shareTerminal")}
          </label>
        )}
      </div>
    </>
  );
}

/** The lines that the terminal shows and keeps. */
function screenLines(emulator: Emulator | null): string[] {
  const buffer = emulator?.terminal.buffer.active;
  if (!buffer) return [];
  const from = Math.max(0, buffer.length - MAX_CONTEXT_LINES);
  return Array.from(
    { length: buffer.length - from },
    (_, at) => buffer.getLine(from + at)?.translateToString(true) ?? "",
  );
}
