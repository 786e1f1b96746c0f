"""Verification of the audit's chains: finds altered and missing rows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from operator import itemgetter
from typing import Any

from sqlalchemy import CompoundSelect, Select, Table, bindparam, func, or_, select, union, union_all

from assent.gate.audit import (
    CHAIN_START_HASH,
    FIRST_VERSION,
    ChainBreak,
    Entry,
    Link,
    Segment,
    find_chain_breaks,
)
from assent.gate.changes import CLAIM_DECISION
from assent.stores.audit.outbox import link_columns, link_from_row
from assent.stores.sql.statement import Connection, Statement, from_micros, read_moment, to_micros
from assent.stores.sql.tables import approvals, audit, audit_outbox, audit_segments, processes
from assent.wire.audit import ANSWER_DECISIONS

ReportProgress = Callable[[int], None]
"""A function that is called with the number of rows of each page, to show progress."""
MAX_PROBLEMS = 100
"""The maximum number of reported problems."""
MISSING_ROW_GRACE = timedelta(minutes=1)
"""How long the row of an answer may be missing if a process with a schema before 1.6 runs."""
_ROWS_PER_PAGE = 1000
_LAST_PLACE = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result of a verification."""

    chains: int
    rows: int
    breaks: tuple[ChainBreak, ...] = ()
    unrecorded: tuple[str, ...] = ()
    """The ids of approvals whose answer has no audit row.

    The row was removed, or a process with a schema before 1.6 crashed.
    """
    unclaimed: tuple[str, ...] = ()
    """The ids of approvals whose claim has no audit row."""
    cut: int = 0
    """The number of chains that another process closed after a crash."""
    missing_archives: tuple[Segment, ...] = ()
    """The segments whose archive file is missing, so that it was not checked."""

    @property
    def is_intact(self) -> bool:
        """Whether nothing was altered and nothing is missing."""
        return not self.breaks and not self.unrecorded and not self.unclaimed


def describe_problems(found: Verification) -> list[str]:
    """The problems that a verification found, one sentence each."""
    return [
        *(f"audit of `{one.writer}`, row {one.number}: {one.problem}" for one in found.breaks),
        *(f"the answer to approval `{id_}` is in no row of the audit" for id_ in found.unrecorded),
        *(f"the claim of approval `{id_}` is in no row of the audit" for id_ in found.unclaimed),
    ]


def find_breaks(
    connection: Connection, report_progress: ReportProgress = lambda _: None
) -> Iterator[ChainBreak]:
    """Find every row at which a chain was altered, has a gap, or lost its end."""
    for writer in read_writers(connection):
        yield from _check_writer(connection, writer, report_progress)


def find_unrecorded(connection: Connection) -> list[str]:
    """The ids of approvals that were answered since the last archive and have no audit row of the answer."""
    now = read_time(connection)
    # A process of an earlier version, without an outbox, writes the audit row after the answer.
    is_mixed = _PROCESSES_WITHOUT_OUTBOX.fetch(connection, since=to_micros(now - MISSING_ROW_GRACE))
    until = to_micros(now - MISSING_ROW_GRACE if is_mixed else now)
    return [row[0] for row in _UNRECORDED.fetch(connection, until=until, most=MAX_PROBLEMS)]


def find_unclaimed(connection: Connection) -> list[str]:
    """The ids of approvals that were claimed since the last archive and have no audit row of the claim."""
    return [row[0] for row in _UNCLAIMED.fetch(connection, most=MAX_PROBLEMS)]


def read_time(connection: Connection) -> datetime:
    """The database server's time, or the host's for SQLite."""
    return read_moment(connection, _host_time if connection.dialect.name == "sqlite" else None).at


def read_writers(connection: Connection) -> list[str]:
    """The ids of all processes that wrote to the audit."""
    return sorted(row[0] for row in _WRITERS.fetch(connection))


def read_segments(connection: Connection, writer: str) -> list[Segment]:
    """The archived segments of a chain, in order."""
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
    last: int = _LAST_PLACE,
    *,
    report_progress: ReportProgress = lambda _: None,
) -> Iterator[Link]:
    """The links of a part of a chain, read page by page."""
    while rows := _read_page(connection, writer, first, last):
        report_progress(len(rows))
        yield from map(_to_link, rows)
        first = rows[-1][1] + 1


def verify_chains(
    connection: Connection, report_progress: ReportProgress
) -> tuple[Verification, Sequence[Segment]]:
    """Check every chain in the database; the archived segments are returned to check their files."""
    counted: list[int] = []

    def count_row(rows: int) -> None:
        counted.append(rows)
        report_progress(rows)

    writers = read_writers(connection)
    found = tuple(islice(find_breaks(connection, count_row), MAX_PROBLEMS))
    segments = [segment for writer in writers for segment in read_segments(connection, writer)]
    verified = Verification(
        chains=len(writers),
        rows=sum(counted),
        breaks=found,
        unrecorded=tuple(find_unrecorded(connection)),
        unclaimed=tuple(find_unclaimed(connection)),
        cut=_CUT_CHAINS.fetch(connection)[0][0],
    )
    return verified, segments


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


def _link_statement(table: Table) -> Statement:
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


