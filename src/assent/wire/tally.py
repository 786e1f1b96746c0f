"""What the audit adds up to as JSON."""

from collections.abc import Sequence
from typing import TypedDict, cast

from assent.gate.tally import Bucket, Counts, Hit, Load, Tally
from assent.wire.moment import moment_to_json


class DecisionsCounted(TypedDict):
    """How many calls were decided, by verdict."""

    run: int
    ask: int
    deny: int
    absent: int


class QuestionsCounted(TypedDict):
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


class Counted(TypedDict):
    """Questions, and how long people took."""

    questions: QuestionsCounted
    median: float | None
    """The middle of the seconds until a person said yes or no."""


class BucketCounted(TypedDict):
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


class HitShown(TypedDict):
    """How often a rule decided, and when last."""

    rule: str
    """As the audit names it: the id of a stored rule, or what a file says."""
    hits: int
    last: str


class HitsShown(TypedDict):
    """How often each rule decided, most often first; a rule that never did is not there."""

    decisions: int
    """How many there were, with rules and without."""
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
