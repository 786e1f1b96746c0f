"""Types of the JSON that this package writes; the API document is generated from them.

`Annotated[str, State]` is a string that is one of the values of `State`.
"""

from typing import Annotated, Literal, NotRequired, TypedDict

from assent.engine.base.tool import Dialect, Effect, PathKind
from assent.engine.suggestions import RuleWidth
from assent.gate.access import Kind
from assent.gate.answer import Say
from assent.gate.approval import State
from assent.gate.calls import Code
from assent.gate.file_preview import FileState
from assent.gate.people import Purpose
from assent.gate.preset import Delivery, Lifetime, Scope
from assent.wire.decision_shapes import Decision

Choice = Annotated[str, Literal["choice"]]
"""The person who answers chooses; no answer contains this word."""
Json = dict[str, object]
"""A JSON object with any members."""


class CallJson(TypedDict):
    """A call as the gate received it."""

    tool: str
    args: Json
    id: str
    agent: str
    conversation: str
    user: str
    cwd: str


class ToolJson(TypedDict):
    """A tool as it is defined, or was when the question was asked."""

    name: str
    effect: Annotated[str, Effect]
    dialect: Annotated[str, Dialect]
    template: str | None
    paths: Annotated[str, PathKind]
    description: str
    parameters: Json
    origin: str
    group: str
    reads: bool


class Issue(TypedDict):
    """An error in the arguments of a call."""

    path: str
    message: str


class RememberedShown(TypedDict):
    """A rule that the answer wrote, so that later calls run without asking."""

    rule: str
    scope: Annotated[str, Scope]
    lifetime: Annotated[str, Lifetime]
    until: str | None
    uses: int | None


class Run(TypedDict):
    """The call may run now, once, with these arguments; report to `approval` with `claim` if there is one."""

    outcome: Literal["run"]
    turn: str
    call: CallJson
    decision: Decision
    approval: str
    claim: str
    remembered: list[RememberedShown]
    """The rules that the answer wrote, so that a host can give them to its client; empty for a yes once."""


class Wait(TypedDict):
    """The call waits for a person."""

    outcome: Literal["wait"]
    turn: str
    approval: str
    decision: Decision
    expires_at: str | None
    token: str
    """The token that applies a proposal; empty for a call that waits."""
    leased_until: str | None
    """The end of the caller's lease, which every wait renews; null without a lease."""


class Refuse(TypedDict):
    """The call does not run; the message is for the model, the reason is a person's."""

    outcome: Literal["refuse"]
    turn: str
    code: Annotated[str, Code]
    message: str
    reason: str
    retry_after: float | None
    """Seconds after which the same call may be tried again, if waiting helps."""
    issues: list[Issue]


class Applied(TypedDict):
    """The gate ran the call itself."""

    outcome: Literal["applied"]
    turn: str
    approval: str
    result: object


Outcome = Run | Wait | Refuse | Applied


class CallDirectories(TypedDict):
    """The directories in which a call would run."""

    roots: list[str]
    cwd: str
    home: str
    case_sensitive: bool
    made: NotRequired[list[str]]
    """What the conversation made outside of the workspace; left out if it made nothing."""


class Facts(TypedDict):
    """The facts about the file system on which a decision is based."""

    place: CallDirectories
    real: dict[str, list[str]]
    contents: dict[str, str]
    """The SHA-256 of each file that is the input of a command."""
    trusted_repository: bool
    findings: dict[str, str]
    """What each search for files that name code found, by its key; empty if it found nothing."""


class AnswerJson(TypedDict):
    """A person's answer."""

    say: Annotated[str, Say]
    by: str
    reason: str
    rules: list[str]
    scope: Annotated[str, Scope] | None
    lifetime: Annotated[str, Lifetime] | None
    until: str | None
    uses: int | None
    args: Json | None
    released_by: str


class FileJson(TypedDict):
    """The file that a call would change, as it was when the question was asked or asked again."""

    path: str
    state: Annotated[str, FileState]
    digest: str
    """The SHA-256 of the file; a word where it was not read."""
    added: int
    removed: int
    lines: int
    """Lines of the file before the change."""
    within: str
    """The part of the file in which lines are counted, such as `cell 3`; empty for the whole file."""
    why: str
    """Why there is no diff; empty if there is one."""
    changes: int
    """How often the file changed after the call was allowed."""


class SubAgentShown(TypedDict):
    """A sub-agent as its caller named it."""

    id: str
    kind: str


class Approval(TypedDict):
    """A question and its state."""

    id: str
    call: CallJson
    tool: ToolJson
    cwd: str
    digest: str
    """The digest of the call and of the shown file, which an answer must repeat."""
    call_digest: str
    decision: Decision
    facts: Facts
    owner: str
    turn: str
    lineage: list[str]
    """The agents that started this agent, nearest first."""
    sub_agents: list[SubAgentShown]
    """The sub-agents of this agent for which the call is made, as the caller named them, outermost first."""
    preset: str
    mode: str
    delivery: Annotated[str, Delivery]
    asked_at: str
    expires_at: str | None
    usable_for: float
    state: Annotated[str, State]
    later_at: str | None
    answer: AnswerJson | None
    answered_at: str | None
    closed_at: str | None
    note: str
    preview: Json | None
    file: FileJson | None
    locked: bool
    """Whether a person is asked every time: no rule, grant or mode can allow this call."""
    clipped: bool
    """Whether only excerpts of the question are included, without a digest: read it by its id."""
    size: int | None
    """Bytes of the whole question, if it is clipped."""


class Suggestion(TypedDict):
    """Rules that would have allowed this call."""

    width: Annotated[str, RuleWidth]
    rules: list[str]
    as_grant: bool
    irreversible: list[str]
    """Irreversible commands that these rules would also allow."""


class EntryJson(TypedDict):
    """An audit entry: who called which tool, and what was decided; never arguments."""

    id: str
    user: str
    agent: str
    conversation: str
    call: str
    tool: str
    verdict: str
    stage: str
    rule: str
    decision: str
    with_override: bool
    reason: str
    mode: str
    policy_version: int
    approval: str
    asked_digest: str
    """The digest of the call as it was asked about; empty without a question."""
    ran_digest: str
    """The digest of the call as it was allowed or ran."""
    sub_agents: str
    """The sub-agents that the caller named, as JSON: a list of ids and kinds, outermost first."""


class CallRecordJson(TypedDict):
    """The arguments of an audited call, as long as they are stored."""

    asked: Json
    ran: Json | None
    clipped: bool
    """Whether the values are shortened to their beginning and end."""


class LinkJson(TypedDict):
    """An entry and its position in the chain of its writer."""

    entry: EntryJson
    writer: str
    number: int
    at: str
    hash: str
    version: int
    """The version of the list of fields that the hash covers."""
    called: NotRequired[CallRecordJson | None]
    """With `calls=true`: the arguments as asked and as run, until they are deleted."""


class ConversationJson(TypedDict):
    """A conversation."""

    id: str
    owner: str
    agent: str
    preset: str
    mode: str
    title: str
    model: str
    at: str | None


class CredentialJson(TypedDict):
    """A credential without its secret."""

    id: str
    purpose: Annotated[str, Purpose]
    kind: Annotated[str, Kind]
    principal_id: str
    on_behalf: str
    label: str
    made_by: str
    made_at: str | None
    expires_at: str | None


class PersonJson(TypedDict):
    """A person."""

    id: str
    name: str
    administrator: bool
    disabled_at: str | None
    added_at: str | None
