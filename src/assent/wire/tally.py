"""What the audit adds up to as JSON."""

from collections.abc import Sequence
from typing import TypedDict, cast

from assent.gate.tally import Bucket, Counts, Hit, Load, Tally
from assent.wire.moment import moment_to_json


class DecisionsCounted(TypedDict):
    """The number of decisions, by verdict."""

    run: int
    ask: int
    deny: int
    absent: int


class QuestionsCounted(TypedDict):
    """The number of questions, by their result."""

    asked: int
    """All questions; a repeated call counts once."""
    yes: int
    no: int
    released: int
    """Answered together with another question."""
    expired: int
    withdrawn: int
    open: int


class Counted(TypedDict):
    """Questions, and the time to their answers."""

    questions: QuestionsCounted
    median: float | None
    """The median of the seconds until an answer."""


class BucketCounted(TypedDict):
    """The numbers of one hour or day."""

    at: str
    """Its beginning."""
    decisions: DecisionsCounted
    questions: QuestionsCounted


class ToolCounted(Counted):
    """The questions about one tool."""

    tool: str


class RuleCounted(Counted):
    """The questions that one stage asked, or one rule in it."""

    stage: str
    rule: str
    """The rule as in the audit: the id of a stored rule, or its place in a file; empty without a rule."""


class TallyShown(Counted):
    """Exact numbers over the whole audit."""

    decisions: DecisionsCounted
    buckets: list[BucketCounted]
    """The hours or days with any decision or question, oldest first, in UTC."""
    tools: list[ToolCounted]
    """Most questions first."""
    rules: list[RuleCounted]
    """Most questions first."""


class HitShown(TypedDict):
    """The number of decisions of a rule, and the time of the last one."""

    rule: str
    """The rule as in the audit: the id of a stored rule, or its place in a file."""
    hits: int
    last: str


class HitsShown(TypedDict):
    """The number of decisions of each rule, the highest first; rules without any are left out."""

    decisions: int
    """All decisions, with and without a rule."""
    items: list[HitShown]


def tally_to_json(tally: Tally) -> TallyShown:
    """All of it."""
    return {
        "decisions": cast("DecisionsCounted", dict(tally.decisions)),
        **_load(tally.every),
        "buckets": [_bucket(one) for one in tally.buckets],
        "tools": [{"tool": tool, **_load(load)} for tool, load in tally.tools],
        "rules": [{"stage": cause.stage, "rule": cause.rule, **_load(load)} for cause, load in tally.causes],
    }


def hits_to_json(decisions: int, hits: Sequence[Hit]) -> HitsShown:
    """How often each rule decided, out of so many decisions."""
    return {
        "decisions": decisions,
        "items": [{"rule": one.rule, "hits": one.hits, "last": moment_to_json(one.last)} for one in hits],
    }


def _load(load: Load) -> Counted:
    return {"questions": _questions(load.questions), "median": load.median}


def _bucket(bucket: Bucket) -> BucketCounted:
    return {
        "at": moment_to_json(bucket.at),
        "decisions": cast("DecisionsCounted", dict(bucket.decisions)),
        "questions": _questions(bucket.questions),
    }


def _questions(counts: Counts) -> QuestionsCounted:
    return cast("QuestionsCounted", {"asked": sum(counts.values()), **counts})
