"""The audit's chains as a database holds them: whether each still binds, and what is missing from it."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    CompoundSelect,
    Connection,
    Select,
    Table,
    bindparam,
    func,
    or_,
    select,
    union,
    union_all,
)

from assent.gate.audit import START, Break, Entry, Link, Segment, breaks
from assent.gate.changes import CLAIMED
from assent.stores import archive_file
from assent.stores.audit_rows import link_columns, link_of
from assent.stores.connections import look
from assent.stores.queries import moment_of
from assent.stores.statements import Statement
from assent.stores.tables import approvals, audit, audit_outbox, audit_segments, processes
from assent.stores.times import kept, moment
from assent.wire.audit import ANSWER_DECISIONS

Tell = Callable[[int], None]
"""Hears of every page of rows, so that somebody who waits can be shown how far it is."""
MOST = 100
"""How many breaks are listed; a chain with more is lost anyway."""
GRACE = timedelta(minutes=1)
"""How long an answer of a version before 1.6 may be on its way to the audit."""
_PAGE = 1000
_FARTHEST = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What was found in the audit."""

    chains: int
    rows: int
    breaks: tuple[Break, ...] = ()
    unrecorded: tuple[str, ...] = ()
    """Approvals whose answer is in no row: it was removed, or a version before schema 1.6 crashed."""
    unclaimed: tuple[str, ...] = ()
    """Approvals whose call was taken to be run, which no row says."""
    cut: int = 0
    """Chains that another process closed after a crash, with a row that says what may be missing."""
    elsewhere: tuple[Segment, ...] = ()
    """Segments whose archive is not where it was written, so that nobody looked into it."""

    @property
    def holds(self) -> bool:
        """Whether nothing was altered and nothing is missing."""
        return not self.breaks and not self.unrecorded and not self.unclaimed


async def verify(address: str, tell: Tell = lambda _: None) -> Verified:
    """Follow every chain of a database, and look into the archives of those that were closed."""
    found, segments = await look(address, partial(_found, tell=tell))
    return await asyncio.to_thread(_with_archives, found, segments)


def sentences(found: Verified) -> list[str]:
    """What is wrong, each in a sentence."""
    return [
        *(f"audit of `{one.writer}`, row {one.number}: {one.problem}" for one in found.breaks),
        *(f"the answer to approval `{id_}` is in no row of the audit" for id_ in found.unrecorded),
        *(f"the claim of approval `{id_}` is in no row of the audit" for id_ in found.unclaimed),
    ]


def broken(connection: Connection, tell: Tell = lambda _: None) -> Iterator[Break]:
    """Every place where a chain was altered, has a gap, or lost its end."""
    for writer in writers_of(connection):
        yield from _of_writer(connection, writer, tell)


def unrecorded(connection: Connection) -> list[str]:
    """Approvals that were answered since the last archive, and whose answer the audit lacks."""
    now = now_of(connection)
    # A process of the version before, which knows no outbox, writes an answer's row after the answer.
    is_mixed = _OLD_KIND.all(connection, since=kept(now - GRACE))
    until = kept(now - GRACE if is_mixed else now)
    return [row[0] for row in _UNRECORDED.all(connection, until=until, most=MOST)]


def unclaimed(connection: Connection) -> list[str]:
    """Approvals whose call was taken since the last archive, and whose claim the audit lacks."""
    return [row[0] for row in _UNCLAIMED.all(connection, most=MOST)]


def now_of(connection: Connection) -> datetime:
    """The database's time, or the host's where it has none."""
    return moment_of(connection, _host_time if connection.dialect.name == "sqlite" else None).at


def writers_of(connection: Connection) -> list[str]:
    """Everybody who ever wrote to the audit."""
    return sorted(row[0] for row in _WRITERS.all(connection))


def segments_of(connection: Connection, writer: str) -> list[Segment]:
    """The closed segments of a chain, in their order."""
    return [
        Segment(
            writer=writer,
            first=first,
            last=last,
            previous_hash=previous_hash,
            last_hash=last_hash,
            archive=archive,
        )
        for first, last, previous_hash, last_hash, archive in _SEGMENTS.all(connection, writer=writer)
    ]


def links_of(
    connection: Connection, writer: str, first: int, last: int = _FARTHEST, *, tell: Tell = lambda _: None
) -> Iterator[Link]:
    """The rows of a stretch of a chain that are there, a page at a time."""
    while rows := _rows(connection, writer, first, last):
        tell(len(rows))
        yield from map(_link, rows)
        first = rows[-1][1] + 1


def _rows(connection: Connection, writer: str, first: int, last: int) -> Sequence[Any]:
    """A page of rows by their place, of the audit and of what waits to be moved there."""
    audited, waiting = (
        statement.all(connection, writer=writer, first=first, last=last, most=_PAGE)
        for statement in (_LINKS, _WAITING)
    )
    return sorted([*audited, *waiting], key=itemgetter(1))[:_PAGE] if waiting else audited


def _found(connection: Connection, tell: Tell) -> tuple[Verified, Sequence[Segment]]:
    counted: list[int] = []

    def count(rows: int) -> None:
        counted.append(rows)
        tell(rows)

    writers = writers_of(connection)
    found = tuple(islice(broken(connection, count), MOST))
    segments = [segment for writer in writers for segment in segments_of(connection, writer)]
    verified = Verified(
        chains=len(writers),
        rows=sum(counted),
        breaks=found,
        unrecorded=tuple(unrecorded(connection)),
        unclaimed=tuple(unclaimed(connection)),
        cut=_CUT.all(connection)[0][0],
    )
    return verified, segments


