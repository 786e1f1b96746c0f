import { type ToolGroup, type ToolReview } from "./protocol";
import type { ToolRegistry } from "./registry";
export type ConnectionOptions = {
    /** The address of the server, such as `https://assent.example`; the page's own server if absent. */
    server?: string;
    conversation: string;
    registry: ToolRegistry;
    /** The page token; absent on a page of the server whose user is signed in. */
    token?: () => string | Promise<string>;
    /** Opens a socket; tests replace it. */
    open?: (address: string) => WebSocket;
};
/** `connecting` until the server has accepted the page, `waiting` before the next attempt. */
export type ConnectionState = {
    status: "connecting" | "ready" | "waiting" | "closed";
    /** Why the last connection or manifest failed. */
    problem: string;
    /** What the server made of each declared tool. */
    reviews: readonly ToolReview[];
    /** Whether this is a page of the server itself. */
    own: boolean;
};
export declare class PageConnection {
    private readonly options;
    private socket;
    private limits;
    private delay;
    private retryTimer;
    private silenceTimer;
    private manifestTimer;
    private manifestCount;
    private listCount;
    private readonly lists;
    private readonly listeners;
    private readonly page;
    private readonly calls;
    private unsubscribe;
    private current;
    private stopped;
    constructor(options: ConnectionOptions);
    get state(): ConnectionState;
    /** Call the listener after each change of `state`. */
    subscribe: (listener: () => void) => () => void;
    start: () => void;
    stop: () => void;
    /** All tools of the conversation, by group. */
    listTools(): Promise<ToolGroup[]>;
    private reconnectNow;
    private connect;
    private introduce;
    private onClose;
    private restartSilence;
    private send;
    private onMessage;
    private handle;
    private sendContext;
    private scheduleManifest;
    private sendManifest;
    private setState;
    private rejectLists;
}
