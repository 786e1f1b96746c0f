"""Operations on the audit of a database: verify, archive, remove, list and export its rows."""

import asyncio
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import takewhile
from typing import IO, Any, NamedTuple

from sqlalchemy import bindparam, delete

from assent.errors import AssentError, ConflictError, StoreError
from assent.gate.audit import CHAIN_START_HASH, FIRST_VERSION, ChainBreak, Link, Segment, find_chain_breaks
from assent.gate.changes import CallRecord, call_record
from assent.gate.store import AuditFilter
from assent.stores.admin.connections import describe_address, read_current_schema, write_current_schema
from assent.stores.audit.outbox import MAX_MOVED_ROWS, link_from_row, move_to_audit
from assent.stores.audit.queries import audit_rows
from assent.stores.audit.verify import (
    MAX_PROBLEMS,
    ReportProgress,
    Verification,
    read_links,
    read_segments,
    read_time,
    read_writers,
    verify_chains,
)
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.listing import MAX_NUMBER
from assent.stores.sql.statement import Connection, Statement, insert_rows, to_micros
from assent.stores.sql.tables import audit, audit_segments
from assent.stores.sqlite.file import atomic_file
from assent.wire.audit import WriteRow, link_from_json, link_to_json, segment_from_json, segment_to_json
from assent.wire.fields import Fields

_ROWS_PER_PAGE = 5000
_ROWS_PER_TRANSACTION = 1000
"""The number of rows that one transaction removes, so that other writes run in between."""
_ROWS_PER_PAGE_WITH_CALLS = 500
"""The number of rows per page if the arguments of calls are included."""


class Row(NamedTuple):
    """A row of the audit and, if requested, the arguments of its call."""

    number: int
    link: Link
    record: CallRecord | None = None


async def verify_audit(address: str, report_progress: ReportProgress = lambda _: None) -> Verification:
    """Verify every chain of a database and the archives of its archived segments."""
    found, segments = await read_current_schema(
        address, partial(verify_chains, report_progress=report_progress)
    )
    return await asyncio.to_thread(_with_archives, found, segments)


async def archive_rows(
    address: str, target: str, *, before: datetime, by: str, report_progress: ReportProgress = lambda _: None
) -> list[Segment]:
    """Write rows that are older than a moment to a new archive file, and mark them as archived.

    INVARIANT: a segment is marked only after its archive is complete on the disk; no row is changed.
    """
    path = os.path.abspath(target)
    with atomic_file(path, "archive to") as unfinished, open(unfinished, "w", encoding="ascii") as lines:
        segments = await read_current_schema(
            address,
            partial(
                write_segments, lines=lines, archive=path, before=before, report_progress=report_progress
            ),
        )
        if not segments:
            raise StoreError(
                f"there is nothing to archive in {describe_address(address)} from before that time"
            )
    try:
        await write_current_schema(address, partial(close_segments, segments=segments, by=by))
    except ConflictError:
        os.unlink(path)  # No segment was marked as archived; after any other error, one may have been.
        raise
    return segments


async def remove_archived_rows(
    address: str, report_progress: ReportProgress = lambda _: None
) -> tuple[int, list[Segment]]:
    """Remove the rows of archived segments; returns their number, and segments without an archive file."""
    # Rows that were archived from the outbox are moved to the audit first, so that they are removed too.
    while await write_current_schema(address, move_to_audit) == MAX_MOVED_ROWS:
        pass
    segments = await read_current_schema(address, segments_with_rows)
    elsewhere, broken = await asyncio.to_thread(check_archives, segments)
    if broken:
        raise StoreError(
            f"nothing was removed from {describe_address(address)}: audit of `{broken[0].writer}`,"
            f" row {broken[0].number}: {broken[0].problem}"
        )
    removed = 0
    for segment in (one for one in segments if one not in elsewhere):
        # Removed from the end, so that the remaining rows can always be verified.
        for last in range(segment.last, segment.first - 1, -_ROWS_PER_TRANSACTION):
            first = max(segment.first, last - _ROWS_PER_TRANSACTION + 1)
            removing = partial(REMOVE_ROWS.run, writer=segment.writer, first=first, last=last)
            rows = await write_current_schema(address, removing)
            removed += rows
            report_progress(rows)
    return removed, elsewhere


