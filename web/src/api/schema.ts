/** The JSON of the server. Made from docs/reference/openapi.json by tools/web_types.py; do not edit. */

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

export type Act = {
  code: Loss;
  values: ActValues;
};

export type ActValues = {
  kind: string;
  name: string;
};

export type AgentCallIn = {
  ticket: string;
  tool: string;
  args: Record<string, JsonValue>;
  content?: string | null;
  digest?: string | null;
};

export type AgentShown = {
  id: string;
  tools: Array<string>;
};

export type AgentsShown = {
  items: Array<AgentShown>;
};

export type Always = {
  becomes: Becomes;
  scope: Scope | "choice";
  lifetime: Lifetime | "choice";
  widened: boolean;
  conversation: Array<string>;
};

export type AlwaysJson = {
  becomes: Becomes;
  width: FirstOffer;
  scope: Scope | "choice";
  lifetime: Lifetime | "choice";
  widened: boolean;
};

export type AnswerContent = {
  say: Say;
  reason?: string;
  rules?: Array<string>;
  scope?: Scope | null;
  lifetime?: Lifetime | null;
  until?: string | null;
  uses?: number | null;
  args?: Record<string, JsonValue> | null;
};

export type AnswerIn = {
  digest?: string | null;
  answer: AnswerContent;
};

export type AnswerJson = {
  say: Say;
  by: string;
  reason: string;
  rules: Array<string>;
  scope: Scope | null;
  lifetime: Lifetime | null;
  until: string | null;
  uses: number | null;
  args: Record<string, JsonValue> | null;
  released_by: string;
};

export type Applied = {
  outcome: "applied";
  turn: string;
  approval: string;
  result: JsonValue;
};

export type Approval = {
  id: string;
  call: CallJson;
  tool: ToolJson;
  cwd: string;
  digest: string;
  call_digest: string;
  decision: Decision;
  facts: Facts;
  owner: string;
  turn: string;
  lineage: Array<string>;
  sub_agents: Array<SubAgentShown>;
  preset: string;
  mode: string;
  delivery: Delivery;
  asked_at: string;
  expires_at: string | null;
  usable_for: number;
  state: State;
  later_at: string | null;
  answer: AnswerJson | null;
  answered_at: string | null;
  closed_at: string | null;
  note: string;
  preview: Record<string, JsonValue> | null;
  file: FileJson | null;
  locked: boolean;
  clipped: boolean;
  size: number | null;
};

export type ApprovalDetail = {
  id: string;
  call: CallJson;
  tool: ToolJson;
  cwd: string;
  digest: string;
  call_digest: string;
  decision: Decision;
  facts: Facts;
  owner: string;
  turn: string;
  lineage: Array<string>;
  sub_agents: Array<SubAgentShown>;
  preset: string;
  mode: string;
  delivery: Delivery;
  asked_at: string;
  expires_at: string | null;
  usable_for: number;
  state: State;
  later_at: string | null;
  answer: AnswerJson | null;
  answered_at: string | null;
  closed_at: string | null;
  note: string;
  preview: Record<string, JsonValue> | null;
  file: FileJson | null;
  locked: boolean;
  clipped: boolean;
  size: number | null;
  diff: string;
  suggestions: Array<Suggestion>;
  always: Always;
};

export type Approvals = {
  items: Array<Approval>;
  next: string | null;
};

export type AuditShown = {
  items: Array<LinkJson>;
  next: string | null;
};

export type BatchAnswer = {
  questions: Array<QuestionRef>;
  answer: AnswerContent;
};

export type BatchItemResult = {
  id: string;
  outcome: "answered" | "refused";
  state: State | null;
  problem: string;
};

export type BatchResult = {
  results: Array<BatchItemResult>;
};

export type Becomes = "rule" | "grant" | "override" | "nothing";

export type BucketJson = {
  at: string;
  decisions: DecisionCountsJson;
  questions: QuestionCountsJson;
};

export type BucketSize = "hour" | "day";

export type CallDirectories = {
  roots: Array<string>;
  cwd: string;
  home: string;
  case_sensitive: boolean;
  made?: Array<string>;
};

export type CallIn = {
  tool: string;
  args: Record<string, JsonValue>;
  id?: string;
  cwd?: string;
};

