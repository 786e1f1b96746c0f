"""A question as JSON, and what a person says to it."""

from typing import Annotated, Literal

from pydantic import Field

from assent.engine.model import Effect
from assent.engine.suggestions import Width
from assent.gate.approval import LONGEST_REASON, Say, State
from assent.gate.filepreview import FileState
from assent.gate.preset import Becomes, Delivery, Lifetime, Scope
from assent.surfaces.http.models.base import (
    WHOLE,
    Args,
    Choice,
    Digest,
    Id,
    LifetimeWord,
    Line,
    Mark,
    Moment,
    Paging,
    Received,
    RuleText,
    ScopeWord,
    Sent,
    ToolName,
)
from assent.surfaces.http.models.call import Called
from assent.surfaces.http.models.decision import Decision
from assent.surfaces.http.models.tool import ToolShown

MOST_AT_ONCE = 100
"""Questions that one batch may answer."""


class ApprovalsAsked(Paging):
    """Which questions are meant."""

    state: list[State] = Field(default_factory=list[State])
    agent: Id | None = None
    conversation: Id | None = None
    tool: ToolName | None = None
    effect: Effect | None = None
    later: Literal["true", "false"] | None = None
    q: Line = ""
    """Within the tool's name, the agent's, the conversation's id or its title."""


class Said(Received):
    """What a person says; `rules`, `scope`, `lifetime`, `until` and `uses` go with `always`.

    Every limit that is named holds; limits that contradict each other are refused.
    """

    say: Annotated[Say, Field(strict=False)]
    # Longer is told apart from what has the wrong shape: the question stays, and the text can be cut.
    reason: Annotated[str, Field(pattern=r"^[^\x00]*$", json_schema_extra={"maxLength": LONGEST_REASON})] = ""
    rules: Annotated[list[RuleText], Field(max_length=100)] = Field(default_factory=list[RuleText])
    scope: ScopeWord | None = None
    lifetime: LifetimeWord | None = None
    until: Moment | None = None
    uses: Annotated[int, Field(ge=1, le=1_000_000), WHOLE] | None = None
    args: Args | None = None


class AnswerIn(Received):
    """An answer, bound to what was shown."""

    digest: Digest | None = None
    """Of the whole question, as its detail gives it; only `deny` does without."""
    answer: Said


class Shown(Received):
    """A question as somebody saw it."""

    id: Mark
    digest: Digest | None = None


class Batch(Received):
    """One answer to each question of an explicit list."""

    questions: Annotated[list[Shown], Field(min_length=1, max_length=MOST_AT_ONCE)]
    answer: Said


class Place(Sent):
    """Where a call would happen."""

    roots: list[str]
    cwd: str
    home: str
    case_sensitive: bool


class Facts(Sent):
    """What the file system said."""

    place: Place
    real: dict[str, list[str]]
    contents: dict[str, str]
    """The SHA-256 of each file that is fed to a command."""
    trusted_repository: bool


class AnswerShown(Sent):
    """What a person said."""

    say: Say
    by: str
    reason: str
    rules: list[str]
    scope: Scope | None
    lifetime: Lifetime | None
    until: str | None
    uses: int | None
    args: Args | None
    released_by: str


class FileShown(Sent):
    """The file that a call would change, as it was when the question was asked or asked again."""

    path: str
    state: FileState
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


class Approval(Sent):
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
    delivery: Delivery
    asked_at: str
    expires_at: str | None
    usable_for: float
    state: State
    later_at: str | None
    answer: AnswerShown | None
    answered_at: str | None
    closed_at: str | None
    note: str
    preview: Args | None
    file: FileShown | None
    locked: bool
    """Asked each time: no rule, grant or mode would spare this question."""
    clipped: bool
    """Only the head, the tail and the parts are here, and no digest: read the question by its id."""
    size: int | None
    """Bytes of the whole question where it is clipped."""


class Approvals(Sent):
    """A page of questions, oldest first."""

    items: list[Approval]
    next: str | None


class Suggestion(Sent):
    """Rules that would have spared this question."""

    width: Width
    rules: list[str]
    as_grant: bool
    irreversible: list[str]
    """Commands that these rules would cover, too, and that cannot be undone."""


class Always(Sent):
    """What "always" becomes under this question's preset."""

    becomes: Becomes
    scope: Scope | Choice
    lifetime: Lifetime | Choice
    widened: bool
    conversation: list[str]
    """What a yes for the conversation would cover, as rules spell it; nothing where there is no such yes."""


class ApprovalDetail(Approval):
    """A question with all that a person needs to answer it well."""

    diff: str
    """What changes in `file`, a unified diff without headings; empty where there is none to show."""
    suggestions: list[Suggestion]
    always: Always


class Answered(Sent):
    """What came of one question of a batch."""

    id: str
    outcome: Literal["answered", "refused"]
    state: State | None
    problem: str
    """Why it was not answered; empty where it was."""


class BatchResult(Sent):
    """What came of each question, in the order of the request."""

    results: list[Answered]
