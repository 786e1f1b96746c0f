"""What the audit adds up to as JSON, and which of its rows are counted."""

from typing import Annotated

from pydantic import Field

from assent.gate.history import BucketSize
from assent.surfaces.http.models.base import Asked, Id, Moment, Sent, ToolName

SpanWord = Annotated[BucketSize, Field(strict=False)]


class HitsAsked(Asked):
    """In which time a rule decided."""

    since: Moment | None = None
    until: Moment | None = None


class TallyAsked(HitsAsked):
    """Which decisions and questions are counted; an answer counts whenever it came."""

    agent: Id | None = None
    user: Id | None = None
    conversation: Id | None = None
    tool: ToolName | None = None
    bucket: SpanWord = BucketSize.HOUR


class DecisionsCounted(Sent):
    """How many calls were decided, by verdict."""

    run: int
    ask: int
    deny: int
    absent: int


class QuestionsCounted(Sent):
    """How many calls a person was asked about, and what became of the questions."""

    asked: int
    """All of them; a call that is sent again counts once."""
    yes: int
    no: int
    released: int
    """Answered by what a person said to another one."""
    expired: int
    withdrawn: int
    open: int


class Counted(Sent):
    """Questions, and how long people took."""

    questions: QuestionsCounted
    median: float | None
    """The middle of the seconds until a person said yes or no."""


class BucketCounted(Sent):
    """What happened in one hour or day."""

    at: str
    """When it begins."""
    decisions: DecisionsCounted
    questions: QuestionsCounted


class ToolCounted(Counted):
    """The questions about one tool."""

    tool: str


class RuleCounted(Counted):
    """The questions that one stage asked, or one rule in it."""

    stage: str
    rule: str
    """As the audit names it: the id of a stored rule, or what a file says. Empty where it was none."""


class TallyShown(Counted):
    """What the audit adds up to, exactly, over the whole store."""

    decisions: DecisionsCounted
    buckets: list[BucketCounted]
    """Those in which anything happened, oldest first, in UTC."""
    tools: list[ToolCounted]
    """Most questions first."""
    rules: list[RuleCounted]
    """Most questions first."""


class HitShown(Sent):
    """How often a rule decided, and when last."""

    rule: str
    """As the audit names it: the id of a stored rule, or what a file says."""
    hits: int
    last: str


class HitsShown(Sent):
    """How often each rule decided, most often first; a rule that never did is not there."""

    decisions: int
    """How many there were, with rules and without."""
    items: list[HitShown]
