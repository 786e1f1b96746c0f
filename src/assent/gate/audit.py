"""The audit: one row for each verdict, answer and change, chained by hashes, and statistics of the rows."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from json.encoder import encode_basestring_ascii
from operator import attrgetter
from typing import NamedTuple, TypeVar

from assent.engine.policy.verdict import Verdict
from assent.gate.answer import MAX_REASON_LENGTH

CHAIN_START_HASH = "0" * 64
"""The value that the first row of a chain has as the hash of its predecessor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The content of an audit row: who called which tool, and what was decided; never arguments."""

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
    """The id or file position of the deciding rule; never a text that could contain parts of a call."""
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
    """The digest of the call as it was allowed or ran; it differs from `asked_digest` after an edit."""
    sub_agents: str = ""
    """The sub-agents that the caller named, as JSON, outermost first; empty if there were none."""

    @property
    def is_edited(self) -> bool:
        """Whether a person edited the arguments before the call ran."""
        return self.ran_digest not in ("", self.asked_digest)


FIRST_VERSION = 1
_FIRST_FIELDS = (
    "id", "user", "agent", "conversation", "call", "tool", "verdict", "stage", "rule", "decision",
    "with_override", "reason", "mode", "policy_version", "approval", "asked_digest", "ran_digest",
)  # fmt: skip
HASHED_FIELDS: dict[int, tuple[str, ...]] = {
    FIRST_VERSION: _FIRST_FIELDS,
    2: (*_FIRST_FIELDS, "sub_agents"),
}
"""The fields that the hash of a row covers, by the version that the row names.

INVARIANT: a list never changes once rows were written with it. A new field gets a new version with a longer
list, and rows of the earlier versions stay verifiable.
"""
_OPTIONAL_FIELDS = ("asked_digest", "ran_digest")
"""Fields that the first rows of version 1 did not have; they are hashed only if they are not empty."""
_encode_other = json.JSONEncoder().encode


def _to_json(value: object) -> str:
    return encode_basestring_ascii(value) if type(value) is str else _encode_other(value)


def current_version() -> int:
    """The version of the rows that this process writes."""
    return max(HASHED_FIELDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An entry in a writer's chain, with its number, time and hash."""

    entry: Entry
    writer: str
    number: int
    at: datetime
    hash: str
    version: int = FIRST_VERSION
    """The version of the list in `HASHED_FIELDS` that the hash covers."""


def link_entry(entry: Entry, *, writer: str, number: int, at: datetime, previous: str) -> Link:
    """Chain an entry to the previous row of the same writer, whose hash is `previous`."""
    ((entry, hash_),) = hash_entries([entry], writer=writer, first=number, at=at, previous=previous)
    return Link(entry=entry, writer=writer, number=number, at=at, hash=hash_, version=current_version())


class HashedEntry(NamedTuple):
    """An entry as it is stored, and the hash of its row."""

    entry: Entry
    hash: str


def hash_entries(
    entries: Iterable[Entry], *, writer: str, first: int, at: datetime, previous: str
) -> Iterator[HashedEntry]:
    """Chain entries to the previous row of the same writer; the first entry gets the number `first`."""
    version, moment = current_version(), _moment_text(at)
    for number, entry in enumerate(entries, first):
        is_short = len(entry.reason) <= MAX_REASON_LENGTH
        stored = entry if is_short else replace(entry, reason=entry.reason[:MAX_REASON_LENGTH])
        previous = _hash_entry(stored, writer, number, moment, previous, version)
        yield HashedEntry(stored, previous)


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """An archived part of one writer's chain; the next row of the chain continues from its last hash."""

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
class ChainBreak:
    """A row at which a chain is broken, and the problem found there."""

    writer: str
    number: int
    problem: str


def find_chain_breaks(
    links: Iterable[Link], *, first: int = 1, previous: str = CHAIN_START_HASH, version: int = FIRST_VERSION
) -> Iterator[ChainBreak]:
    """Find every row at which one writer's chain was altered or has a gap.

    The first link is expected to have the number `first`, and to follow a row with the hash `previous` and
    this version.
    """
    number = first
    for link in links:
        problem = _describe_gap(link, number) or _describe_problem(link, previous, version)
        if problem:
            yield ChainBreak(writer=link.writer, number=number, problem=problem)
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
"""How each audit decision ends a question; a question has at most one such decision."""
ANSWERED = frozenset({QuestionEnd.YES, QuestionEnd.NO})
"""The ends of questions that a person answered directly."""
VERDICT_WORDS = tuple(one.word for one in Verdict)
Key = TypeVar("Key", str, "Cause")
Item = TypeVar("Item", "VerdictCount", "QuestionCount")
Group = TypeVar("Group", datetime, str, "Cause")
Counts = Mapping[str, int]
"""Counts by verdict, or by end of the question; every key is present."""


class Cause(NamedTuple):
    """Why a person was asked: the stage, and the rule if a rule decided."""

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
    """Statistics of the audit; a call that is submitted twice is one question and two decisions."""

    decisions: Counts
    total: QuestionStats
    buckets: tuple[Bucket, ...]
    """The buckets that are not empty, oldest first."""
    tools: tuple[tuple[str, QuestionStats], ...]
    """Most questions first."""
    causes: tuple[tuple[Cause, QuestionStats], ...]
    """Most questions first."""


