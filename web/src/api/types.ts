/** The server's types under the names that the pages use. */
import type * as schema from "./schema";

export type {
  Act,
  AgentShown,
  Always,
  Answered,
  Applied,
  Approval,
  ApprovalDetail,
  CatalogTool,
  ConversationShown as Conversation,
  CredentialShown,
  Decision,
  DefinitionShown,
  FedInput,
  FileRule,
  FileShown,
  GrantShown as Grant,
  HitsShown as Hits,
  LinkShown as AuditRow,
  Me,
  ModeShown as PresetMode,
  OverrideShown,
  Permissions,
  PersonShown,
  Piece,
  PolicyShown,
  PresetShown as Preset,
  PreviewShown as Preview,
  QuestionsCounted,
  Refuse,
  RuleList,
  RuleShown as Rule,
  Said,
  Say,
  Stage,
  State,
  Step,
  Suggestion,
  Switch,
  TallyShown as Tally,
  Tier,
  TokenMade,
  ToolSettingShown,
  ToolShown as Tool,
  Touched,
} from "./schema";
export type Json = schema.JsonValue;
export type Args = Record<string, Json>;
export type Scope = schema.Scope;
export type Lifetime = schema.Lifetime;
export type Page<T> = { items: T[]; next: string | null };
