"""Counts over the audit, so that a person sees which rules and tools cause questions, and its calls."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, TypeVar

from assent.engine.verdict import Verdict
from assent.errors import NotFoundError
from assent.gate.approval import Excerpt, State
from assent.gate.audit import Link


class BucketSize(StrEnum):
    """The length of a time bucket; buckets begin on the hour, or at midnight, in UTC."""

    HOUR = "hour"
    DAY = "day"

    @property
    def seconds(self) -> int:
        """The length in seconds."""
        return 3_600 if self is BucketSize.HOUR else 86_400


class QuestionEnd(StrEnum):
    """How a question ended."""

    YES = "yes"
    NO = "no"
    RELEASED = "released"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    OPEN = "open"


QUESTION_ENDS: Mapping[str, QuestionEnd] = {
    "approved": QuestionEnd.YES,
    "denied": QuestionEnd.NO,
    "denied_with_reason": QuestionEnd.NO,
    "released": QuestionEnd.RELEASED,
    "expired": QuestionEnd.EXPIRED,
    "withdrawn": QuestionEnd.WITHDRAWN,
}
"""The audit decisions that end a question; each question has at most one of them."""
ANSWERED = frozenset({QuestionEnd.YES, QuestionEnd.NO})
"""The ends by an answer to this question."""
VERDICTS = tuple(one.word for one in Verdict)

Key = TypeVar("Key", str, "Cause")
Item = TypeVar("Item", "VerdictCount", "QuestionCount")
Group = TypeVar("Group", datetime, str, "Cause")
Counts = Mapping[str, int]
"""Numbers by verdict or by end; every key is present."""


class Cause(NamedTuple):
    """Why a call was asked: the stage, and the rule if one decided."""

    stage: str
    rule: str = ""


class VerdictCount(NamedTuple):
    """The number of decisions with one verdict in one bucket."""

    at: datetime
    verdict: str
    number: int = 1


class QuestionCount(NamedTuple):
    """The number of questions of one kind in one bucket."""

    at: datetime
    tool: str
    cause: Cause
    end: QuestionEnd
    number: int = 1


@dataclass(frozen=True, slots=True)
class Medians:
    """The median seconds until an answer; None without answers."""

    total: float | None
    tools: Mapping[str, float]
    causes: Mapping[Cause, float]


@dataclass(frozen=True, slots=True)
class QuestionStats:
    """The number of questions by end, and the median seconds until an answer."""

    questions: Counts
    median: float | None = None


@dataclass(frozen=True, slots=True)
class Bucket:
    """The counts of one hour or day."""

    at: datetime
    decisions: Counts
    questions: Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """All counts; a call that is sent twice is one question and two decisions."""

    decisions: Counts
    total: QuestionStats
    buckets: tuple[Bucket, ...]
    """The buckets that are not empty, oldest first."""
    tools: tuple[tuple[str, QuestionStats], ...]
    """Most questions first."""
    causes: tuple[tuple[Cause, QuestionStats], ...]
    """Most questions first."""


class RuleHits(NamedTuple):
    """How often a rule decided, and when last; named as in the audit."""

    rule: str
    hits: int
    last: datetime


def tally(verdicts: Iterable[VerdictCount], questions: Iterable[QuestionCount], medians: Medians) -> Tally:
    """Combine partial counts."""
    decided, asked = list(verdicts), list(questions)
    return Tally(
        decisions=_by_verdict(decided),
        total=QuestionStats(_by_end(asked), medians.total),
        buckets=_buckets(decided, asked),
        tools=_stats_by(asked, _tool, medians.tools),
        causes=_stats_by(asked, _cause, medians.causes),
    )


def _by_verdict(decided: Iterable[VerdictCount]) -> Counts:
    counts = dict.fromkeys(VERDICTS, 0)
    for one in decided:
        counts[one.verdict] += one.number
    return counts


def _by_end(asked: Iterable[QuestionCount]) -> Counts:
    counts = dict.fromkeys(map(str, QuestionEnd), 0)
    for one in asked:
        counts[one.end] += one.number
    return counts


def _buckets(decided: Sequence[VerdictCount], asked: Sequence[QuestionCount]) -> tuple[Bucket, ...]:
    decisions, questions = _grouped(decided, _at), _grouped(asked, _at)
    moments = sorted({*decisions, *questions})
    return tuple(
        Bucket(at, _by_verdict(decisions.get(at, ())), _by_end(questions.get(at, ()))) for at in moments
    )


def _stats_by(
    asked: Iterable[QuestionCount], key: Callable[[QuestionCount], Key], medians: Mapping[Key, float]
) -> tuple[tuple[Key, QuestionStats], ...]:
    loads = {
        name: QuestionStats(_by_end(those), medians.get(name)) for name, those in _grouped(asked, key).items()
    }
    return tuple(sorted(loads.items(), key=lambda item: (-sum(item[1].questions.values()), item[0])))


def _grouped(items: Iterable[Item], key: Callable[[Item], Group]) -> Mapping[Group, Sequence[Item]]:
    groups: defaultdict[Group, list[Item]] = defaultdict(list)
    for one in items:
        groups[key(one)].append(one)
    return groups


def _at(one: VerdictCount | QuestionCount) -> datetime:
    return one.at


def _tool(one: QuestionCount) -> str:
    return one.tool


def _cause(one: QuestionCount) -> Cause:
    return one.cause


_ALLOWED = frozenset({State.APPROVED, State.RUNNING, State.DONE, State.FAILED, State.UNKNOWN})
"""The states of calls that ran or may run."""


class CallRecord(NamedTuple):
    """The arguments of a call in an audit row, which itself has only digests."""

    asked: Mapping[str, object]
    ran: Mapping[str, object] | None
    """The arguments that ran, possibly edited by a person; None where the call was not allowed."""
    clipped: bool = False
    """Whether the values are shortened because they are too large for a list."""


def call_record(excerpt: Excerpt) -> CallRecord | None:
    """The call of an approval; None after its arguments were deleted."""
    approval = excerpt.approval
    # Every approval has at least one step; the steps are deleted together with the arguments.
    if not approval.decision.steps:
        return None
    ran = approval.approved_call.args if approval.state in _ALLOWED else None
    return CallRecord(approval.call.args, ran, excerpt.clipped)


async def call_records(
    look: Callable[[str], Awaitable[Excerpt]], links: Iterable[Link]
) -> Mapping[str, CallRecord]:
    """The calls of audit rows by approval id, without those that `look` may not see."""
    ids = list(dict.fromkeys(link.entry.approval for link in links if link.entry.approval))
    found = await asyncio.gather(*(_record_if_visible(look, id_) for id_ in ids))
    return {id_: one for id_, one in zip(ids, found, strict=True) if one is not None}


async def _record_if_visible(look: Callable[[str], Awaitable[Excerpt]], id_: str) -> CallRecord | None:
    try:
        return call_record(await look(id_))
    except NotFoundError:
        return None