class RuleHits(NamedTuple):
    """How many calls a rule decided, and when it last did; `rule` is the name in the audit."""

    rule: str
    hits: int
    last: datetime


def tally(verdicts: Iterable[VerdictCount], questions: Iterable[QuestionCount], medians: Medians) -> Tally:
    """Combine counts of verdicts and questions with their medians into statistics."""
    decided, asked = list(verdicts), list(questions)
    return Tally(
        decisions=_count_by_verdict(decided),
        total=QuestionStats(_count_by_end(asked), medians.total),
        buckets=_build_buckets(decided, asked),
        tools=_group_question_stats(asked, _question_tool, medians.tools),
        causes=_group_question_stats(asked, _question_cause, medians.causes),
    )


def _moment_text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _hash_entry(entry: Entry, writer: str, number: int, moment: str, previous: str, version: int) -> str:
    """The hash of a row: of the JSON of its chain, number, time and fields, in the order of their names."""
    values, form = _hashed_form(version, bool(entry.asked_digest), bool(entry.ran_digest))
    fields = form % tuple([_to_json(value) for value in values(entry)])
    # INVARIANT: no two versions hash the same text: version 1 is the only one without a number.
    ending = f",{version}]" if version > FIRST_VERSION else "]"
    text = f'[{_to_json(previous)},{_to_json(writer)},{number},"{moment}",{fields}{ending}'
    return hashlib.sha256(text.encode()).hexdigest()


class _HashedForm(NamedTuple):
    """The hashed fields of an entry, and their JSON with a place for each value."""

    values: Callable[[Entry], tuple[object, ...]]
    text: str


@cache
def _hashed_form(version: int, asked: bool, ran: bool) -> _HashedForm:  # noqa: FBT001 - the keys of a cache
    empty = {name for name, is_there in zip(_OPTIONAL_FIELDS, (asked, ran), strict=True) if not is_there}
    names = sorted(set(HASHED_FIELDS[version]) - empty)
    places = ",".join(f'"{name}":%s' for name in names)
    return _HashedForm(attrgetter(*names), f"{{{places}}}")


def _describe_gap(link: Link, number: int) -> str:
    return "" if link.number == number else f"rows {number} to {link.number - 1} are missing"


def _describe_problem(link: Link, previous: str, version: int) -> str:
    if link.version not in HASHED_FIELDS:
        return f"the row has version {link.version}, which this version of Assent does not know"
    moment = _moment_text(link.at)
    hash_ = _hash_entry(link.entry, link.writer, link.number, moment, previous, link.version)
    # A non-empty field that the hash does not cover was changed after the row was written.
    if link.hash != hash_ or any(getattr(link.entry, name) for name in _fields_without_hash(link.version)):
        return "the row was altered"
    if link.version < version:
        return f"the row has version {link.version} after a row of version {version}"
    return ""


@cache
def _fields_without_hash(version: int) -> tuple[str, ...]:
    """The fields of an entry that the hash of this version does not cover."""
    return tuple(field.name for field in fields(Entry) if field.name not in HASHED_FIELDS[version])


def _count_by_verdict(decided: Iterable[VerdictCount]) -> Counts:
    counts = dict.fromkeys(VERDICT_WORDS, 0)
    for one in decided:
        counts[one.verdict] += one.number
    return counts


def _count_by_end(asked: Iterable[QuestionCount]) -> Counts:
    counts = dict.fromkeys(map(str, QuestionEnd), 0)
    for one in asked:
        counts[one.end] += one.number
    return counts


def _build_buckets(decided: Sequence[VerdictCount], asked: Sequence[QuestionCount]) -> tuple[Bucket, ...]:
    decisions, questions = _group_items(decided, _bucket_time), _group_items(asked, _bucket_time)
    moments = sorted({*decisions, *questions})
    return tuple(
        Bucket(at, _count_by_verdict(decisions.get(at, ())), _count_by_end(questions.get(at, ())))
        for at in moments
    )


def _group_items(items: Iterable[Item], key: Callable[[Item], Group]) -> Mapping[Group, Sequence[Item]]:
    groups: defaultdict[Group, list[Item]] = defaultdict(list)
    for one in items:
        groups[key(one)].append(one)
    return groups


def _bucket_time(one: VerdictCount | QuestionCount) -> datetime:
    return one.at


def _group_question_stats(
    asked: Iterable[QuestionCount], key: Callable[[QuestionCount], Key], medians: Mapping[Key, float]
) -> tuple[tuple[Key, QuestionStats], ...]:
    loads = {
        name: QuestionStats(_count_by_end(those), medians.get(name))
        for name, those in _group_items(asked, key).items()
    }
    return tuple(sorted(loads.items(), key=lambda item: (-sum(item[1].questions.values()), item[0])))


def _question_tool(one: QuestionCount) -> str:
    return one.tool


def _question_cause(one: QuestionCount) -> Cause:
    return one.cause
