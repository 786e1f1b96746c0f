/** Hooks of React for declarations that live as long as a component. */
import { type ReactNode } from "react";
import type { ConnectionState, PageConnection } from "./connection";
import type { AgentToolDecl, CommandDecl, ContextProvider } from "./declarations";
import { ToolRegistry } from "./registry";
/** Gives a part of the page its registry. */
export declare function PageTools({ registry, children }: {
    registry: ToolRegistry;
    children: ReactNode;
}): import("react").JSX.Element;
/** Tells the components of a pane which instance they belong to. */
export declare function PaneInstance({ id, children }: {
    id: string;
    children: ReactNode;
}): import("react").JSX.Element;
export declare const useToolRegistry: () => ToolRegistry;
export declare const usePaneInstance: () => string;
/** Lets an agent read what this pane shows; the provider is called only when an agent asks. */
export declare function useAgentContext(provider: ContextProvider): void;
/** Offers tools while the component is mounted, such as those of an open document.
 *
 * The handlers are always the latest; the definitions are declared again only if `version` changes. */
export declare function useAgentTools(tools: readonly AgentToolDecl[], version?: string | number): void;
/** Offers a command while the component is mounted. */
export declare function useCommand(command: CommandDecl): void;
/** The state of a connection; the component is drawn again when it changes. */
export declare const useConnectionState: (connection: PageConnection) => ConnectionState;
