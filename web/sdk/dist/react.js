import { t as ToolRegistry } from "./registry-C8bGdcL6.js";
import { createContext, use, useEffect, useRef, useSyncExternalStore } from "react";
import { jsx } from "react/jsx-runtime";
//#region sdk/src/react.tsx
/** Hooks of React for declarations that live as long as a component. */
var RegistryContext = createContext(new ToolRegistry());
var PaneInstanceContext = createContext("");
/** Gives a part of the page its registry. */
function PageTools({ registry, children }) {
	return /* @__PURE__ */ jsx(RegistryContext, {
		value: registry,
		children
	});
}
/** Tells the components of a pane which instance they belong to. */
function PaneInstance({ id, children }) {
	return /* @__PURE__ */ jsx(PaneInstanceContext, {
		value: id,
		children
	});
}
var useToolRegistry = () => use(RegistryContext);
var usePaneInstance = () => use(PaneInstanceContext);
/** Lets an agent read what this pane shows; the provider is called only when an agent asks. */
function useAgentContext(provider) {
	const registry = useToolRegistry();
	const instance = usePaneInstance();
	const latest = useRef(provider);
	latest.current = provider;
	useEffect(() => registry.setContext(instance, () => latest.current()), [registry, instance]);
}
/** Offers tools while the component is mounted, such as those of an open document.
*
* The handlers are always the latest; the definitions are declared again only if `version` changes. */
function useAgentTools(tools, version = "") {
	const registry = useToolRegistry();
	const latest = useRef(tools);
	latest.current = tools;
	useEffect(() => registry.addTools(latest.current.map((tool) => withLatestHandler(tool, latest))), [registry, version]);
}
function withLatestHandler(tool, latest) {
	const find = () => latest.current.find((one) => one.name === tool.name) ?? tool;
	return {
		...tool,
		handler: (args, call) => find().handler(args, call)
	};
}
/** Offers a command while the component is mounted. */
function useCommand(command) {
	const registry = useToolRegistry();
	const latest = useRef(command);
	latest.current = command;
	const { id } = command;
	useEffect(() => registry.addCommand({
		...latest.current,
		run: (args, call) => latest.current.run(args, call)
	}), [registry, id]);
}
/** The state of a connection; the component is drawn again when it changes. */
var useConnectionState = (connection) => useSyncExternalStore(connection.subscribe, () => connection.state);
//#endregion
export { PageTools, PaneInstance, useAgentContext, useAgentTools, useCommand, useConnectionState, usePaneInstance, useToolRegistry };
