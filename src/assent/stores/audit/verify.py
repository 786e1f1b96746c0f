"""The audit's chains as a database holds them: whether each still binds, and what is missing from it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from operator import itemgetter
from typing import Any

from sqlalchemy import CompoundSelect, Select, Table, bindparam, func, or_, select, union, union_all

from assent.gate.audit import FIRST_VERSION, START, Break, Entry, Link, Segment, breaks
from assent.gate.record import CLAIMED
from assent.stores.audit.outbox import link_columns, link_from_row
from assent.stores.sql.policy import read_moment
from assent.stores.sql.statement import Connection, Statement
from assent.stores.sql.tables import approvals, audit, audit_outbox, audit_segments, processes
from assent.stores.sql.times import from_micros, to_micros
from assent.wire.audit import ANSWERS

ReportProgress = Callable[[int], None]
"""Hears of every page of rows, so that somebody who waits can be shown how far it is."""
MAX_PROBLEMS = 100
"""How many breaks are listed; a chain with more is lost anyway."""
GRACE = timedelta(minutes=1)
"""How long an answer of a version before 1.6 may be on its way to the audit."""
_PAGE = 1000
_FARTHEST = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
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
    missing_archives: tuple[Segment, ...] = ()
    """Segments whose archive is not where it was written, so that nobody looked into it."""

    @property
    def holds(self) -> bool:
        """Whether nothing was altered and nothing is missing."""
        return not self.breaks and not self.unrecorded and not self.unclaimed


def describe_problems(found: Verification) -> list[str]:
    """What is wrong, each in a sentence."""
    return [
        *(f"audit of `{one.writer}`, row {one.number}: {one.problem}" for one in found.breaks),
        *(f"the answer to approval `{id_}` is in no row of the audit" for id_ in found.unrecorded),
        *(f"the claim of approval `{id_}` is in no row of the audit" for id_ in found.unclaimed),
    ]


def find_breaks(connection: Connection, tell: ReportProgress = lambda _: None) -> Iterator[Break]:
    """Every place where a chain was altered, has a gap, or lost its end."""
    for writer in read_writers(connection):
        yield from _of_writer(connection, writer, tell)


def find_unrecorded(connection: Connection) -> list[str]:
    """Approvals that were answered since the last archive, and whose answer the audit lacks."""
    now = read_time(connection)
    # A process of the version before, which knows no outbox, writes an answer's row after the answer.
    is_mixed = _OLD_KIND.fetch(connection, since=to_micros(now - GRACE))
    until = to_micros(now - GRACE if is_mixed else now)
    return [row[0] for row in _UNRECORDED.fetch(connection, until=until, most=MAX_PROBLEMS)]


def find_unclaimed(connection: Connection) -> list[str]:
    """Approvals whose call was taken since the last archive, and whose claim the audit lacks."""
    return [row[0] for row in _UNCLAIMED.fetch(connection, most=MAX_PROBLEMS)]


def read_time(connection: Connection) -> datetime:
    """The database's time, or the host's where it has none."""
    return read_moment(connection, _host_time if connection.dialect.name == "sqlite" else None).at


def read_writers(connection: Connection) -> list[str]:
    """Everybody who ever wrote to the audit."""
    return sorted(row[0] for row in _WRITERS.fetch(connection))


def read_segments(connection: Connection, writer: str) -> list[Segment]:
    """The closed segments of a chain, in their order."""
    return [
        Segment(
            writer=writer,
            first=first,
            last=last,
            previous_hash=previous_hash,
            last_hash=last_hash,
            archive=archive,
            last_version=last_version,
        )
        for first, last, previous_hash, last_hash, archive, last_version in _SEGMENTS.fetch(
            connection, writer=writer
        )
    ]


def read_links(
    connection: Connection,
    writer: str,
    first: int,
    last: int = _FARTHEST,
    *,
    tell: ReportProgress = lambda _: None,
) -> Iterator[Link]:
    """The rows of a stretch of a chain that are there, a page at a time."""
    while rows := _rows(connection, writer, first, last):
        tell(len(rows))
        yield from map(_link, rows)
        first = rows[-1][1] + 1


def _rows(connection: Connection, writer: str, first: int, last: int) -> Sequence[Any]:
    """A page of rows by their place, of the audit and of what waits to be moved there."""
    audited, waiting = (
        statement.fetch(connection, writer=writer, first=first, last=last, most=_PAGE)
        for statement in (_LINKS, _WAITING)
    )
    return sorted([*audited, *waiting], key=itemgetter(1))[:_PAGE] if waiting else audited


def verify_chains(connection: Connection, tell: ReportProgress) -> tuple[Verification, Sequence[Segment]]:
    """Check every chain in the database; the archived segments are returned for a check of their files."""
    counted: list[int] = []

    def count(rows: int) -> None:
        counted.append(rows)
        tell(rows)

    writers = read_writers(connection)
    found = tuple(islice(find_breaks(connection, count), MAX_PROBLEMS))
    segments = [segment for writer in writers for segment in read_segments(connection, writer)]
    verified = Verification(
        chains=len(writers),
        rows=sum(counted),
        breaks=found,
        unrecorded=tuple(find_unrecorded(connection)),
        unclaimed=tuple(find_unclaimed(connection)),
        cut=_CUT.fetch(connection)[0][0],
    )
    return verified, segments


def _of_writer(connection: Connection, writer: str, tell: ReportProgress) -> Iterator[Break]:
    first, previous, version = 1, START, FIRST_VERSION
    for segment in read_segments(connection, writer):
        if (segment.first, segment.previous_hash) != (first, previous):
            problem = "what was archived from here on does not follow what was there before"
            yield Break(writer=writer, number=segment.first, problem=problem)
        links = read_links(connection, writer, segment.first, segment.last, tell=tell)
        yield from _archived(links, segment, version)
        first, previous = segment.last + 1, segment.last_hash
        version = max(version, segment.last_version)
    seen = [first - 1]
    links = read_links(connection, writer, first, tell=tell)
    yield from breaks(_noted(links, seen), first=first, previous=previous, version=version)
    yield from _end(connection, writer, seen[0])


def _archived(links: Iterable[Link], segment: Segment, version: int) -> Iterator[Break]:
    """Rows of a closed segment, of which any may have been taken out, from its end on."""
    number, previous = segment.first, segment.previous_hash
    for link in links:
        if link.number != number:
            return
        yield from breaks((link,), first=number, previous=previous, version=version)
        number, previous, version = number + 1, link.hash, max(version, link.version)
    if number > segment.last and previous != segment.last_hash:
        yield Break(writer=segment.writer, number=segment.last, problem="the row is not the one archived")


def _noted(links: Iterable[Link], seen: list[int]) -> Iterator[Link]:
    """The same links; the number of the last one is noted."""
    for link in links:
        seen[0] = link.number
        yield link


def _end(connection: Connection, writer: str, last: int) -> Iterator[Break]:
    """A chain that is shorter than its own process knew has lost its end."""
    known = max((row[0] for row in _AUDITED.fetch(connection, writer=writer)), default=0)
    if known > last:
        yield Break(writer=writer, number=last + 1, problem=f"rows {last + 1} to {known} are missing")


def _link(row: Sequence[Any]) -> Link:
    """The link of a row; one that makes no sense keeps its hash, which then binds nothing."""
    try:
        if not any(isinstance(value, bytes) for value in row):
            return link_from_row(row)
    except (TypeError, ValueError, OverflowError):
        pass
    nothing = Entry(id="", user="", agent="", conversation="", call="", tool="", verdict="")
    return Link(entry=nothing, writer=row[0], number=row[1], at=from_micros(0), hash=row[3])


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
        _segment.last_version,
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
        approvals.c.id.not_in(_decided(*ANSWERS, "released")),
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
