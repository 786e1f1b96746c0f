"""The audit: one row for every verdict, answer and change, in chains that reveal missing or altered rows."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache
from operator import attrgetter

from assent.gate.access import Principal
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

    Of a row that no call has to do with: what was changed, and then `reason` says of whom or what.
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
class Sought:
    """A search in the audit; each field that is set restricts the result."""

    agent: str | None = None
    tool: str | None = None
    user: str | None = None
    conversation: str | None = None
    verdict: str | None = None
    decision: str | None = None
    """A decision, an answer or a verdict."""
    since: datetime | None = None
    until: datetime | None = None
    """Before this moment."""
    answers: bool = False
    """Only answers of people."""
    changes: bool = False
    """Only changes of people, rights and policy."""


def within(principal: Principal, sought: Sought) -> Sought:
    """The search restricted to what a principal may read: administrators all, others their own rows."""
    return sought if principal.administrator else replace(sought, user=principal.user)


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


@cache
def _uncovered(version: int) -> tuple[str, ...]:
    """The fields of an entry that the hash of this version does not cover."""
    return tuple(field.name for field in fields(Entry) if field.name not in HASHED[version])
