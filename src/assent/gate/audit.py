"""The audit: one row for each verdict, answer and change, linked in chains, and statistics of the rows."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import NamedTuple, TypeVar

from assent.engine.policy.verdict import Verdict
from assent.gate.answer import MAX_REASON_LENGTH

START = "0" * 64
"""The hash before the first row of a chain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Who called which tool, and what was decided; never arguments."""

    id: str
    user: str
    agent: str
    conversation: str
    call: str
    tool: str
    verdict: str
    """`run`, `ask`, `deny` or `absent`; empty for an answer."""
    stage: str = ""
    rule: str = ""
    """The id or place of the deciding rule; never a text that could contain parts of a call."""
    decision: str = ""
    """`approved`, `denied`, `denied_with_reason`, `expired`, `withdrawn`, `executed`, `failed` …

    In the row of a change: what was changed; then `reason` names the person or thing.
    """
    with_override: bool = False
    reason: str = ""
    mode: str = ""
    policy_version: int = 0
    approval: str = ""
    asked_digest: str = ""
    """The digest of the call as it was asked; empty in a row without a question."""
    ran_digest: str = ""
    """The digest of the call as it was allowed or ran; it differs if a person edited the arguments."""

    @property
    def is_edited(self) -> bool:
        """Whether the call ran with other arguments than were asked."""
        return self.ran_digest not in ("", self.asked_digest)


FIRST_VERSION = 1
HASHED: dict[int, tuple[str, ...]] = {
    FIRST_VERSION: (
        "id", "user", "agent", "conversation", "call", "tool", "verdict", "stage", "rule", "decision",
        "with_override", "reason", "mode", "policy_version", "approval", "asked_digest", "ran_digest",
    ),
}  # fmt: skip
"""The fields that the hash of a row covers, by the version that the row names.

INVARIANT: a list never changes once rows were written with it. A new field gets a new version with a longer
list, and rows of the earlier versions stay verifiable.
"""
_OPTIONAL = ("asked_digest", "ran_digest")
"""Fields that the first rows of version 1 did not have; empty values of them are not hashed."""
_to_json = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def current_version() -> int:
    """The version of the rows that this process writes."""
    return max(HASHED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An entry in a writer's chain, with its number, time and hash."""

    entry: Entry
    writer: str
    number: int
    at: datetime
    hash: str
    version: int = FIRST_VERSION
    """Which list of `HASHED` the hash covers."""


def linked(entry: Entry, *, writer: str, number: int, at: datetime, previous: str) -> Link:
    """Link an entry to the last one of its writer."""
    if len(entry.reason) > MAX_REASON_LENGTH:
        entry = replace(entry, reason=entry.reason[:MAX_REASON_LENGTH])
    version = current_version()
    return Link(
        entry=entry,
        writer=writer,
        number=number,
        at=at,
        hash=_hash(entry, writer, number, at, previous, version),
        version=version,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """An archived part of one writer's chain; the next row is linked to its end."""

    writer: str
    first: int
    last: int
    previous_hash: str
    last_hash: str
    archive: str = ""
    """The file that holds its rows."""
    last_version: int = FIRST_VERSION
    """The version of its last row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A place where a chain is broken, and the problem."""

    writer: str
    number: int
    problem: str


def breaks(
    links: Iterable[Link], *, first: int = 1, previous: str = START, version: int = FIRST_VERSION
) -> Iterator[Break]:
    """Every place where one writer's chain, in order, was altered or has a gap.

    The first link is expected to have the number `first`, and to follow a row with the hash `previous` and
    this version.
    """
    number = first
    for link in links:
        problem = _gap(link, number) or _problem(link, previous, version)
        if problem:
            yield Break(writer=link.writer, number=number, problem=problem)
        number, previous, version = link.number + 1, link.hash, max(version, link.version)


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


def _hash(entry: Entry, writer: str, number: int, at: datetime, previous: str, version: int) -> str:
    moment = at.astimezone(UTC).isoformat(timespec="microseconds")
    # Not with `asdict`, which copies every value and took a third of a busy store's time.
    values = dict(zip(HASHED[version], _getter(version)(entry), strict=True))
    for name in _OPTIONAL:
        if not values[name]:
            del values[name]
    hashed: list[object] = [previous, writer, number, moment, values]
    # INVARIANT: no two versions hash the same text: version 1 is the only one without a number.
    if version > FIRST_VERSION:
        hashed.append(version)
    return hashlib.sha256(_to_json(hashed).encode()).hexdigest()


@cache
def _getter(version: int) -> Callable[[Entry], tuple[object, ...]]:
    return attrgetter(*HASHED[version])


def _gap(link: Link, number: int) -> str:
    return "" if link.number == number else f"rows {number} to {link.number - 1} are missing"


def _problem(link: Link, previous: str, version: int) -> str:
    if link.version not in HASHED:
        return f"the row has version {link.version}, which this version of Assent does not know"
    hash_ = _hash(link.entry, link.writer, link.number, link.at, previous, link.version)
    # A value in a field that the hash does not cover was put there after the row was written.
    if link.hash != hash_ or any(getattr(link.entry, name) for name in _uncovered(link.version)):
        return "the row was altered"
    if link.version < version:
        return f"the row has version {link.version} after a row of version {version}"
    return ""


@cache
def _uncovered(version: int) -> tuple[str, ...]:
    """The fields of an entry that the hash of this version does not cover."""
    return tuple(field.name for field in fields(Entry) if field.name not in HASHED[version])


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


def _grouped(items: Iterable[Item], key: Callable[[Item], Group]) -> Mapping[Group, Sequence[Item]]:
    groups: defaultdict[Group, list[Item]] = defaultdict(list)
    for one in items:
        groups[key(one)].append(one)
    return groups


def _at(one: VerdictCount | QuestionCount) -> datetime:
    return one.at


def _stats_by(
    asked: Iterable[QuestionCount], key: Callable[[QuestionCount], Key], medians: Mapping[Key, float]
) -> tuple[tuple[Key, QuestionStats], ...]:
    loads = {
        name: QuestionStats(_by_end(those), medians.get(name)) for name, those in _grouped(asked, key).items()
    }
    return tuple(sorted(loads.items(), key=lambda item: (-sum(item[1].questions.values()), item[0])))


def _tool(one: QuestionCount) -> str:
    return one.tool


def _cause(one: QuestionCount) -> Cause:
    return one.cause
