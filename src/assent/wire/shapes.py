"""The JSON that the functions of this package write, as types: the API's document is generated from them.

`Annotated[str, State]` is a string that is one of the values of `State`.
"""

from typing import Annotated, Literal, NotRequired, TypedDict

from assent.engine.irreversible.act import Loss
from assent.engine.model import Dialect, Effect, PathKind
from assent.engine.rule import RuleList
from assent.engine.suggest import Width
from assent.engine.verdict import Stage
from assent.gate.access import Kind
from assent.gate.approval import Say, State
from assent.gate.filepreview import FileState
from assent.gate.outcome import Code
from assent.gate.preset import Delivery, Lifetime, Scope
from assent.gate.register import Purpose

VerdictWord = Annotated[str, Literal["run", "ask", "deny", "absent"]]
Json = dict[str, object]
"""An object whose members are not described."""


class Called(TypedDict):
    """A call as it was taken."""

    tool: str
    args: Json
    id: str
    agent: str
    conversation: str
    user: str
    cwd: str


class ToolShown(TypedDict):
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


class Step(TypedDict):
    """One stage of a decision that gave a verdict."""

    stage: Annotated[str, Stage]
    verdict: VerdictWord
    reason: str
    rule: NotRequired[str | None]
    part: NotRequired[str | None]


class Piece(TypedDict):
    """A part of a call's text, up to the start of the next one, with its own verdict."""

    start: int
    """Its first character, in code points."""
    verdict: VerdictWord
    reason: str
    rule: NotRequired[str | None]


class ActValues(TypedDict):
    """What an irreversible act is about."""

    kind: str
    """The kind of thing that is lost: `namespace`, `table`."""
    name: str
    """Its name, if the call contains it."""


class Act(TypedDict):
    """Something irreversible that the call would do, as a code and its values."""

    code: Annotated[str, Loss]
    values: ActValues


class Decision(TypedDict):
    """What was decided, and why."""

    verdict: VerdictWord
    stage: Annotated[str, Stage]
    because: str
    rule: NotRequired[str | None]
    part: NotRequired[str | None]
    always_offered: bool
    steps: list[Step]
    pieces: NotRequired[list[Piece]]
    """The parts of a question about several commands; empty for a single one, and without a question."""
    irreversible: NotRequired[list[Act]]
    """What is irreversible; it never changes the verdict."""
    batch_key: NotRequired[str]
    """Questions with the same key may be allowed together; without a key only by itself."""


class Issue(TypedDict):
    """Something wrong with the arguments."""

    path: str
    message: str


class Run(TypedDict):
    """The call may run now, once, with these arguments; report to `approval` with `claim` if there is one."""

    outcome: Literal["run"]
    turn: str
    call: Called
    decision: Decision
    approval: str
    claim: str


class Wait(TypedDict):
    """The call waits for a person."""

    outcome: Literal["wait"]
    turn: str
    approval: str
    decision: Decision
    expires_at: str | None
    token: str
    """The token that applies a proposal; empty for a call that waits."""


class Refuse(TypedDict):
    """The call does not run; the message is for the model, the reason is a person's."""

    outcome: Literal["refuse"]
    turn: str
    code: Annotated[str, Code]
    message: str
    reason: str
    again_after: float | None
    """Seconds after which the same call may be tried again, if waiting helps."""
    issues: list[Issue]


class Applied(TypedDict):
    """The gate ran the call itself."""

    outcome: Literal["applied"]
    turn: str
    approval: str
    result: object


Outcome = Run | Wait | Refuse | Applied


class Place(TypedDict):
    """Where a call would happen."""

    roots: list[str]
    cwd: str
    home: str
    case_sensitive: bool


class Facts(TypedDict):
    """What the file system contained."""

    place: Place
    real: dict[str, list[str]]
    trusted_repository: bool


class AnswerShown(TypedDict):
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


class FileShown(TypedDict):
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
    """The part of the file that lines are counted in, such as `cell 3`; empty for the whole file."""
    why: str
    """Why there is no diff; empty if there is one."""
    changes: int
    """How often the file changed after the call was allowed."""


class Approval(TypedDict):
    """A question and its state."""

    id: str
    call: Called
    tool: ToolShown
    cwd: str
    digest: str
    """What an answer must repeat: the digest of the call and of the file that was shown."""
    call_digest: str
    decision: Decision
    facts: Facts
    owner: str
    turn: str
    lineage: list[str]
    preset: str
    mode: str
    delivery: Annotated[str, Delivery]
    asked_at: str
    expires_at: str | None
    usable_for: float
    state: Annotated[str, State]
    later_at: str | None
    answer: AnswerShown | None
    answered_at: str | None
    closed_at: str | None
    note: str
    preview: Json | None
    file: FileShown | None
    locked: bool
    """Asked each time: no rule, grant or mode can allow this call."""
    clipped: bool
    """Only the head, the tail and the parts are included, and no digest: read the question by its id."""
    size: int | None
    """Bytes of the whole question, if it is clipped."""


class Suggestion(TypedDict):
    """Rules that would have allowed this call."""

    width: Annotated[str, Width]
    rules: list[str]
    as_grant: bool
    irreversible: list[str]
    """Irreversible commands that these rules would also allow."""


class EntryShown(TypedDict):
    """One entry: who, which tool, and what was decided; never arguments."""

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


class CallRecordShown(TypedDict):
    """The call of a row, as long as its approval is kept."""

    asked: Json
    ran: Json | None
    clipped: bool
    """Too large for a list: only the beginning and the end of the values are included."""


class LinkShown(TypedDict):
    """An entry and its position in the chain of its writer."""

    entry: EntryShown
    writer: str
    number: int
    at: str
    hash: str
    called: NotRequired[CallRecordShown | None]
    """With `calls=true`: the call as it was asked about and as it ran, until it is scrubbed."""


class ConversationShown(TypedDict):
    """A conversation."""

    id: str
    owner: str
    agent: str
    preset: str
    mode: str
    title: str
    model: str
    at: str | None


class DifferenceShown(TypedDict):
    """A changed field of a definition; both values are JSON, null if the field is missing."""

    field: str
    before: str | None
    after: str | None


class DefinitionShown(TypedDict):
    """A tool whose definition differs from the accepted one: its calls need approval."""

    origin: str
    tool: str
    agent: str
    """The agent that it is offered to; empty for all."""
    digest: str
    """The digest of the current definition."""
    differences: list[DifferenceShown]
    """Empty if an earlier version stored only the digest of the accepted definition."""


class RuleStored(TypedDict):
    """A rule in the store."""

    id: str
    list: Annotated[str, RuleList]
    text: str
    conversation: str | None
    agent: str | None
    user: str | None
    by: str
    approval: str
    why: str
    at: str | None


class GrantShown(TypedDict):
    """A standing approval."""

    id: str
    pattern: str
    conversation: str | None
    agent: str | None
    user: str | None
    lifetime: Annotated[str, Lifetime]
    boot: str
    until: str | None
    uses: int | None
    by: str
    approval: str
    override: bool
    at: str | None


class CredentialShown(TypedDict):
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


class PersonShown(TypedDict):
    """A person."""

    id: str
    name: str
    administrator: bool
    disabled_at: str | None
    added_at: str | None
