"""Archiving the audit: closing a stretch of every chain into a file, and taking closed rows out."""

import asyncio
import os
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from itertools import takewhile
from typing import IO

from sqlalchemy import Connection, bindparam, delete

from assent.errors import ConflictError, StoreError
from assent.gate.audit import START, Segment
from assent.stores.archive_file import examined, write_segment
from assent.stores.chains import Tell, links_of, now_of, segments_of, writers_of
from assent.stores.connections import change, look, where_of
from assent.stores.finished import finished
from assent.stores.outbox import AT_ONCE, move
from assent.stores.statements import Statement, inserting
from assent.stores.tables import audit, audit_segments
from assent.stores.times import kept

_AT_ONCE = 1000
"""Rows that one transaction takes out, so that those who write get their turn in between."""


async def close(
    address: str, target: str, *, before: datetime, by: str, tell: Tell = lambda _: None
) -> list[Segment]:
    """Write every row from before a moment that is not archived yet into a new file, and close those.

    INVARIANT: a segment is closed only when its rows are on the disk as a whole file; no row is altered.
    """
    archive = os.path.abspath(target)
    with finished(archive, "archive to") as unfinished, open(unfinished, "w", encoding="ascii") as lines:
        segments = await look(
            address, partial(_written, lines=lines, archive=archive, before=before, tell=tell)
        )
        if not segments:
            raise StoreError(f"there is nothing to archive in {where_of(address)} from before that time")
    try:
        await change(address, partial(_close, segments=segments, by=by))
    except ConflictError:
        os.unlink(archive)  # Surely nothing was closed; after any other error it may have been.
        raise
    return segments


async def remove(address: str, tell: Tell = lambda _: None) -> tuple[int, list[Segment]]:
    """Take out the rows of closed segments; how many, and the segments that stay, for want of an archive."""
    # What was archived while it waited in the outbox is taken out of the audit, too.
    while await change(address, move) == AT_ONCE:
        pass
    segments = await look(address, _with_rows)
    elsewhere, broken = await asyncio.to_thread(examined, segments)
    if broken:
        raise StoreError(
            f"nothing was removed from {where_of(address)}: audit of `{broken[0].writer}`,"
            f" row {broken[0].number}: {broken[0].problem}"
        )
    removed = 0
    for segment in (one for one in segments if one not in elsewhere):
        # From the end on: what is left is always a beginning, which can be checked.
        for last in range(segment.last, segment.first - 1, -_AT_ONCE):
            first = max(segment.first, last - _AT_ONCE + 1)
            rows = await change(address, partial(_REMOVE.run, writer=segment.writer, first=first, last=last))
            removed += rows
            tell(rows)
    return removed, elsewhere


def _written(
    connection: Connection, lines: IO[str], archive: str, before: datetime, tell: Tell
) -> list[Segment]:
    segments: list[Segment] = []
    for writer in writers_of(connection):
        start = _start(connection, writer, archive)
        links = links_of(connection, writer, start.first, tell=tell)
        old = takewhile(lambda link: link.at < before, links)
        segment = write_segment(lines, old, start)
        segments += [] if segment is None else [segment]
    return segments


def _start(connection: Connection, writer: str, archive: str) -> Segment:
    """A segment behind the last one that was closed, with nothing in it yet."""
    closed = segments_of(connection, writer)
    last, end = (closed[-1].last, closed[-1].last_hash) if closed else (0, START)
    return Segment(
        writer=writer, first=last + 1, last=last, previous_hash=end, last_hash=end, archive=archive
    )


def _close(connection: Connection, segments: Sequence[Segment], by: str) -> None:
    at = kept(now_of(connection))
    for segment in segments:
        if _start(connection, segment.writer, "").first != segment.first:
            raise ConflictError("somebody else archived the same rows meanwhile: look, then try again")
    _CLOSE.many(connection, [_row(segment, at, by) for segment in segments])


def _row(segment: Segment, at: int, by: str) -> dict[str, object]:
    return {
        "writer": segment.writer,
        "first_place": segment.first,
        "last_place": segment.last,
        "previous_hash": segment.previous_hash,
        "last_hash": segment.last_hash,
        "archive": segment.archive,
        "closed_at": at,
        "closed_by": by,
    }


def _with_rows(connection: Connection) -> list[Segment]:
    """The closed segments of which rows are still there."""
    return [
        segment
        for writer in writers_of(connection)
        for segment in segments_of(connection, writer)
        if next(links_of(connection, writer, segment.first, segment.last), None) is not None
    ]


_CLOSE = inserting(audit_segments)
_REMOVE = Statement(
    delete(audit).where(
        audit.c.writer == bindparam("writer"),
        audit.c.place >= bindparam("first"),
        audit.c.place <= bindparam("last"),
    )
)
