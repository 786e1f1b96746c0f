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

export type AlwaysShown = {
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

export type AnswerShown = {
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
  call: Called;
  tool: ToolShown;
  cwd: string;
  digest: string;
  call_digest: string;
  decision: Decision;
  facts: Facts;
  owner: string;
  turn: string;
  lineage: Array<string>;
  preset: string;
  mode: string;
  delivery: Delivery;
  asked_at: string;
  expires_at: string | null;
  usable_for: number;
  state: State;
  later_at: string | null;
  answer: AnswerShown | null;
  answered_at: string | null;
  closed_at: string | null;
  note: string;
  preview: Record<string, JsonValue> | null;
  file: FileShown | null;
  locked: boolean;
  clipped: boolean;
  size: number | null;
};

export type ApprovalDetail = {
  id: string;
  call: Called;
  tool: ToolShown;
  cwd: string;
  digest: string;
  call_digest: string;
  decision: Decision;
  facts: Facts;
  owner: string;
  turn: string;
  lineage: Array<string>;
  preset: string;
  mode: string;
  delivery: Delivery;
  asked_at: string;
  expires_at: string | null;
  usable_for: number;
  state: State;
  later_at: string | null;
  answer: AnswerShown | null;
  answered_at: string | null;
  closed_at: string | null;
  note: string;
  preview: Record<string, JsonValue> | null;
  file: FileShown | null;
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
  items: Array<LinkShown>;
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

export type BucketCounted = {
  at: string;
  decisions: DecisionsCounted;
  questions: QuestionsCounted;
};

export type BucketSize = "hour" | "day";

export type CallIn = {
  tool: string;
  args: Record<string, JsonValue>;
  id?: string;
  cwd?: string;
};

export type CallRecordShown = {
  asked: Record<string, JsonValue>;
  ran: Record<string, JsonValue> | null;
  clipped: boolean;
};

export type CallStatus = {
  id: string;
  call: Called;
  state: State;
  decision: Decision;
  asked_at: string;
  expires_at: string | null;
  answered_at: string | null;
  closed_at: string | null;
  note: string;
};

export type Called = {
  tool: string;
  args: Record<string, JsonValue>;
  id: string;
  agent: string;
  conversation: string;
  user: string;
  cwd: string;
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
  trust: Trust;
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

export type ConversationPatch = {
  mode?: string | null;
  title?: string | null;
  model?: string | null;
};

export type ConversationShown = {
  id: string;
  owner: string;
  agent: string;
  preset: string;
  mode: string;
  title: string;
  model: string;
  at: string | null;
};

export type ConversationsShown = {
  items: Array<ConversationShown>;
  next: string | null;
};

export type CredentialShown = {
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
  items: Array<CredentialShown>;
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
  rule?: string | null;
  part?: string | null;
  always_offered: boolean;
  steps: Array<Step>;
  pieces?: Array<Piece>;
  irreversible?: Array<Act>;
  inputs?: Array<FedInput>;
  batch_key?: string;
};

export type DecisionsCounted = {
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

export type DefinitionShown = {
  origin: string;
  tool: string;
  agent: string;
  digest: string;
  differences: Array<DifferenceShown>;
};

export type DefinitionsShown = {
  items: Array<DefinitionShown>;
};

export type Delivery = "wait" | "suspend" | "propose";

export type Dialect = "shell" | "powershell" | "path" | "text";

export type DifferenceShown = {
  field: string;
  before: string | null;
  after: string | null;
};

export type Effect = "read" | "edit" | "write" | "execute" | "external" | "destructive";

export type EntryShown = {
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
};

export type Facts = {
  place: Place;
  real: Record<string, Array<string>>;
  contents: Record<string, string>;
  trusted_repository: boolean;
};

export type FedInput = {
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

export type FieldError = {
  field: string;
  reason: string;
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

export type FileShown = {
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

export type FileState = "new" | "changed" | "unfit" | "long" | "secret" | "binary" | "large" | "outside" | "unreachable";

export type FirstOffer = "exact" | "command" | "tool";

export type GrantShown = {
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
  items: Array<GrantShown>;
};

export type Health = {
  ok: boolean;
};

export type HitShown = {
  rule: string;
  hits: number;
  last: string;
};

export type HitsShown = {
  decisions: number;
  items: Array<HitShown>;
};

export type HypotheticalCall = {
  tool: string;
  args: Record<string, JsonValue>;
  agent?: string;
  conversation?: string;
  cwd?: string;
  preset?: string;
  mode?: string | null;
};

export type InputSource = "text" | "file" | "written-file" | "pipe" | "several" | "unknown-text" | "unknown-file" | "large-text";

export type Issue = {
  path: string;
  message: string;
};

export type Kind = "person" | "agent" | "service";

export type Layer = "shipped" | "managed" | "user" | "project" | "local" | "store" | "agent" | "conversation";

export type Lifetime = "restart" | "until" | "uses" | "forever";

export type LinkShown = {
  entry: EntryShown;
  writer: string;
  number: number;
  at: string;
  hash: string;
  version: number;
  called?: CallRecordShown | null;
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

export type ModeShown = {
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
  items: Array<PersonShown>;
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

export type PersonShown = {
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
  rule?: string | null;
};

export type Place = {
  roots: Array<string>;
  cwd: string;
  home: string;
  case_sensitive: boolean;
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

export type PresetShown = {
  name: string;
  purpose: string;
  modes: Array<ModeShown>;
  fallback: "run" | "ask" | "deny" | "absent";
  delivery: Delivery;
  expires_after: number | null;
  always: AlwaysShown;
};

export type PresetsShown = {
  items: Array<PresetShown>;
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
};

export type ProposalToken = {
  token: string;
};

export type Purpose = "token" | "session" | "link";

export type QuestionRef = {
  id: string;
  digest?: string | null;
};

export type QuestionsCounted = {
  asked: number;
  yes: number;
  no: number;
  released: number;
  expired: number;
  withdrawn: number;
  open: number;
};

export type Readiness = {
  ok: boolean;
  differs: Array<string>;
};

export type Refuse = {
  outcome: "refuse";
  turn: string;
  code: Code;
  message: string;
  reason: string;
  retry_after: number | null;
  issues: Array<Issue>;
};

export type ReportIn = {
  claim: string;
  failed?: boolean;
  note?: string;
};

export type Role = "owner" | "approver" | "viewer";

export type RoleIn = {
  subject: string;
  role: Role | null;
};

export type RolesShown = {
  roles: Record<string, Role>;
};

export type RuleCounted = {
  questions: QuestionsCounted;
  median: number | null;
  stage: string;
  rule: string;
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

export type RuleWidth = "exact" | "sub-command" | "program" | "directory" | "tool";

export type RulesShown = {
  items: Array<RuleShown>;
};

export type Run = {
  outcome: "run";
  turn: string;
  call: Called;
  decision: Decision;
  approval: string;
  claim: string;
};

export type Say = "once" | "conversation" | "always" | "deny";

export type Scope = "conversation" | "agent" | "user_agent" | "user" | "everyone";

export type Stage = "unknown" | "unauthorized" | "blocked" | "deny-rule" | "plan" | "breaker" | "protected-path" | "ask-rule" | "destructive" | "unreadable" | "unresolved" | "changed" | "paused" | "outside" | "read" | "tier" | "grant" | "allow-rule" | "mode" | "fallback" | "unattended";

export type State = "pending" | "approved" | "running" | "done" | "failed" | "denied" | "expired" | "withdrawn" | "lapsed" | "refused" | "unknown";

export type Step = {
  stage: Stage;
  verdict: "run" | "ask" | "deny" | "absent";
  reason: string;
  rule?: string | null;
  part?: string | null;
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
};

export type Suggestion = {
  width: RuleWidth;
  rules: Array<string>;
  as_grant: boolean;
  irreversible: Array<string>;
};

export type TallyShown = {
  questions: QuestionsCounted;
  median: number | null;
  decisions: DecisionsCounted;
  buckets: Array<BucketCounted>;
  tools: Array<ToolCounted>;
  rules: Array<RuleCounted>;
};

export type Tier = "always_allow" | "needs_approval" | "blocked";

export type TokenIn = {
  kind: Kind;
  name: string;
  on_behalf?: string;
  label?: string;
  seconds?: number | null;
};

export type ToolChange = {
  toolName: string;
  providerKey?: string | null;
  status: Tier | null;
};

export type ToolChanges = {
  tools: Array<ToolChange>;
};

export type ToolCounted = {
  questions: QuestionsCounted;
  median: number | null;
  tool: string;
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

export type ToolShown = {
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

export type Trust = "server" | "trusted" | "client";

export type Wait = {
  outcome: "wait";
  turn: string;
  approval: string;
  decision: Decision;
  expires_at: string | null;
  token: string;
};

export type WaitIn = {
  seconds?: number;
  nonce?: string | null;
};

export type WithdrawalIn = {
  why?: string;
};
