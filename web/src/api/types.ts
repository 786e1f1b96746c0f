/** The server's types under the names that the pages use. */
import type * as schema from "./schema";

export type {
  AgentShown,
  Always,
  Answered,
  Approval,
  ApprovalDetail,
  CatalogTool,
  ConversationShown as Conversation,
  CredentialShown,
  Decision,
  FileRule,
  GrantShown as Grant,
  LinkShown as AuditRow,
  Me,
  OverrideShown,
  Permissions,
  PersonShown,
  Piece,
  PolicyShown,
  PreviewShown as Preview,
  RuleList,
  RuleShown as Rule,
  Said,
  Say,
  Stage,
  State,
  Step,
  Suggestion,
  Switch,
  Tier,
  TokenMade,
  ToolSettingShown,
  ToolShown as Tool,
  Touched,
  Width,
} from "./schema";
export type Json = schema.JsonValue;
export type Args = Record<string, Json>;
export type Scope = Exclude<schema.Scope, "choice">;
export type Lifetime = Exclude<schema.Lifetime, "choice">;
export type Page<T> = { items: T[]; next: string | null };