export type CallJson = {
  tool: string;
  args: Record<string, JsonValue>;
  id: string;
  agent: string;
  conversation: string;
  user: string;
  cwd: string;
};

export type CallRecordJson = {
  asked: Record<string, JsonValue>;
  ran: Record<string, JsonValue> | null;
  clipped: boolean;
};

export type CallReportIn = {
  call: string;
  conversation?: string;
  agent?: string;
  failed?: boolean;
  note?: string;
};

export type CallResult = {
  value: Record<string, JsonValue>;
};

export type CallStatus = {
  id: string;
  call: CallJson;
  state: State;
  decision: Decision;
  asked_at: string;
  expires_at: string | null;
  answered_at: string | null;
  closed_at: string | null;
  note: string;
};

export type CatalogIn = {
  origin: string;
  provider?: string;
  tools: Array<ToolIn>;
};

export type CatalogShown = {
  tools: Array<CatalogTool>;
};

export type CatalogTool = {
  name: string;
  effect: Effect;
  dialect: Dialect;
  template: string | null;
  paths: PathKind;
  description: string;
  parameters: Record<string, JsonValue>;
  origin: string;
  group: string;
  reads: boolean;
  provider: string;
  trust: TrustLevel;
  status: Tier | null;
};

export type ChatIn = {
  message?: Record<string, JsonValue> | null;
  messages?: Array<Record<string, JsonValue>>;
  mode?: string | null;
  permission_mode?: string | null;
  permissionMode?: string | null;
  model?: string | null;
  about?: string | null;
  delivery?: string | null;
  trigger?: string | null;
  messageId?: JsonValue;
};

export type Client = "6" | "7" | "rich";

export type Code = "unknown_tool" | "blocked_in_plan_mode" | "permission_denied" | "nobody_to_ask" | "expired" | "withdrawn" | "lapsed" | "already_run" | "awaiting_operator" | "invalid_arguments" | "forbidden" | "not_proposable" | "too_many_questions" | "too_many_bytes" | "paused";

export type ConversationIn = {
  agent?: string;
  preset?: string;
  mode?: string | null;
  title?: string;
  model?: string;
  message?: Record<string, JsonValue> | null;
  delivery?: string | null;
};

export type ConversationJson = {
  id: string;
  owner: string;
  agent: string;
  preset: string;
  mode: string;
  title: string;
  model: string;
  at: string | null;
};

export type ConversationPatch = {
  mode?: string | null;
  title?: string | null;
  model?: string | null;
};

export type ConversationsShown = {
  items: Array<ConversationJson>;
  next: string | null;
};

export type CreateIn = {
  root?: string;
  path: string;
  kind?: "file" | "directory";
  content?: string;
};

export type CredentialJson = {
  id: string;
  purpose: Purpose;
  kind: Kind;
  principal_id: string;
  on_behalf: string;
  label: string;
  made_by: string;
  made_at: string | null;
  expires_at: string | null;
};

export type CredentialsShown = {
  items: Array<CredentialJson>;
};

export type CurrentPrincipal = {
  id: string;
  kind: Kind;
  on_behalf: string;
  administrator: boolean;
  roles: Record<string, Role>;
};

export type Decision = {
  verdict: "run" | "ask" | "deny" | "absent";
  stage: Stage;
  because: string;
  reason?: Reason;
  rule?: string | null;
  part?: string | null;
  always_offered: boolean;
  steps: Array<Step>;
  pieces?: Array<Piece>;
  irreversible?: Array<Act>;
  inputs?: Array<DisclosedInput>;
  batch_key?: string;
};

export type DecisionCountsJson = {
  run: number;
  ask: number;
  deny: number;
  absent: number;
};

export type DefinitionIn = {
  origin: string;
  tool: string;
  digest: string;
};

export type DefinitionJson = {
  origin: string;
  tool: string;
  agent: string;
  digest: string;
  review: "new" | "changed";
  differences: Array<DifferenceJson>;
};

export type DefinitionsShown = {
  items: Array<DefinitionJson>;
  next: string | null;
};

export type DeleteIn = {
  root?: string;
  path: string;
  digest?: string | null;
};

export type Delivery = "wait" | "suspend" | "propose";

export type Dialect = "shell" | "powershell" | "path" | "text";

