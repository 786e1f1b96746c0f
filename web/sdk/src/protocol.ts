/** The frames of `/v1/pages`, and their limits. */
import type { Json, ObjectSchema } from "./declarations";

export const SDK_NAME = "assent-sdk/0.1.0";

export type ToolKind = "agentTool" | "command" | "layout";

/** A declaration as the server sees it: without its handler. */
export type SerializedTool = {
  name: string;
  description: string;
  params?: ObjectSchema;
  sideEffect?: boolean;
  specifierTemplate?: string;
  kind: ToolKind;
};

export type Limits = {
  /** Characters of a frame of the page. */
  frame: number;
  /** Characters of the whole manifest. */
  manifest: number;
  tools: number;
  /** Characters of a result or a context. */
  value: number;
  /** Seconds without progress after which a call has failed. */
  seconds: number;
  total_seconds: number;
  waiting_seconds: number;
};

/** What applies until the server has sent its limits. */
export const DEFAULT_LIMITS: Limits = {
  frame: 64_000,
  manifest: 2_000_000,
  tools: 1_000,
  value: 1_000_000,
  seconds: 30,
  total_seconds: 600,
  waiting_seconds: 3_600,
};
export const MAX_ERROR_CHARACTERS = 4_000;
export const MAX_PANES = 100;

export type Review = "known" | "reviewed" | "new" | "changed" | "refused";

/** What the server made of a declared tool. */
export type ToolReview = { name: string; effect?: string; review: Review; reason?: string };

export type ListedTool = {
  name: string;
  description: string;
  effect: string;
  source: "server" | "mcp" | "page" | "other_page";
  loaded: boolean;
};
export type ToolGroup = { group: string; tools: ListedTool[] };

export type PaneState = {
  instanceId: string;
  title: string;
  kind: string;
  hasContext: boolean;
  focused: boolean;
};

export type ServerFrame =
  | {
      type: "ready";
      page: string;
      conversation: string;
      origin: string;
      own: boolean;
      limits: Limits;
    }
  | { type: "manifest_accepted"; id: string; tools: ToolReview[] }
  | { type: "manifest_refused"; id: string; problem: string }
  | {
      type: "tool_call";
      id: string;
      tool: string;
      args: Record<string, Json>;
      approved: boolean;
      root?: string;
      ticket?: string;
    }
  | { type: "tool_cancel"; id: string }
  | { type: "panes_request"; id: string }
  | { type: "context_request"; id: string; instance: string }
  | { type: "tools"; id: string; groups: ToolGroup[] }
  | { type: "error"; about: string; detail: string }
  | { type: "ping" }
  | { type: "pong" };

export type PageFrame = { type: string; [field: string]: unknown };

/** Close codes after which connecting again cannot help. */
export const FINAL_CLOSE_CODES: Readonly<Record<number, string>> = {
  1003: "the server refused a frame of this page that was not text",
  1009: "the server refused a frame of this page that was too large",
  4400: "the server refused a frame of this page as invalid",
  4401: "the credential is unknown, expired or revoked",
  4403: "this page may not do that",
  4404: "there is no such conversation",
  4409: "another connection of this page replaced this one",
};
