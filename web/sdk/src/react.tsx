/** Hooks of React for declarations that live as long as a component. */
import { createContext, type ReactNode, use, useEffect, useRef, useSyncExternalStore } from "react";
import type { ConnectionState, PageConnection } from "./connection";
import type { AgentToolDecl, CommandDecl, ContextFile, ContextProvider } from "./declarations";
import { ToolRegistry } from "./registry";

const RegistryContext = createContext<ToolRegistry>(new ToolRegistry());
const PaneInstanceContext = createContext("");

/** Gives a part of the page its registry. */
export function PageTools({ registry, children }: { registry: ToolRegistry; children: ReactNode }) {
  return <RegistryContext value={registry}>{children}</RegistryContext>;
}

/** Tells the components of a pane which instance they belong to. */
export function PaneInstance({ id, children }: { id: string; children: ReactNode }) {
  return <PaneInstanceContext value={id}>{children}</PaneInstanceContext>;
}

export const useToolRegistry = () => use(RegistryContext);
export const usePaneInstance = () => use(PaneInstanceContext);

/** Lets an agent read what this pane shows; the provider is called only when an agent asks.
 *
 * `file` names the file of the workspace whose text the pane shows, so that its rules apply. */
export function useAgentContext(provider: ContextProvider, file: () => ContextFile | null = () => null) {
  const registry = useToolRegistry();
  const instance = usePaneInstance();
  const latest = useRef({ provider, file });
  latest.current = { provider, file };
  useEffect(
    () =>
      registry.setContext(
        instance,
        () => latest.current.provider(),
        () => latest.current.file(),
      ),
    [registry, instance],
  );
}

/** Offers tools while the component is mounted, such as those of an open document.
 *
 * The handlers are always the latest; the definitions are declared again only if `version` changes. */
export function useAgentTools(tools: readonly AgentToolDecl[], version: string | number = "") {
  const registry = useToolRegistry();
  const latest = useRef(tools);
  latest.current = tools;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the definitions
  useEffect(
    () => registry.addTools(latest.current.map((tool) => withLatestHandler(tool, latest))),
    [registry, version],
  );
}

function withLatestHandler(
  tool: AgentToolDecl,
  latest: { current: readonly AgentToolDecl[] },
): AgentToolDecl {
  const find = () => latest.current.find((one) => one.name === tool.name) ?? tool;
  return { ...tool, handler: (args, call) => find().handler(args, call) };
}

/** Offers a command while the component is mounted. */
export function useCommand(command: CommandDecl) {
  const registry = useToolRegistry();
  const latest = useRef(command);
  latest.current = command;
  const { id } = command;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a command is known by its id
  useEffect(
    () => registry.addCommand({ ...latest.current, run: (args, call) => latest.current.run(args, call) }),
    [registry, id],
  );
}

/** The state of a connection; the component is drawn again when it changes. */
export const useConnectionState = (connection: PageConnection): ConnectionState =>
  useSyncExternalStore(connection.subscribe, () => connection.state);