export type DifferenceJson = {
  field: string;
  before: string | null;
  after: string | null;
};

export type DirectoryEntryJson = {
  name: string;
  kind: EntryKind;
  size: number;
  modified: string;
  target: string | null;
};

export type DisclosedInput = {
  source: InputSource;
  commands: Array<string>;
  path?: string;
  digest?: string;
  argument?: string;
  start?: number;
  end?: number;
  text?: string;
  can_be_named: boolean;
  must_be_named: boolean;
};

export type Effect = "read" | "edit" | "write" | "execute" | "external" | "destructive";

export type EntryJson = {
  id: string;
  user: string;
  agent: string;
  conversation: string;
  call: string;
  tool: string;
  verdict: string;
  stage: string;
  rule: string;
  decision: string;
  with_override: boolean;
  reason: string;
  mode: string;
  policy_version: number;
  approval: string;
  asked_digest: string;
  ran_digest: string;
  sub_agents: string;
};

export type EntryKind = "file" | "directory" | "link" | "other";

export type Facts = {
  place: CallDirectories;
  real: Record<string, Array<string>>;
  contents: Record<string, string>;
  trusted_repository: boolean;
  findings: Record<string, string>;
};

export type FieldError = {
  field: string;
  reason: string;
};

export type FileContentJson = {
  root: string;
  path: string;
  size: number;
  modified: string | null;
  digest: string;
  binary: boolean;
  text: string | null;
};

export type FileJson = {
  path: string;
  state: FileState;
  digest: string;
  added: number;
  removed: number;
  lines: number;
  within: string;
  why: string;
  changes: number;
};

export type FileRule = {
  list: RuleList;
  text: string;
  layer: Layer;
  source: string;
  why: string;
  match: Array<string>;
  never: Array<string>;
};

export type FileState = "new" | "changed" | "unfit" | "long" | "secret" | "binary" | "large" | "outside" | "unreachable";

export type FileVersionJson = {
  root: string;
  path: string;
  size: number;
  modified: string | null;
  digest: string;
};

export type FirstOffer = "exact" | "command" | "tool";

export type GrantJson = {
  id: string;
  pattern: string;
  conversation: string | null;
  agent: string | null;
  user: string | null;
  lifetime: Lifetime;
  boot: string;
  until: string | null;
  uses: number | null;
  by: string;
  approval: string;
  override: boolean;
  at: string | null;
};

export type GrantsShown = {
  items: Array<GrantJson>;
};

export type Health = {
  ok: boolean;
};

export type HitJson = {
  rule: string;
  hits: number;
  last: string;
};

export type HitsJson = {
  decisions: number;
  items: Array<HitJson>;
};

export type HypotheticalCall = {
  tool: string;
  args: Record<string, JsonValue>;
  agent?: string;
  conversation?: string;
  cwd?: string;
  preset?: string;
  mode?: string | null;
  lineage?: Array<SubAgentIn>;
};

export type InputSource = "text" | "file" | "written-file" | "pipe" | "several" | "unknown-text" | "unknown-file" | "large-text";

export type Issue = {
  path: string;
  message: string;
};

export type Kind = "person" | "agent" | "service";

export type Layer = "shipped" | "managed" | "user" | "project" | "local" | "store" | "agent" | "conversation";

export type Lifetime = "restart" | "until" | "uses" | "forever";

export type LinkJson = {
  entry: EntryJson;
  writer: string;
  number: number;
  at: string;
  hash: string;
  version: number;
  called?: CallRecordJson | null;
};

export type ListingJson = {
  root: string;
  path: string;
  entries: Array<DirectoryEntryJson>;
  truncated: boolean;
};

export type Login = {
  link: string;
};

export type Loss = "deletes" | "deletes-all" | "destroys" | "removes-files" | "discards-changes" | "removes-untracked" | "erases-history" | "overwrites-remote" | "publishes" | "unpublishes" | "empties" | "changes-all" | "erases" | "moves-money" | "declared-destructive";

export type MatchedQuestion = {
  approval: string;
  tool: string;
  agent: string;
  conversation: string;
  state: string;
  asked_at: string;
};

export type MessageShown = {
  id: string;
  role: string;
  metadata?: Record<string, JsonValue> | null;
  parts: Array<Record<string, JsonValue>>;
};