async def latest_rows(
    address: str, audit_filter: AuditFilter, limit: int, *, calls: bool = False
) -> list[Row]:
    """The newest matching rows, oldest first; with `calls`, each with the arguments of its call."""
    return await read_current_schema(
        address, partial(_read_latest, audit_filter=audit_filter, limit=limit, calls=calls)
    )


async def write_each_row(
    address: str,
    audit_filter: AuditFilter,
    write_row: WriteRow,
    report_progress: ReportProgress = lambda _: None,
    *,
    calls: bool = False,
) -> None:
    """Pass every matching row to `write_row`, oldest first."""
    after = 0
    while rows := await read_current_schema(
        address, partial(_read_page, audit_filter=audit_filter, after=after, calls=calls)
    ):
        for _, link, record in rows:
            write_row(link, record)
        report_progress(len(rows))
        after = rows[-1][0]


def write_segments(
    connection: Connection, lines: IO[str], archive: str, before: datetime, report_progress: ReportProgress
) -> list[Segment]:
    """Write the rows of every chain that are older than `before` and not archived yet."""
    segments: list[Segment] = []
    for writer in read_writers(connection):
        start = _next_segment(connection, writer, archive)
        links = read_links(connection, writer, start.first, report_progress=report_progress)
        old = takewhile(lambda link: link.at < before, links)
        segment = write_segment(lines, old, start)
        segments += [] if segment is None else [segment]
    return segments


def close_segments(connection: Connection, segments: Sequence[Segment], by: str) -> None:
    """Mark these segments as archived, unless another process archived them first."""
    at = to_micros(read_time(connection))
    for segment in segments:
        if _next_segment(connection, segment.writer, "").first != segment.first:
            raise ConflictError("another process archived the same rows: check, then try again")
    _INSERT_SEGMENTS.run_many(connection, [_segment_to_row(segment, at, by) for segment in segments])


def segments_with_rows(connection: Connection) -> list[Segment]:
    """The archived segments whose rows are still in the database."""
    return [
        segment
        for writer in read_writers(connection)
        for segment in read_segments(connection, writer)
        if next(read_links(connection, writer, segment.first, segment.last), None) is not None
    ]


_INSERT_SEGMENTS = insert_rows(audit_segments)
REMOVE_ROWS = Statement(
    delete(audit).where(
        audit.c.writer == bindparam("writer"),
        audit.c.place >= bindparam("first"),
        audit.c.place <= bindparam("last"),
    )
)


def write_segment(lines: IO[str], links: Iterable[Link], start: Segment) -> Segment | None:
    """Write links to an archive, and after them their segment; returns None if there are no links.

    A broken chain is not archived, because the archive would hide the break.
    """
    segment = start
    for link in links:
        end = segment.last + 1, segment.last_hash, segment.last_version
        for found in find_chain_breaks((link,), first=end[0], previous=end[1], version=end[2]):
            raise StoreError(
                f"cannot archive the audit of `{found.writer}`: row {found.number}: {found.problem};"
                " see `assent audit verify`"
            )
        _write_line(lines, {"link": link_to_json(link)})
        segment = replace(segment, last=link.number, last_hash=link.hash, last_version=link.version)
    if segment is start:
        return None
    _write_line(lines, {"segment": segment_to_json(segment)})
    return segment


def read_archive(path: str) -> Iterator[Link | Segment]:
    """The lines of an archive: links, and after the links of each segment the segment itself."""
    last: Link | Segment | None = None
    with open(path, encoding="ascii") as lines:
        for number, line in enumerate(lines, start=1):
            last = _parse_line(line, f"{path}, line {number}")
            yield last
    if not isinstance(last, Segment):
        raise StoreError(f"cannot use {path}: it is incomplete; look for another copy")


def check_archives(segments: Iterable[Segment]) -> tuple[list[Segment], list[ChainBreak]]:
    """The segments whose archive is missing, and the breaks in the archives that exist."""
    by_archive: defaultdict[str, list[Segment]] = defaultdict(list)
    for segment in segments:
        by_archive[segment.archive].append(segment)
    elsewhere: list[Segment] = []
    found: list[ChainBreak] = []
    for path, claimed in by_archive.items():
        if os.path.exists(path):
            found += _check_archive(path, claimed)
        else:
            elsewhere += claimed
    return elsewhere, found


