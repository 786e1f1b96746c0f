/** Runs the calls that the server relays; each one ends with exactly one result, in bounded time. */
import type { ToolArguments } from "./declarations";
import { type Limits, type PageFrame } from "./protocol";
import type { ToolRegistry } from "./registry";
type Send = (frame: PageFrame) => void;
export type CallRequest = {
    id: string;
    tool: string;
    args: ToolArguments;
    approved: boolean;
    root?: string;
    ticket?: string;
};
export declare class CallRunner {
    private readonly registry;
    private readonly send;
    private readonly limits;
    private readonly running;
    constructor(registry: ToolRegistry, send: Send, limits: () => Limits);
    run(request: CallRequest): Promise<void>;
    /** Stop a call whose result nobody reads. */
    cancel(id: string): void;
    /** Stop all calls: their connection is gone, and a result on another connection would be unknown. */
    cancelAll(): void;
    private sendValue;
    private sendError;
}
/** Send a value in one frame or in parts; throws if it is no JSON value or too large. */
export declare function sendJsonValue(send: Send, frame: PageFrame, value: unknown, limits: Limits, source: string): void;
export {};
