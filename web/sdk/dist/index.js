import { n as LAYOUT_VERBS, t as ToolRegistry } from "./registry-C8bGdcL6.js";
//#region sdk/src/frames.ts
/** Texts in the parts of a frame, and JSON that fits into frames. */
/** Characters that a frame needs beside its text. */
var FRAME_OVERHEAD = 400;
/** Split a text so that each part, quoted as JSON, fits into a frame; no part splits a character. */
function splitText(text, maxFrame) {
	const budget = maxFrame - FRAME_OVERHEAD;
	const parts = [];
	let at = 0;
	while (at < text.length || parts.length === 0) {
		let end = Math.min(at + budget, text.length);
		while (JSON.stringify(text.slice(at, end)).length > budget) end = at + Math.max(2, Math.floor((end - at) * .7));
		if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
		parts.push(text.slice(at, end));
		at = end;
	}
	return parts;
}
var isHighSurrogate = (code) => code >= 55296 && code <= 56319;
/** The JSON of a value; half of a surrogate pair, which terminals cut off, is replaced. */
function toJsonText(value) {
	const text = JSON.stringify(value ?? null, (_key, part) => typeof part === "string" ? part.toWellFormed() : part);
	if (text === void 0) throw new TypeError("the result is not a JSON value");
	return text;
}
/** The SHA-256 of a text, in lower-case hexadecimal digits. */
async function digestOf(text) {
	const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
	return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
/** The message of anything that was thrown, at most this long. */
function errorText(error, most) {
	return ((error instanceof Error ? error.message : String(error)).toWellFormed() || "the tool failed").slice(0, most);
}
//#endregion
//#region sdk/src/protocol.ts
var SDK_NAME = "assent-sdk/0.1.0";
/** What applies until the server has sent its limits. */
var DEFAULT_LIMITS = {
	frame: 64e3,
	manifest: 2e6,
	tools: 1e3,
	value: 1e6,
	seconds: 30,
	total_seconds: 600,
	waiting_seconds: 3600
};
var MAX_ERROR_CHARACTERS = 4e3;
/** Close codes after which connecting again cannot help. */
var FINAL_CLOSE_CODES = {
	4401: "the credential is unknown, expired or revoked",
	4403: "this page may not do that",
	4404: "there is no such conversation",
	4409: "another connection of this page replaced this one"
};
//#endregion
//#region sdk/src/calls.ts
/** Ends a call before the server does, so that the model reads our reason. */
var MARGIN = .9;
var CallRunner = class {
	registry;
	send;
	limits;
	running = /* @__PURE__ */ new Map();
	constructor(registry, send, limits) {
		this.registry = registry;
		this.send = send;
		this.limits = limits;
	}
	async run(request) {
		if (this.running.has(request.id)) return;
		const tool = this.registry.find(request.tool);
		if (!tool) return this.sendError(request.id, /* @__PURE__ */ new Error(`this page no longer offers \`${request.tool}\``));
		const call = new RunningCall(request.id, tool, this.limits(), this.send);
		this.running.set(request.id, call);
		try {
			const value = await call.invoke(request);
			if (!call.isCancelled) this.sendValue(request, value);
		} catch (error) {
			if (!call.isCancelled) this.sendError(request.id, error);
		} finally {
			this.running.delete(request.id);
		}
	}
	/** Stop a call whose result nobody reads. */
	cancel(id) {
		this.running.get(id)?.cancel();
	}
	/** Stop all calls: their connection is gone, and a result on another connection would be unknown. */
	cancelAll() {
		for (const call of this.running.values()) call.cancel();
	}
	sendValue({ id, tool }, value) {
		sendJsonValue(this.send, {
			type: "tool_result",
			id,
			ok: true
		}, value, this.limits(), `\`${tool}\``);
	}
	sendError(id, error) {
		this.send({
			type: "tool_result",
			id,
			ok: false,
			error: errorText(error, MAX_ERROR_CHARACTERS)
		});
	}
};
/** Send a value in one frame or in parts; throws if it is no JSON value or too large. */
function sendJsonValue(send, frame, value, limits, source) {
	const text = toJsonText(value);
	if (text.length > limits.value) throw new RangeError(`the result of ${source} has ${text.length} characters; at most ${limits.value} are allowed`);
	if (text.length < limits.frame / 2) return send({
		...frame,
		value: JSON.parse(text)
	});
	const parts = splitText(text, limits.frame);
	for (const [at, part] of parts.entries()) send({
		...frame,
		part: at + 1,
		parts: parts.length,
		text: part
	});
}
var RunningCall = class {
	id;
	tool;
	limits;
	send;
	ending = new AbortController();
	silence;
	total;
	/** The milliseconds of the total limit that are left, and when they last began to count. */
	left;
	since = 0;
	isCancelled = false;
	constructor(id, tool, limits, send) {
		this.id = id;
		this.tool = tool;
		this.limits = limits;
		this.send = send;
		this.left = limits.total_seconds * 1e3 * MARGIN;
	}
	cancel() {
		this.isCancelled = true;
		this.ending.abort(/* @__PURE__ */ new Error("the call was cancelled"));
	}
	/** The handler's value; rejects when the call is cancelled, takes too long, or its pane leaves. */
	async invoke({ args, approved, root = "", ticket = "" }) {
		const { signal } = this.ending;
		const leave = () => this.ending.abort(this.tool.left.reason);
		this.tool.left.addEventListener("abort", leave);
		const ended = new Promise((_, reject) => {
			signal.addEventListener("abort", () => reject(signal.reason));
		});
		this.startClocks();
		try {
			const call = {
				id: this.id,
				approved,
				root,
				ticket,
				signal,
				progress: this.reportProgress,
				waitForPerson: this.waitForPerson
			};
			const value = (async () => this.tool.handler(args, call))();
			return await Promise.race([value, ended]);
		} finally {
			this.stopClocks();
			this.tool.left.removeEventListener("abort", leave);
		}
	}
	reportProgress = (text) => {
		if (this.ending.signal.aborted) return;
		this.restartSilence();
		const shown = text?.toWellFormed().slice(-4e3);
		this.send({
			type: "tool_progress",
			id: this.id,
			...shown ? { text: shown } : {}
		});
	};
	waitForPerson = async (answer) => {
		this.stopClocks();
		this.send({
			type: "tool_progress",
			id: this.id,
			waiting: true
		});
		const most = setTimeout(() => this.ending.abort(/* @__PURE__ */ new Error("no person answered in time")), this.limits.waiting_seconds * 1e3 * MARGIN);
		try {
			return await answer;
		} finally {
			clearTimeout(most);
			this.startClocks();
			this.reportProgress();
		}
	};
	startClocks() {
		if (this.ending.signal.aborted) return;
		this.since = Date.now();
		this.total = setTimeout(() => this.ending.abort(/* @__PURE__ */ new Error("the tool took too long")), this.left);
		this.restartSilence();
	}
	stopClocks() {
		clearTimeout(this.silence);
		clearTimeout(this.total);
		this.left = Math.max(0, this.left - (Date.now() - this.since));
	}
	restartSilence() {
		clearTimeout(this.silence);
		this.silence = setTimeout(() => this.ending.abort(/* @__PURE__ */ new Error("the tool did not answer in time")), this.limits.seconds * 1e3 * MARGIN);
	}
};
//#endregion
//#region sdk/src/pageId.ts
/** The id of a page, which it keeps while it reloads and which a duplicated tab does not share. */
var STORAGE_KEY = "assent.page";
/** Take the id that this tab left before its reload, or a new one. */
function takePageId() {
	const id = readStored() ?? newPageId();
	try {
		sessionStorage.removeItem(STORAGE_KEY);
		addEventListener("pagehide", () => sessionStorage.setItem(STORAGE_KEY, id));
	} catch {}
	return id;
}
function readStored() {
	try {
		return sessionStorage.getItem(STORAGE_KEY);
	} catch {
		return null;
	}
}
var newPageId = () => [...crypto.getRandomValues(/* @__PURE__ */ new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
//#endregion
//#region sdk/src/connection.ts
/** The connection of a page: declares its tools, serves relayed calls and contexts, and reconnects. */
var MIN_RETRY_DELAY_MS = 500;
var MAX_RETRY_DELAY_MS = 2e4;
var SILENCE_LIMIT_MS = 6e4;
var CONTEXT_LIMIT_MS = 9e3;
var LIST_LIMIT_MS = 15e3;
/** Declarations that change together cause one manifest. */
var MANIFEST_DELAY_MS = 20;
var PageConnection = class {
	options;
	socket = null;
	limits = DEFAULT_LIMITS;
	delay = MIN_RETRY_DELAY_MS;
	retryTimer;
	silenceTimer;
	manifestTimer;
	manifestCount = 0;
	listCount = 0;
	lists = /* @__PURE__ */ new Map();
	listeners = /* @__PURE__ */ new Set();
	page = takePageId();
	calls;
	unsubscribe = () => {};
	current = {
		status: "connecting",
		problem: "",
		reviews: [],
		own: false
	};
	stopped = true;
	constructor(options) {
		this.options = options;
		this.calls = new CallRunner(options.registry, this.send, () => this.limits);
	}
	get state() {
		return this.current;
	}
	/** Call the listener after each change of `state`. */
	subscribe = (listener) => {
		this.listeners.add(listener);
		return () => {
			this.listeners.delete(listener);
		};
	};
	start = () => {
		if (!this.stopped) return;
		this.stopped = false;
		this.unsubscribe = this.options.registry.subscribe(this.scheduleManifest);
		addEventListener("online", this.reconnectNow);
		this.connect();
	};
	stop = () => {
		this.stopped = true;
		this.unsubscribe();
		removeEventListener("online", this.reconnectNow);
		for (const timer of [
			this.retryTimer,
			this.silenceTimer,
			this.manifestTimer
		]) clearTimeout(timer);
		this.calls.cancelAll();
		this.rejectLists("the connection was closed");
		this.socket?.close();
		this.socket = null;
		this.setState({
			status: "closed",
			reviews: []
		});
	};
	/** All tools of the conversation, by group. */
	listTools() {
		if (this.current.status !== "ready") return Promise.reject(/* @__PURE__ */ new Error("the page is not connected"));
		const id = `l${++this.listCount}`;
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => this.lists.get(id)?.reject(/* @__PURE__ */ new Error("no reply")), LIST_LIMIT_MS);
			const end = () => {
				clearTimeout(timer);
				this.lists.delete(id);
			};
			this.lists.set(id, {
				resolve: (groups) => {
					end();
					resolve(groups);
				},
				reject: (error) => {
					end();
					reject(error);
				}
			});
			this.send({
				type: "list_tools",
				id
			});
		});
	}
	reconnectNow = () => {
		if (this.stopped || this.socket) return;
		clearTimeout(this.retryTimer);
		this.delay = MIN_RETRY_DELAY_MS;
		this.connect();
	};
	connect() {
		const address = new URL("/v1/pages", this.options.server ?? location.href);
		address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
		const socket = (this.options.open ?? ((url) => new WebSocket(url)))(address.href);
		this.socket = socket;
		this.setState({ status: "connecting" });
		socket.onopen = () => void this.introduce(socket);
		socket.onmessage = (event) => this.onMessage(socket, event.data);
		socket.onclose = (event) => this.onClose(socket, event);
		this.restartSilence(socket);
	}
	async introduce(socket) {
		const { token, conversation } = this.options;
		try {
			const secret = await token?.();
			if (socket !== this.socket) return;
			if (secret !== void 0) this.send({
				type: "auth",
				token: secret
			});
			this.send({
				type: "page",
				page: this.page,
				conversation,
				sdk: SDK_NAME
			});
		} catch (error) {
			this.setState({ problem: errorText(error, MAX_ERROR_CHARACTERS) });
			socket.close();
		}
	}
	onClose(socket, { code, reason }) {
		if (socket !== this.socket || this.stopped) return;
		this.socket = null;
		clearTimeout(this.silenceTimer);
		clearTimeout(this.manifestTimer);
		this.calls.cancelAll();
		this.rejectLists("the connection was lost");
		const final = FINAL_CLOSE_CODES[code];
		const problem = reason || final || this.current.problem;
		this.setState({
			status: final ? "closed" : "waiting",
			reviews: [],
			problem
		});
		if (final) return;
		this.retryTimer = setTimeout(() => this.connect(), this.delay * (.75 + Math.random() / 2));
		this.delay = Math.min(this.delay * 2, MAX_RETRY_DELAY_MS);
	}
	restartSilence(socket) {
		clearTimeout(this.silenceTimer);
		this.silenceTimer = setTimeout(() => socket.close(), SILENCE_LIMIT_MS);
	}
	send = (frame) => {
		if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(frame));
	};
	onMessage(socket, data) {
		if (socket !== this.socket) return;
		this.restartSilence(socket);
		const frame = parseFrame(data);
		if (frame) this.handle(frame);
		else socket.close();
	}
	handle(frame) {
		switch (frame.type) {
			case "ready":
				this.limits = {
					...DEFAULT_LIMITS,
					...frame.limits
				};
				this.setState({
					status: "ready",
					own: frame.own,
					problem: ""
				});
				return this.scheduleManifest();
			case "manifest_accepted":
				this.delay = MIN_RETRY_DELAY_MS;
				return this.setState({
					reviews: frame.tools,
					problem: ""
				});
			case "manifest_refused": return this.setState({
				reviews: [],
				problem: frame.problem
			});
			case "tool_call":
				this.calls.run(frame);
				return;
			case "tool_cancel": return this.calls.cancel(frame.id);
			case "panes_request": {
				const panes = this.options.registry.panes().slice(0, 100);
				return this.send({
					type: "panes",
					id: frame.id,
					panes
				});
			}
			case "context_request":
				this.sendContext(frame.id, frame.instance);
				return;
			case "tools": return this.lists.get(frame.id)?.resolve(frame.groups);
			case "error": return this.lists.get(frame.about)?.reject(new Error(frame.detail));
			case "ping": return this.send({ type: "pong" });
			case "pong": return;
			default: return;
		}
	}
	async sendContext(id, instance) {
		try {
			const snapshot = await withinLimit(async () => this.options.registry.readContext(instance));
			sendJsonValue(this.send, {
				type: "context",
				id,
				ok: true
			}, snapshot, this.limits, `pane \`${instance}\``);
		} catch (error) {
			this.send({
				type: "context",
				id,
				ok: false,
				error: errorText(error, MAX_ERROR_CHARACTERS)
			});
		}
	}
	scheduleManifest = () => {
		clearTimeout(this.manifestTimer);
		this.manifestTimer = setTimeout(() => void this.sendManifest(), MANIFEST_DELAY_MS);
	};
	async sendManifest() {
		const socket = this.socket;
		if (!socket || this.current.status !== "ready") return;
		const number = ++this.manifestCount;
		const text = JSON.stringify(this.options.registry.tools());
		if (text.length > this.limits.manifest) return this.setState({ problem: `the manifest has ${text.length} characters; at most ${this.limits.manifest} are allowed` });
		const digest = await digestOf(text);
		if (socket !== this.socket || number !== this.manifestCount) return;
		const texts = splitText(text, this.limits.frame);
		for (const [at, part] of texts.entries()) {
			const frame = {
				id: `m${number}`,
				part: at + 1,
				parts: texts.length,
				digest,
				text: part
			};
			this.send({
				type: "manifest",
				...frame
			});
		}
	}
	setState(changes) {
		this.current = {
			...this.current,
			...changes
		};
		for (const listener of this.listeners) listener();
	}
	rejectLists(reason) {
		for (const list of [...this.lists.values()]) list.reject(new Error(reason));
	}
};
function parseFrame(data) {
	try {
		const frame = JSON.parse(String(data));
		return typeof frame === "object" && frame !== null && "type" in frame ? frame : null;
	} catch {
		return null;
	}
}
/** The value, or an error after the time in which the server expects a context. */
function withinLimit(read) {
	let timer;
	const late = new Promise((_, reject) => {
		timer = setTimeout(() => reject(/* @__PURE__ */ new Error("the pane did not answer in time")), CONTEXT_LIMIT_MS);
	});
	return Promise.race([read(), late]).finally(() => clearTimeout(timer));
}
//#endregion
export { LAYOUT_VERBS, PageConnection, ToolRegistry };
