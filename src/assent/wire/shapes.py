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
    """A tool as it is defined, or was when a question was asked."""

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
    """One stage that spoke."""

    stage: Annotated[str, Stage]
    verdict: VerdictWord
    reason: str
    rule: NotRequired[str | None]
    part: NotRequired[str | None]


class Piece(TypedDict):
    """A stretch of a call's text, from here to the next one, by itself."""

    start: int
    """Its first character, in code points."""
    verdict: VerdictWord
    reason: str
    rule: NotRequired[str | None]


class ActValues(TypedDict):
    """What an irreversible act is about."""

    kind: str
    """What sort of thing is lost, as its field calls it: `namespace`, `table`."""
    name: str
    """Which one, as far as the call says."""


class Act(TypedDict):
    """Something that the call would do and nobody can undo: a code and its values, for one's own words."""

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
    """How a question about several commands is told apart; empty for one, and where nobody was asked."""
    irreversible: NotRequired[list[Act]]
    """What cannot be undone; it never changes the verdict."""
    batch_key: NotRequired[str]
    """Questions with the same one may be allowed together; without one it is allowed by itself."""


class Issue(TypedDict):
    """Something wrong with the arguments."""

    path: str
    message: str


class Run(TypedDict):
    """It may run now, once, with these arguments; report to `approval` with `claim` where there is one."""

    outcome: Literal["run"]
    turn: str
    call: Called
    decision: Decision
    approval: str
    claim: str


class Wait(TypedDict):
    """A person has been asked."""

    outcome: Literal["wait"]
    turn: str
    approval: str
    decision: Decision
    expires_at: str | None
    token: str
    """What applies a proposal; empty for a call that waits."""


class Refuse(TypedDict):
    """It does not run; the message is for the model, the reason is what a person said."""

    outcome: Literal["refuse"]
    turn: str
    code: Annotated[str, Code]
    message: str
    reason: str
    again_after: float | None
    """In how many seconds the same call may be tried again, where time alone helps."""
    issues: list[Issue]


class Applied(TypedDict):
    """The gate ran it itself."""

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
    """What the file system said."""

    place: Place
    real: dict[str, list[str]]
    trusted_repository: bool


class AnswerShown(TypedDict):
    """What a person said."""

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
    """The SHA-256 of the file's bytes; a word where they were not read."""
    added: int
    removed: int
    lines: int
    """Lines of the file before the change."""
    within: str
    """The part of the file that lines are counted in, such as `cell 3`; empty for the whole file."""
    why: str
    """Why there is no diff; empty where there is one."""
    changes: int
    """How often the file changed after somebody had allowed the call."""


class Approval(TypedDict):
    """A question, and what became of it."""

    id: str
    call: Called
    tool: ToolShown
    cwd: str
    digest: str
    """What an answer must show: the digest of the call, and of the file that it was shown against."""
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
    """Asked each time: no rule, grant or mode would spare this question."""
    clipped: bool
    """Only the head, the tail and the parts are here, and no digest: read the question by its id."""
    size: int | None
    """Bytes of the whole question where it is clipped."""


class Suggestion(TypedDict):
    """Rules that would have spared this question."""

    width: Annotated[str, Width]
    rules: list[str]
    as_grant: bool
    irreversible: list[str]
    """Commands that these rules would cover, too, and that cannot be undone."""


class EntryShown(TypedDict):
    """Who, what tool, and what was decided; never arguments."""

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
    """The digest of the call as it was asked about; empty in a row that no question is behind."""
    ran_digest: str
    """The digest of the call as it was allowed or ran."""


class CallRecordShown(TypedDict):
    """The call behind a row, as far as its approval still holds it."""

    asked: Json
    ran: Json | None
    clipped: bool
    """Too large for a list: only the beginning and the end of the values are here."""


class LinkShown(TypedDict):
    """An entry in its place in a writer's chain."""

    entry: EntryShown
    writer: str
    number: int
    at: str
    hash: str
    called: NotRequired[CallRecordShown | None]
    """With `calls=true`: what was asked and what ran, until it is scrubbed, for who may see it."""


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
    """One field of a definition that is another now; each side is JSON, null where the field is not there."""

    field: str
    before: str | None
    after: str | None


class DefinitionShown(TypedDict):
    """A tool whose definition is another than the one that was accepted: its calls ask."""

    origin: str
    tool: str
    agent: str
    """The one agent that it is offered to; empty is all of them."""
    digest: str
    """Of the definition as it is now."""
    differences: list[DifferenceShown]
    """Empty where a version before kept only the digest of what was accepted."""


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
    """A remembered yes."""

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
    """What somebody proves themselves with, but for the secret."""

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
    """Somebody who is known."""

    id: str
    name: str
    administrator: bool
    disabled_at: str | None
    added_at: str | None
