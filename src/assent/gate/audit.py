"""The audit: one row for every verdict, answer and change, chained so that a missing one shows."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from operator import attrgetter

from assent.gate.access import Principal
from assent.gate.answer import MAX_REASON_LENGTH

START = "0" * 64
"""What the first row of a chain is chained to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Who, what tool, and what was decided; never arguments, never a rendered specifier."""

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
    """The id or place of the rule that decided, never its text where a call could be in it."""
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
    """The digest of the call as it was asked about; empty in a row that no question is behind."""
    ran_digest: str = ""
    """The digest of the call as it was allowed or ran: another one where a person edited its arguments."""

    @property
    def is_edited(self) -> bool:
        """Whether other arguments ran than were asked about."""
        return self.ran_digest not in ("", self.asked_digest)


_FIELDS = tuple(field.name for field in fields(Entry))
_said = attrgetter(*_FIELDS)
_LATER = ("asked_digest", "ran_digest")
"""Fields that rows of earlier versions did not have: empty ones are not hashed, so that old chains hold."""
_spelled = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An entry in its place: the writer's chain, its number there, when, and the hash that binds it."""

    entry: Entry
    writer: str
    number: int
    at: datetime
    hash: str


def linked(entry: Entry, *, writer: str, number: int, at: datetime, previous: str) -> Link:
    """Put an entry behind the last one of its writer."""
    if len(entry.reason) > MAX_REASON_LENGTH:
        entry = replace(entry, reason=entry.reason[:MAX_REASON_LENGTH])
    return Link(
        entry=entry, writer=writer, number=number, at=at, hash=_hash(entry, writer, number, at, previous)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of one writer's chain that was closed and archived; what follows is bound to its end."""

    writer: str
    first: int
    last: int
    previous_hash: str
    last_hash: str
    archive: str = ""
    """The file that holds its rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """Which rows of the audit are meant; each field that is given narrows."""

    agent: str | None = None
    tool: str | None = None
    user: str | None = None
    conversation: str | None = None
    verdict: str | None = None
    decision: str | None = None
    """What was decided or answered, or a verdict."""
    since: datetime | None = None
    until: datetime | None = None
    """Before this moment."""
    answers: bool = False
    """Only what people answered."""
    changes: bool = False
    """Only what was changed of people, rights and policy."""


def within(principal: Principal, sought: Sought) -> Sought:
    """What somebody may look through: administrators all of it, others what they owned or answered."""
    return sought if principal.administrator else replace(sought, user=principal.user)


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A place where a chain does not hold, and what is wrong there."""

    writer: str
    number: int
    problem: str


def breaks(links: Iterable[Link], *, first: int = 1, previous: str = START) -> Iterator[Break]:
    """Every place where one writer's chain, in order, was altered or has a gap."""
    number = first
    for link in links:
        if link.number != number:
            yield Break(
                writer=link.writer, number=number, problem=f"rows {number} to {link.number - 1} are missing"
            )
        elif link.hash != _hash(link.entry, link.writer, link.number, link.at, previous):
            yield Break(writer=link.writer, number=number, problem="the row was altered")
        number, previous = link.number + 1, link.hash


def _hash(entry: Entry, writer: str, number: int, at: datetime, previous: str) -> str:
    moment = at.astimezone(UTC).isoformat(timespec="microseconds")
    # By hand: `asdict` copies every value, and took a third of a busy store's time.
    said = dict(zip(_FIELDS, _said(entry), strict=True))
    for name in _LATER:
        if not said[name]:
            del said[name]
    return hashlib.sha256(_spelled([previous, writer, number, moment, said]).encode()).hexdigest()