export type MessagesShown = {
  items: Array<MessageShown>;
};

export type Mode = "plan" | "default" | "accept_edits" | "auto";

export type ModeJson = {
  mode: Mode;
  shown: string;
  does: string;
  verdicts: Record<string, "run" | "ask" | "deny" | "absent">;
};

export type ModelShown = {
  name: string;
  model: string;
  rehearsal: boolean;
};

export type ModelsShown = {
  items: Array<ModelShown>;
};

export type MovedRulesShown = {
  rules: number;
  tiers: number;
};

export type NewLoginLink = {
  link: string;
  expires_at: string | null;
};

export type NewToken = {
  id: string;
  purpose: Purpose;
  kind: Kind;
  principal_id: string;
  on_behalf: string;
  label: string;
  made_by: string;
  made_at: string | null;
  expires_at: string | null;
  secret: string;
};

export type OverrideIn = {
  toolName: string;
};

export type OverrideShown = {
  id: string;
  toolName: string;
  agentId: string;
  userId: string;
  createdAt: string | null;
};

export type OverridesShown = {
  items: Array<OverrideShown>;
};

export type PackShown = {
  name: string;
  purpose: string;
  match: Array<string>;
  never: Array<string>;
  on: boolean;
  fits: boolean;
  rules: Array<string>;
};

export type PackSwitch = {
  name: string;
  on: boolean;
};

export type PacksShown = {
  items: Array<PackShown>;
};

export type PageTokenIn = {
  conversation: string;
  origins: Array<string>;
  label?: string;
  seconds?: number | null;
};

export type PathKind = "os" | "anchored";

export type PauseIn = {
  paused: boolean;
};

export type PauseState = {
  paused: boolean;
  by: string;
  since: string | null;
};

export type PeopleShown = {
  items: Array<PersonJson>;
};

export type Permissions = {
  mode: string;
  allow: Array<string>;
  ask: Array<string>;
  deny: Array<string>;
  warnings: Array<string>;
};

export type PermissionsIn = {
  mode?: string | null;
  allow?: Array<string> | null;
  ask?: Array<string> | null;
  deny?: Array<string> | null;
};

export type PersonIn = {
  id: string;
  name?: string;
  administrator?: boolean;
};

export type PersonJson = {
  id: string;
  name: string;
  administrator: boolean;
  disabled_at: string | null;
  added_at: string | null;
};

export type Piece = {
  start: number;
  verdict: "run" | "ask" | "deny" | "absent";
  reason: string;
  code?: ReasonCode;
  values?: Record<string, string>;
  rule?: string | null;
};

export type PodDifference = {
  what: PodProperty;
  here: string;
  there: string;
  sentence: string;
};

export type PodProperty = "workspace" | "policy" | "version";

export type PodsShown = {
  differences: Array<PodDifference>;
};

export type PolicyShown = {
  version: string;
  store_version: number;
  files: Array<string>;
  rules: Array<FileRule>;
  error: string;
};

export type PresetJson = {
  name: string;
  purpose: string;
  modes: Array<ModeJson>;
  fallback: "run" | "ask" | "deny" | "absent";
  delivery: Delivery;
  expires_after: number | null;
  always: AlwaysJson;
};

export type PresetsShown = {
  items: Array<PresetJson>;
};

export type PreviewShown = {
  looked_at: number;
  covered: Array<MatchedQuestion>;
  denied: Array<MatchedQuestion>;
  objection: string | null;
  warnings: Array<string>;
};

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  errors?: Array<FieldError> | null;
  state?: string | null;
  by?: string | null;
  reason?: string | null;
  digest?: string | null;
};

export type ProofIn = {
  file: string;
  text: string;
};

export type ProposalToken = {
  token: string;
};

export type Purpose = "token" | "session" | "link" | "page";

export type QuestionCountsJson = {
  asked: number;
  yes: number;
  no: number;
  released: number;
  expired: number;
  withdrawn: number;
  open: number;
};

export type QuestionRef = {
  id: string;
  digest?: string | null;
};

export type Readiness = {
  ok: boolean;
  differs: Array<string>;
};

export type Reason = {
  code: ReasonCode;
  values: Record<string, string>;
};

