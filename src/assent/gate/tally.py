"""A tally: what the audit's rows add up to, so that a person sees where questions come from."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, TypeVar

from assent.engine.verdict import Verdict


class Span(StrEnum):
    """How long one bucket of a tally is; each begins on the hour, or at midnight, in UTC."""

    HOUR = "hour"
    DAY = "day"

    @property
    def seconds(self) -> int:
        """Its length."""
        return 3_600 if self is Span.HOUR else 86_400


class End(StrEnum):
    """What became of a question."""

    YES = "yes"
    NO = "no"
    RELEASED = "released"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    OPEN = "open"


ENDS: Mapping[str, End] = {
    "approved": End.YES,
    "denied": End.NO,
    "denied_with_reason": End.NO,
    "released": End.RELEASED,
    "expired": End.EXPIRED,
    "withdrawn": End.WITHDRAWN,
}
"""The decisions that end a question; each question has at most one of them."""
ANSWERED = frozenset({End.YES, End.NO})
"""The ends that a person gave to this very question."""
VERDICTS = tuple(one.word for one in Verdict)

Key = TypeVar("Key", str, "Cause")
Item = TypeVar("Item", "Verdicts", "Questions")
Group = TypeVar("Group", datetime, str, "Cause")
Counts = Mapping[str, int]
"""How many, by verdict or by end; every word is there."""


class Cause(NamedTuple):
    """What a call was asked for: the stage, and the rule where it was one."""

    stage: str
    rule: str = ""


class Verdicts(NamedTuple):
    """So many decisions of one kind in one bucket."""

    at: datetime
    verdict: str
    number: int = 1


class Questions(NamedTuple):
    """So many questions of one kind in one bucket."""

    at: datetime
    tool: str
    cause: Cause
    end: End
    number: int = 1


@dataclass(frozen=True, slots=True)
class Medians:
    """The middle of the seconds that people took to answer; where nobody did there is none."""

    every: float | None
    tools: Mapping[str, float]
    causes: Mapping[Cause, float]


@dataclass(frozen=True, slots=True)
class Load:
    """How many questions, what became of them, and how long people took."""

    questions: Counts
    median: float | None = None


@dataclass(frozen=True, slots=True)
class Bucket:
    """What happened in one hour or day."""

    at: datetime
    decisions: Counts
    questions: Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """All of it; a call that is sent again is one question, and two decisions."""

    decisions: Counts
    every: Load
    buckets: tuple[Bucket, ...]
    """Those in which anything happened, oldest first."""
    tools: tuple[tuple[str, Load], ...]
    """Most questions first."""
    causes: tuple[tuple[Cause, Load], ...]
    """Most questions first."""


class Hit(NamedTuple):
    """How often a rule decided, and when last; it is named as in the audit."""

    rule: str
    hits: int
    last: datetime


def tally(verdicts: Iterable[Verdicts], questions: Iterable[Questions], medians: Medians) -> Tally:
    """Add up what was counted in small parts."""
    decided, asked = list(verdicts), list(questions)
    return Tally(
        decisions=_by_verdict(decided),
        every=Load(_by_end(asked), medians.every),
        buckets=_buckets(decided, asked),
        tools=_loads(asked, _tool, medians.tools),
        causes=_loads(asked, _cause, medians.causes),
    )


def _by_verdict(decided: Iterable[Verdicts]) -> Counts:
    counts = dict.fromkeys(VERDICTS, 0)
    for one in decided:
        counts[one.verdict] += one.number
    return counts


def _by_end(asked: Iterable[Questions]) -> Counts:
    counts = dict.fromkeys(map(str, End), 0)
    for one in asked:
        counts[one.end] += one.number
    return counts


def _buckets(decided: Sequence[Verdicts], asked: Sequence[Questions]) -> tuple[Bucket, ...]:
    decisions, questions = _grouped(decided, _at), _grouped(asked, _at)
    moments = sorted({*decisions, *questions})
    return tuple(
        Bucket(at, _by_verdict(decisions.get(at, ())), _by_end(questions.get(at, ()))) for at in moments
    )


def _loads(
    asked: Iterable[Questions], key: Callable[[Questions], Key], medians: Mapping[Key, float]
) -> tuple[tuple[Key, Load], ...]:
    loads = {name: Load(_by_end(those), medians.get(name)) for name, those in _grouped(asked, key).items()}
    return tuple(sorted(loads.items(), key=lambda item: (-sum(item[1].questions.values()), item[0])))


def _grouped(items: Iterable[Item], key: Callable[[Item], Group]) -> Mapping[Group, Sequence[Item]]:
    groups: defaultdict[Group, list[Item]] = defaultdict(list)
    for one in items:
        groups[key(one)].append(one)
    return groups


def _at(one: Verdicts | Questions) -> datetime:
    return one.at


def _tool(one: Questions) -> str:
    return one.tool


def _cause(one: Questions) -> Cause:
    return one.cause
