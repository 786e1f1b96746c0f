"""What an operator does with the audit of a database: verify, archive, list and export it."""

import asyncio
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from assent.errors import ConflictError, StoreError
from assent.gate.audit import Link, Segment, Sought
from assent.gate.history import CallRecord, call_record
from assent.stores.admin.connections import describe_address, query, update
from assent.stores.audit.archive import (
    REMOVE_ROWS,
    check_archives,
    close_segments,
    segments_with_rows,
    write_segments,
)
from assent.stores.audit.outbox import MOVED_AT_ONCE, link_from_row, move_to_audit
from assent.stores.audit.queries import audit_rows
from assent.stores.audit.verify import MAX_PROBLEMS, ReportProgress, Verification, verify_chains
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.listing import MAX_NUMBER
from assent.stores.sql.statement import Connection
from assent.stores.sqlite.file import atomic_file
from assent.wire.audit import WriteRow

_PAGE = 5000
_AT_ONCE = 1000
"""Rows that one transaction removes, so that other writes run in between."""
_CALLS_PAGE = 500
"""Rows of a page that includes the calls."""


class Row(NamedTuple):
    """A row of the audit and, if requested, its call."""

    number: int
    link: Link
    record: CallRecord | None = None


async def verify(address: str, tell: ReportProgress = lambda _: None) -> Verification:
    """Verify every chain of a database and the archives of its archived segments."""
    found, segments = await query(address, partial(verify_chains, tell=tell))
    return await asyncio.to_thread(_with_archives, found, segments)


async def archive(
    address: str, target: str, *, before: datetime, by: str, tell: ReportProgress = lambda _: None
) -> list[Segment]:
    """Write the rows that are older than a moment and not archived yet to a new file, and mark them.

    INVARIANT: a segment is marked only after its archive is complete on the disk; no row is changed.
    """
    path = os.path.abspath(target)
    with atomic_file(path, "archive to") as unfinished, open(unfinished, "w", encoding="ascii") as lines:
        segments = await query(
            address, partial(write_segments, lines=lines, archive=path, before=before, tell=tell)
        )
        if not segments:
            raise StoreError(
                f"there is nothing to archive in {describe_address(address)} from before that time"
            )
    try:
        await update(address, partial(close_segments, segments=segments, by=by))
    except ConflictError:
        os.unlink(path)  # Surely nothing was closed; after any other error it may have been.
        raise
    return segments


async def remove_archived(address: str, tell: ReportProgress = lambda _: None) -> tuple[int, list[Segment]]:
    """Remove the rows of archived segments; returns their number, and the segments without an archive."""
    # Rows that were archived from the outbox are moved first, so that they are removed too.
    while await update(address, move_to_audit) == MOVED_AT_ONCE:
        pass
    segments = await query(address, segments_with_rows)
    elsewhere, broken = await asyncio.to_thread(check_archives, segments)
    if broken:
        raise StoreError(
            f"nothing was removed from {describe_address(address)}: audit of `{broken[0].writer}`,"
            f" row {broken[0].number}: {broken[0].problem}"
        )
    removed = 0
    for segment in (one for one in segments if one not in elsewhere):
        # From the end, so that the remaining rows can always be verified.
        for last in range(segment.last, segment.first - 1, -_AT_ONCE):
            first = max(segment.first, last - _AT_ONCE + 1)
            removing = partial(REMOVE_ROWS.run, writer=segment.writer, first=first, last=last)
            rows = await update(address, removing)
            removed += rows
            tell(rows)
    return removed, elsewhere


async def latest_rows(address: str, sought: Sought, limit: int, *, calls: bool = False) -> list[Row]:
    """The newest matching rows, oldest first; with `calls`, each with its call."""
    return await query(address, partial(_latest, sought=sought, limit=limit, calls=calls))


async def for_each_row(
    address: str,
    sought: Sought,
    take: WriteRow,
    tell: ReportProgress = lambda _: None,
    *,
    calls: bool = False,
) -> None:
    """Call `take` with every matching row, oldest first."""
    after = 0
    while rows := await query(address, partial(_page, sought=sought, after=after, calls=calls)):
        for _, link, record in rows:
            take(link, record)
        tell(len(rows))
        after = rows[-1][0]


def _latest(connection: Connection, sought: Sought, limit: int, *, calls: bool) -> list[Row]:
    rows = audit_rows(connection, sought, MAX_NUMBER, limit, newest_first=True)
    return _read(connection, list(reversed(rows)), calls=calls)


def _page(connection: Connection, sought: Sought, after: int, *, calls: bool) -> list[Row]:
    rows = audit_rows(connection, sought, after, _CALLS_PAGE if calls else _PAGE, newest_first=False)
    return _read(connection, rows, calls=calls)


def _read(connection: Connection, rows: Sequence[Any], *, calls: bool) -> list[Row]:
    read = [Row(row[0], link_from_row(row[1:])) for row in rows]
    ids = {one.link.entry.approval for one in read if one.link.entry.approval}
    if not calls or not ids:
        return read
    found = ApprovalReader().read_excerpts(connection, ids)
    records = {id_: call_record(one) for id_, one in found.items()}
    return [one._replace(record=records.get(one.link.entry.approval)) for one in read]


def _with_archives(found: Verification, segments: Iterable[Segment]) -> Verification:
    elsewhere, broken_ones = check_archives(segments)
    return replace(
        found, breaks=(*found.breaks, *broken_ones)[:MAX_PROBLEMS], missing_archives=tuple(elsewhere)
    )