export type ReasonCode = "text" | "not-decided" | "unknown-tool" | "unauthorized-tool" | "blocked-tool" | "absent-destructive-tool" | "nobody-to-ask" | "deny-rule" | "ask-rule" | "possible-deny-rule" | "possible-ask-rule" | "plan-only-reads" | "breaker" | "protected-path" | "changes-assent" | "destructive-tool" | "unreadable" | "unreadable-part" | "changed-tool" | "undeclared-tool" | "paused" | "uses-protected-path" | "reads-outside" | "reads-secret" | "reads-secret-outside" | "reads-secret-variable" | "reads-hidden-files" | "reads-unknown-path" | "reads-secret-in-tree" | "leaves-workspace" | "runs-outside" | "runs-somewhere" | "runs-project-code" | "builds-project" | "runs-file" | "runs-given-code" | "runs-input" | "runs-as-other-user" | "unknown-program" | "unknown-value" | "unknown-word" | "sets-variable" | "needs-trust" | "may-run-code" | "runs-setting" | "may-do-more" | "creates-file" | "writes-file" | "overwrites-file" | "appends-to-file" | "changes-file" | "removes-file" | "removes-outside" | "changes-outside" | "changes-unrecorded" | "changes-unknown-path" | "changes-repository" | "sends-data" | "connects" | "installs" | "uses-service" | "manages-containers" | "changes-database" | "changes-system" | "tool-changes-data" | "tool-runs-code" | "tool-acts-outside" | "only-reads" | "always-allowed" | "needs-approval" | "grant" | "allow-rule" | "mode-runs" | "mode-asks" | "unreviewed-tool" | "unreviewed-own-tool" | "tasks-changed" | "tasks-unread" | "preset-runs" | "preset-asks" | "not-covered";

export type Refuse = {
  outcome: "refuse";
  turn: string;
  code: Code;
  message: string;
  reason: string;
  retry_after: number | null;
  issues: Array<Issue>;
};

export type RememberedShown = {
  rule: string;
  scope: Scope;
  lifetime: Lifetime;
  until: string | null;
  uses: number | null;
};

export type RenameIn = {
  root?: string;
  path: string;
  to: string;
};

export type RenamedTool = {
  tool: string;
  to: string;
};

export type ReportIn = {
  claim: string;
  failed?: boolean;
  note?: string;
};

export type RightsIn = {
  files: boolean;
  terminal: boolean;
};

export type RightsShown = {
  files: boolean;
  terminal: boolean;
};

export type Role = "owner" | "approver" | "viewer";

export type RoleIn = {
  subject: string;
  role: Role | null;
};

export type RolesShown = {
  roles: Record<string, Role>;
};

export type RootShown = {
  name: string;
  directory: string;
  own: boolean;
};

export type RuleIn = {
  list: RuleList;
  text: string;
  conversation?: string | null;
  agent?: string | null;
  user?: string | null;
  why?: string;
};

export type RuleList = "deny" | "ask" | "allow";

export type RulePatch = {
  list?: RuleList | null;
  text?: string | null;
  conversation?: string | null;
  agent?: string | null;
  user?: string | null;
  why?: string | null;
};

export type RulePreview = {
  list: RuleList;
  rules: Array<string>;
  approval?: string | null;
};

export type RuleShown = {
  id: string;
  list: RuleList;
  text: string;
  conversation: string | null;
  agent: string | null;
  user: string | null;
  by: string;
  approval: string;
  why: string;
  at: string | null;
  warnings: Array<string>;
};

export type RuleStatsJson = {
  questions: QuestionCountsJson;
  median: number | null;
  stage: string;
  rule: string;
};

export type RuleWidth = "exact" | "sub-command" | "program" | "directory" | "tool";

export type RulesShown = {
  items: Array<RuleShown>;
};

export type Run = {
  outcome: "run";
  turn: string;
  call: CallJson;
  decision: Decision;
  approval: string;
  claim: string;
  remembered: Array<RememberedShown>;
};

export type Say = "once" | "conversation" | "always" | "deny";

export type Scope = "conversation" | "agent" | "user_agent" | "user" | "everyone";