def _recorded_approvals(*words: str) -> CompoundSelect[Any]:
    """The ids of approvals with an audit row of one of these decisions."""
    return union_all(*(_select_recorded(table, words) for table in (audit, audit_outbox)))


def _check_writer(
    connection: Connection, writer: str, report_progress: ReportProgress
) -> Iterator[ChainBreak]:
    first, previous, version = 1, CHAIN_START_HASH, FIRST_VERSION
    for segment in read_segments(connection, writer):
        if (segment.first, segment.previous_hash) != (first, previous):
            problem = "what was archived from here on does not follow what was there before"
            yield ChainBreak(writer=writer, number=segment.first, problem=problem)
        links = read_links(connection, writer, segment.first, segment.last, report_progress=report_progress)
        yield from _check_archived(links, segment, version)
        first, previous = segment.last + 1, segment.last_hash
        version = max(version, segment.last_version)
    seen = [first - 1]
    links = read_links(connection, writer, first, report_progress=report_progress)
    yield from find_chain_breaks(_track_last(links, seen), first=first, previous=previous, version=version)
    yield from _find_lost_end(connection, writer, seen[0])


def _check_archived(links: Iterable[Link], segment: Segment, version: int) -> Iterator[ChainBreak]:
    """Find the breaks in the rows of an archived segment whose last rows may have been removed."""
    number, previous = segment.first, segment.previous_hash
    for link in links:
        if link.number != number:
            return
        yield from find_chain_breaks((link,), first=number, previous=previous, version=version)
        number, previous, version = number + 1, link.hash, max(version, link.version)
    if number > segment.last and previous != segment.last_hash:
        yield ChainBreak(
            writer=segment.writer, number=segment.last, problem="the row is not the one archived"
        )


def _track_last(links: Iterable[Link], seen: list[int]) -> Iterator[Link]:
    """Yield the links unchanged, and append the number of the last one to `seen`."""
    for link in links:
        seen[0] = link.number
        yield link


def _find_lost_end(connection: Connection, writer: str, last: int) -> Iterator[ChainBreak]:
    """Yield a break if a chain is shorter than its process recorded."""
    known = max((row[0] for row in _CHAIN_LENGTH.fetch(connection, writer=writer)), default=0)
    if known > last:
        yield ChainBreak(writer=writer, number=last + 1, problem=f"rows {last + 1} to {known} are missing")


def _host_time() -> datetime:
    return datetime.now(UTC)


def _read_page(connection: Connection, writer: str, first: int, last: int) -> Sequence[Any]:
    """A page of rows in the order of their chain, from the audit and its outbox."""
    audited, waiting = (
        statement.fetch(connection, writer=writer, first=first, last=last, most=_ROWS_PER_PAGE)
        for statement in (_AUDIT_LINKS, _OUTBOX_LINKS)
    )
    return sorted([*audited, *waiting], key=itemgetter(1))[:_ROWS_PER_PAGE] if waiting else audited


def _to_link(row: Sequence[Any]) -> Link:
    """The link of a row; an invalid row becomes an empty entry, which does not match its hash."""
    try:
        if not any(isinstance(value, bytes) for value in row):
            return link_from_row(row)
    except (TypeError, ValueError, OverflowError):
        pass
    nothing = Entry(id="", user="", agent="", conversation="", call="", tool="", verdict="")
    return Link(entry=nothing, writer=row[0], number=row[1], at=from_micros(0), hash=row[3])


def _select_recorded(table: Table, words: Sequence[str]) -> Select[Any]:
    has_word = or_(*(table.c.decision == word for word in sorted(words)))
    return select(table.c.approval_id).where(table.c.verdict == "", has_word)


_AUDIT_LINKS, _OUTBOX_LINKS = _link_statement(audit), _link_statement(audit_outbox)
_CHAIN_LENGTH = Statement(select(processes.c.audited).where(processes.c.boot == bindparam("writer")))
_archived_at = select(func.coalesce(func.max(_segment.closed_at), 0)).scalar_subquery()
_UNRECORDED = Statement(
    select(approvals.c.id)
    .where(
        approvals.c.answered_at > _archived_at,
        approvals.c.answered_at <= bindparam("until"),
        approvals.c.id.not_in(_recorded_approvals(*ANSWER_DECISIONS, "released")),
    )
    .order_by(approvals.c.number)
    .limit(bindparam("most"))
)
# Only processes with an outbox write rows of claims.
_UNCLAIMED = Statement(
    select(approvals.c.id)
    .where(
        func.coalesce(approvals.c.answered_at, approvals.c.asked_at) > _archived_at,
        approvals.c.claim != "",
        approvals.c.boot.in_(select(processes.c.boot).where(processes.c.chain.is_not(None))),
        approvals.c.id.not_in(_recorded_approvals(CLAIM_DECISION)),
    )
    .order_by(approvals.c.number)
    .limit(bindparam("most"))
)
_PROCESSES_WITHOUT_OUTBOX = Statement(
    select(processes.c.boot).where(processes.c.chain.is_(None), processes.c.seen_at > bindparam("since"))
)
_CUT_CHAINS = Statement(select(func.count()).select_from(processes).where(processes.c.chain == "cut"))
