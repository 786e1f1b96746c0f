//#region sdk/src/declarations.ts
/** The verbs that change only the arrangement of panes; the server has their descriptions. */
var LAYOUT_VERBS = [
	"open_pane",
	"split_pane",
	"close_pane",
	"focus_pane",
	"switch_workspace"
];
//#endregion
//#region sdk/src/registry.ts
/** The registry: the tools that the page offers now, and the panes that are open now. */
var TOOL_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
var ToolRegistry = class {
	byName = /* @__PURE__ */ new Map();
	paneEntries = /* @__PURE__ */ new Map();
	commandEntries = /* @__PURE__ */ new Map();
	listeners = /* @__PURE__ */ new Set();
	/** Call the listener after each change of the tools. */
	subscribe = (listener) => {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	};
	/** Add a command; without `agent` it is not a tool. */
	addCommand(command) {
		const { agent, id, run } = command;
		const withdraw = agent ? this.add([{
			serialized: {
				name: id,
				...definitionOf(agent),
				kind: "command"
			},
			handler: run
		}]) : () => {};
		this.commandEntries.set(id, command);
		return () => {
			if (this.commandEntries.get(id) === command) this.commandEntries.delete(id);
			withdraw();
		};
	}
	addWidget = (widget) => this.addTools(widget.agentTools ?? []);
	addPanel = (panel) => this.addTools(panel.agentTools ?? []);
	/** Add tools that leave together, such as those of an open document. */
	addTools(tools) {
		return this.add(tools.map(({ handler, ...tool }) => ({
			serialized: {
				name: tool.name,
				...definitionOf(tool),
				kind: "agentTool"
			},
			handler
		})));
	}
	/** Offer the layout verbs that the page can carry out. */
	addLayout(verbs) {
		return this.add(LAYOUT_VERBS.flatMap((name) => {
			const handler = verbs[name];
			const serialized = {
				name,
				description: `Layout: ${name}`,
				kind: "layout"
			};
			return handler ? [{
				serialized,
				handler
			}] : [];
		}));
	}
	/** All commands of the page, for its own palette. */
	commands = () => [...this.commandEntries.values()];
	tools = () => [...this.byName.values()].map((tool) => tool.serialized);
	find = (name) => this.byName.get(name);
	openPane(decl) {
		if (this.paneEntries.has(decl.instanceId)) throw new Error(`pane \`${decl.instanceId}\` is already open`);
		const entry = {
			...decl,
			provider: null
		};
		this.paneEntries.set(decl.instanceId, entry);
		return {
			update: (changes) => Object.assign(entry, changes),
			setContext: (provider) => {
				entry.provider = provider;
				return () => {
					if (entry.provider === provider) entry.provider = null;
				};
			},
			close: () => {
				if (this.paneEntries.get(decl.instanceId) === entry) this.paneEntries.delete(decl.instanceId);
			}
		};
	}
	/** Give an open pane its context provider; a pane has one. */
	setContext(instanceId, provider) {
		const entry = this.paneEntries.get(instanceId);
		if (!entry) return () => {};
		entry.provider = provider;
		return () => {
			if (entry.provider === provider) entry.provider = null;
		};
	}
	panes = () => [...this.paneEntries.values()].map(({ provider, focused = false, ...pane }) => ({
		...pane,
		focused,
		hasContext: provider !== null
	}));
	/** What a pane shows now; throws for a pane that is not open or has no context. */
	readContext(instanceId) {
		const entry = this.paneEntries.get(instanceId);
		if (!entry) throw new Error(`no pane \`${instanceId}\` is open: list the open panes again`);
		if (!entry.provider) throw new Error(`pane \`${instanceId}\` has no context`);
		return entry.provider();
	}
	add(tools) {
		for (const { serialized } of tools) this.checkName(serialized.name, tools);
		const leaving = new AbortController();
		for (const tool of tools) this.byName.set(tool.serialized.name, {
			...tool,
			left: leaving.signal
		});
		if (tools.length > 0) this.announceChange();
		return () => {
			if (leaving.signal.aborted) return;
			leaving.abort(/* @__PURE__ */ new Error("the pane that offered this tool was closed"));
			for (const { serialized } of tools) this.byName.delete(serialized.name);
			if (tools.length > 0) this.announceChange();
		};
	}
	checkName(name, added) {
		if (!TOOL_NAME.test(name)) throw new TypeError(`invalid tool name \`${name}\`: use letters, digits, \`_\`, \`.\` and \`-\``);
		if (added.filter((one) => one.serialized.name === name).length > 1 || this.byName.has(name)) throw new Error(`tool \`${name}\` is already declared`);
	}
	announceChange() {
		for (const listener of this.listeners) listener();
	}
};
/** The fields of a definition that are present, so that none is sent as undefined. */
function definitionOf({ description, params, sideEffect, specifierTemplate }) {
	return {
		description,
		...params ? { params } : {},
		...sideEffect ? { sideEffect } : {},
		...specifierTemplate === void 0 ? {} : { specifierTemplate }
	};
}
//#endregion
export { LAYOUT_VERBS as n, ToolRegistry as t };