export type Stage = "unknown" | "unauthorized" | "blocked" | "deny-rule" | "plan" | "breaker" | "protected-path" | "ask-rule" | "destructive" | "unreadable" | "unresolved" | "changed" | "paused" | "outside" | "read" | "tier" | "grant" | "allow-rule" | "mode" | "fallback" | "unattended";

export type State = "pending" | "approved" | "running" | "done" | "failed" | "denied" | "expired" | "withdrawn" | "lapsed" | "refused" | "unknown";

export type Step = {
  stage: Stage;
  verdict: "run" | "ask" | "deny" | "absent";
  reason: string;
  code?: ReasonCode;
  values?: Record<string, string>;
  rule?: string | null;
  part?: string | null;
};

export type SubAgentIn = {
  id: string;
  kind?: string;
};

export type SubAgentShown = {
  id: string;
  kind: string;
};

export type Submission = {
  call: CallIn;
  agent?: string;
  conversation?: string;
  turn?: string;
  preset?: string;
  mode?: string | null;
  delivery?: Delivery | null;
  attended?: boolean;
  nonce?: string | null;
  lease?: number | null;
  lineage?: Array<SubAgentIn>;
};

export type Suggestion = {
  width: RuleWidth;
  rules: Array<string>;
  as_grant: boolean;
  irreversible: Array<string>;
};

export type TallyJson = {
  questions: QuestionCountsJson;
  median: number | null;
  decisions: DecisionCountsJson;
  buckets: Array<BucketJson>;
  tools: Array<ToolStatsJson>;
  rules: Array<RuleStatsJson>;
};

export type TerminalJson = {
  id: string;
  root: string;
  path: string;
  busy: boolean;
  shared: boolean;
};

export type TerminalsShown = {
  items: Array<TerminalJson>;
};

export type Tier = "always_allow" | "needs_approval" | "blocked";

export type TokenIn = {
  kind: Kind;
  name: string;
  on_behalf?: string;
  label?: string;
  seconds?: number | null;
  unknown?: UnknownAnswer | null;
};

export type ToolChange = {
  toolName: string;
  providerKey?: string | null;
  status: Tier | null;
};

export type ToolChanges = {
  tools: Array<ToolChange>;
};

export type ToolIn = {
  name: string;
  effect?: Effect;
  dialect?: Dialect;
  template?: string | null;
  paths?: PathKind;
  description?: string;
  parameters?: Record<string, JsonValue>;
  group?: string;
};

export type ToolJson = {
  name: string;
  effect: Effect;
  dialect: Dialect;
  template: string | null;
  paths: PathKind;
  description: string;
  parameters: Record<string, JsonValue>;
  origin: string;
  group: string;
  reads: boolean;
};

export type ToolSetting = {
  toolName: string;
  providerKey: string;
  status?: Tier | null;
};

export type ToolSettingShown = {
  toolName: string;
  providerKey: string;
  status: Tier;
  explicit: boolean;
};

export type ToolSettings = {
  tools: Array<ToolSetting>;
};

export type ToolSettingsShown = {
  tools: Array<ToolSettingShown>;
  warnings: Array<string>;
};

export type ToolStatsJson = {
  questions: QuestionCountsJson;
  median: number | null;
  tool: string;
};

export type TrustLevel = "server" | "trusted" | "client";

export type UnknownAnswer = "refuse" | "ask";

export type Wait = {
  outcome: "wait";
  turn: string;
  approval: string;
  decision: Decision;
  expires_at: string | null;
  token: string;
  leased_until: string | null;
};

export type WaitIn = {
  seconds?: number;
  nonce?: string | null;
};

export type WithdrawalIn = {
  why?: string;
};

export type WorkbenchShown = {
  files: boolean;
  terminal: boolean;
  local_only: boolean;
  roots: Array<RootShown>;
  version: string;
};

export type WorkspaceIn = {
  root: string;
  proof?: ProofIn | null;
};

export type WorkspaceShown = {
  id: string;
  agent: string | null;
  root: string;
  remote: boolean;
  by: string;
  at: string | null;
};

export type WorkspacesIn = {
  workspaces: Array<WorkspaceIn>;
  known?: Array<string> | null;
};

export type WorkspacesShown = {
  items: Array<WorkspaceShown>;
};

export type WriteIn = {
  root?: string;
  path: string;
  content: string;
  digest: string;
};