def _with_archives(found: Verification, segments: Iterable[Segment]) -> Verification:
    elsewhere, broken_ones = check_archives(segments)
    return replace(
        found, breaks=(*found.breaks, *broken_ones)[:MAX_PROBLEMS], missing_archives=tuple(elsewhere)
    )


def _read_latest(connection: Connection, audit_filter: AuditFilter, limit: int, *, calls: bool) -> list[Row]:
    rows = audit_rows(connection, audit_filter, MAX_NUMBER, limit, newest_first=True)
    return _to_rows(connection, list(reversed(rows)), calls=calls)


def _to_rows(connection: Connection, rows: Sequence[Any], *, calls: bool) -> list[Row]:
    read = [Row(row[0], link_from_row(row[1:])) for row in rows]
    ids = {one.link.entry.approval for one in read if one.link.entry.approval}
    if not calls or not ids:
        return read
    found = ApprovalReader().read_excerpts(connection, ids)
    records = {id_: call_record(one) for id_, one in found.items()}
    return [one._replace(record=records.get(one.link.entry.approval)) for one in read]


def _read_page(connection: Connection, audit_filter: AuditFilter, after: int, *, calls: bool) -> list[Row]:
    rows = audit_rows(
        connection,
        audit_filter,
        after,
        _ROWS_PER_PAGE_WITH_CALLS if calls else _ROWS_PER_PAGE,
        newest_first=False,
    )
    return _to_rows(connection, rows, calls=calls)


def _next_segment(connection: Connection, writer: str, archive: str) -> Segment:
    """An empty segment that begins after the last archived row of a writer."""
    closed = read_segments(connection, writer)
    if not closed:
        return Segment(
            writer=writer,
            first=1,
            last=0,
            previous_hash=CHAIN_START_HASH,
            last_hash=CHAIN_START_HASH,
            archive=archive,
        )
    last = closed[-1]
    return replace(last, first=last.last + 1, previous_hash=last.last_hash, archive=archive)


def _segment_to_row(segment: Segment, at: int, by: str) -> dict[str, object]:
    return {
        "writer": segment.writer,
        "first_place": segment.first,
        "last_place": segment.last,
        "previous_hash": segment.previous_hash,
        "last_hash": segment.last_hash,
        "archive": segment.archive,
        "closed_at": at,
        "closed_by": by,
        "last_version": segment.last_version,
    }


def _write_line(lines: IO[str], value: object) -> None:
    lines.write(json.dumps(value, separators=(",", ":")) + "\n")


def _parse_line(line: str, where: str) -> Link | Segment:
    fields = Fields(json.loads(line), where)
    if fields.has("link"):
        return link_from_json(fields.raw("link"), where)
    return segment_from_json(fields.raw("segment"), where)


def _check_archive(path: str, claimed: Sequence[Segment]) -> Iterator[ChainBreak]:
    wanted = {(one.writer, one.first): one for one in claimed}
    try:
        yield from _find_breaks_in_archive(path, wanted)
        problem = f"its archive {path} does not hold it"
    except (AssentError, OSError, ValueError) as error:
        problem = f"its archive {path} cannot be read: {error}"
    for one in wanted.values():
        yield ChainBreak(writer=one.writer, number=one.first, problem=problem)


def _find_breaks_in_archive(path: str, wanted: dict[tuple[str, int], Segment]) -> Iterator[ChainBreak]:
    """Read an archive line by line and yield its breaks; found segments are removed from `wanted`."""
    end = _NO_SEGMENT
    for item in read_archive(path):
        if isinstance(item, Link):
            start = wanted.get((item.writer, item.number))
            if end == _NO_SEGMENT and start is not None:
                end = (start.first - 1, start.previous_hash, FIRST_VERSION)
            for found in find_chain_breaks((item,), first=end[0] + 1, previous=end[1], version=end[2]):
                yield ChainBreak(
                    writer=item.writer, number=found.number, problem=f"in {path} {found.problem}"
                )
            end = (item.number, item.hash, max(end[2], item.version))
            continue
        segment = wanted.pop((item.writer, item.first), None)
        if segment is not None and end != (segment.last, segment.last_hash, segment.last_version):
            problem = f"{path} does not end with the row that was closed"
            yield ChainBreak(writer=segment.writer, number=segment.last, problem=problem)
        end = _NO_SEGMENT


_NO_SEGMENT = (0, "", FIRST_VERSION)
"""The state between two segments of an archive: no row, no hash, the first version."""