def _with_archives(found: Verified, segments: Iterable[Segment]) -> Verified:
    elsewhere, broken_ones = archive_file.examined(segments)
    return replace(found, breaks=(*found.breaks, *broken_ones)[:MOST], elsewhere=tuple(elsewhere))


def _of_writer(connection: Connection, writer: str, tell: Tell) -> Iterator[Break]:
    first, previous = 1, START
    for segment in segments_of(connection, writer):
        if (segment.first, segment.previous_hash) != (first, previous):
            problem = "what was archived from here on does not follow what was there before"
            yield Break(writer=writer, number=segment.first, problem=problem)
        links = links_of(connection, writer, segment.first, segment.last, tell=tell)
        yield from _archived(links, segment)
        first, previous = segment.last + 1, segment.last_hash
    seen = [first - 1]
    links = links_of(connection, writer, first, tell=tell)
    yield from breaks(_noted(links, seen), first=first, previous=previous)
    yield from _end(connection, writer, seen[0])


def _archived(links: Iterable[Link], segment: Segment) -> Iterator[Break]:
    """Rows of a closed segment, of which any may have been taken out, from its end on."""
    number, previous = segment.first, segment.previous_hash
    for link in links:
        if link.number != number:
            return
        yield from breaks((link,), first=number, previous=previous)
        number, previous = number + 1, link.hash
    if number > segment.last and previous != segment.last_hash:
        yield Break(writer=segment.writer, number=segment.last, problem="the row is not the one archived")


def _noted(links: Iterable[Link], seen: list[int]) -> Iterator[Link]:
    """The same links; the number of the last one is noted."""
    for link in links:
        seen[0] = link.number
        yield link


def _end(connection: Connection, writer: str, last: int) -> Iterator[Break]:
    """A chain that is shorter than its own process knew has lost its end."""
    known = max((row[0] for row in _AUDITED.all(connection, writer=writer)), default=0)
    if known > last:
        yield Break(writer=writer, number=last + 1, problem=f"rows {last + 1} to {known} are missing")


def _link(row: Sequence[Any]) -> Link:
    """The link of a row; one that makes no sense keeps its hash, which then binds nothing."""
    try:
        if not any(isinstance(value, bytes) for value in row):
            return link_of(row)
    except (TypeError, ValueError, OverflowError):
        pass
    nothing = Entry(id="", user="", agent="", conversation="", call="", tool="", verdict="")
    return Link(entry=nothing, writer=row[0], number=row[1], at=moment(0), hash=row[3])


def _host_time() -> datetime:
    return datetime.now(UTC)


_WRITERS = Statement(
    union(
        select(audit.c.writer),
        select(audit_outbox.c.writer),
        select(audit_segments.c.writer),
        select(processes.c.boot).where(processes.c.audited > 0),
    )
)
_segment = audit_segments.c
_SEGMENTS = Statement(
    select(
        _segment.first_place,
        _segment.last_place,
        _segment.previous_hash,
        _segment.last_hash,
        _segment.archive,
    )
    .where(_segment.writer == bindparam("writer"))
    .order_by(_segment.first_place)
)


def _links(table: Table) -> Statement:
    return Statement(
        select(*link_columns(table))
        .where(
            table.c.writer == bindparam("writer"),
            table.c.place >= bindparam("first"),
            table.c.place <= bindparam("last"),
        )
        .order_by(table.c.place)
        .limit(bindparam("most"))
    )


def _decided(*words: str) -> CompoundSelect[Any]:
    """The approvals of which a row says one of these words."""
    return union_all(*(_saying(table, words) for table in (audit, audit_outbox)))


def _saying(table: Table, words: Sequence[str]) -> Select[Any]:
    is_said = or_(*(table.c.decision == word for word in sorted(words)))
    return select(table.c.approval_id).where(table.c.verdict == "", is_said)


_LINKS, _WAITING = _links(audit), _links(audit_outbox)
_AUDITED = Statement(select(processes.c.audited).where(processes.c.boot == bindparam("writer")))
_archived_at = select(func.coalesce(func.max(_segment.closed_at), 0)).scalar_subquery()
_UNRECORDED = Statement(
    select(approvals.c.id)
    .where(
        approvals.c.answered_at > _archived_at,
        approvals.c.answered_at <= bindparam("until"),
        approvals.c.id.not_in(_decided(*ANSWER_DECISIONS, "released")),
    )
    .order_by(approvals.c.number)
    .limit(bindparam("most"))
)
# Only processes that know the outbox write a row of a claim.
_UNCLAIMED = Statement(
    select(approvals.c.id)
    .where(
        func.coalesce(approvals.c.answered_at, approvals.c.asked_at) > _archived_at,
        approvals.c.claim != "",
        approvals.c.boot.in_(select(processes.c.boot).where(processes.c.chain.is_not(None))),
        approvals.c.id.not_in(_decided(CLAIMED)),
    )
    .order_by(approvals.c.number)
    .limit(bindparam("most"))
)
_OLD_KIND = Statement(
    select(processes.c.boot).where(processes.c.chain.is_(None), processes.c.seen_at > bindparam("since"))
)
_CUT = Statement(select(func.count()).select_from(processes).where(processes.c.chain == "cut"))
