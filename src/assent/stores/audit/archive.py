"""Archives of the audit: segments of chains are written to a file and marked as archived."""

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from typing import IO

from sqlalchemy import bindparam, delete

from assent.errors import AssentError, ConflictError, StoreError
from assent.gate.audit import FIRST_VERSION, START, Break, Link, Segment, breaks
from assent.stores.audit.verify import ReportProgress, read_links, read_segments, read_time, read_writers
from assent.stores.sql.statement import Connection, Statement, insert_rows
from assent.stores.sql.tables import audit, audit_segments
from assent.stores.sql.times import to_micros
from assent.wire.audit import link_from_json, link_to_json, segment_from_json, segment_to_json
from assent.wire.fields import Fields


def write_segments(
    connection: Connection, lines: IO[str], archive: str, before: datetime, tell: ReportProgress
) -> list[Segment]:
    """Write the rows of every chain that are older than this moment and not archived yet."""
    segments: list[Segment] = []
    for writer in read_writers(connection):
        start = _start(connection, writer, archive)
        links = read_links(connection, writer, start.first, tell=tell)
        old = takewhile(lambda link: link.at < before, links)
        segment = write_segment(lines, old, start)
        segments += [] if segment is None else [segment]
    return segments


def _start(connection: Connection, writer: str, archive: str) -> Segment:
    """An empty segment after the last archived one."""
    closed = read_segments(connection, writer)
    if not closed:
        return Segment(writer=writer, first=1, last=0, previous_hash=START, last_hash=START, archive=archive)
    last = closed[-1]
    return replace(last, first=last.last + 1, previous_hash=last.last_hash, archive=archive)


def close_segments(connection: Connection, segments: Sequence[Segment], by: str) -> None:
    """Mark these rows as archived, unless another process archived them first."""
    at = to_micros(read_time(connection))
    for segment in segments:
        if _start(connection, segment.writer, "").first != segment.first:
            raise ConflictError("another process archived the same rows: check, then try again")
    _CLOSE.run_many(connection, [_row(segment, at, by) for segment in segments])


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
        "last_version": segment.last_version,
    }


def segments_with_rows(connection: Connection) -> list[Segment]:
    """The archived segments whose rows are still in the database."""
    return [
        segment
        for writer in read_writers(connection)
        for segment in read_segments(connection, writer)
        if next(read_links(connection, writer, segment.first, segment.last), None) is not None
    ]


_CLOSE = insert_rows(audit_segments)
REMOVE_ROWS = Statement(
    delete(audit).where(
        audit.c.writer == bindparam("writer"),
        audit.c.place >= bindparam("first"),
        audit.c.place <= bindparam("last"),
    )
)


def write_segment(lines: IO[str], links: Iterable[Link], start: Segment) -> Segment | None:
    """Write the links after the start, and the segment that they form; None if there are no links.

    A broken chain is not archived, because the archive would hide the break.
    """
    segment = start
    for link in links:
        end = segment.last + 1, segment.last_hash, segment.last_version
        for found in breaks((link,), first=end[0], previous=end[1], version=end[2]):
            raise StoreError(
                f"cannot archive the audit of `{found.writer}`: row {found.number}: {found.problem};"
                " see `assent audit verify`"
            )
        _write(lines, {"link": link_to_json(link)})
        segment = replace(segment, last=link.number, last_hash=link.hash, last_version=link.version)
    if segment is start:
        return None
    _write(lines, {"segment": segment_to_json(segment)})
    return segment


def read_archive(path: str) -> Iterator[Link | Segment]:
    """The lines of an archive: links, and after the links of each segment the segment itself."""
    last: Link | Segment | None = None
    with open(path, encoding="ascii") as lines:
        for number, line in enumerate(lines, start=1):
            last = _read(line, f"{path}, line {number}")
            yield last
    if not isinstance(last, Segment):
        raise StoreError(f"cannot use {path}: it is incomplete; look for another copy")


def check_archives(segments: Iterable[Segment]) -> tuple[list[Segment], list[Break]]:
    """The segments whose archive is missing, and the breaks in the archives that exist."""
    by_archive: defaultdict[str, list[Segment]] = defaultdict(list)
    for segment in segments:
        by_archive[segment.archive].append(segment)
    elsewhere: list[Segment] = []
    found: list[Break] = []
    for path, claimed in by_archive.items():
        if os.path.exists(path):
            found += _examined(path, claimed)
        else:
            elsewhere += claimed
    return elsewhere, found


def _examined(path: str, claimed: Sequence[Segment]) -> Iterator[Break]:
    wanted = {(one.writer, one.first): one for one in claimed}
    try:
        yield from _followed(path, wanted)
        problem = f"its archive {path} does not hold it"
    except (AssentError, OSError, ValueError) as error:
        problem = f"its archive {path} cannot be read: {error}"
    for one in wanted.values():
        yield Break(writer=one.writer, number=one.first, problem=problem)


def _followed(path: str, wanted: dict[tuple[str, int], Segment]) -> Iterator[Break]:
    """The breaks in an archive, read line by line; segments that were found are removed from `wanted`."""
    end = _NOWHERE
    for item in read_archive(path):
        if isinstance(item, Link):
            start = wanted.get((item.writer, item.number))
            if end == _NOWHERE and start is not None:
                end = (start.first - 1, start.previous_hash, FIRST_VERSION)
            for found in breaks((item,), first=end[0] + 1, previous=end[1], version=end[2]):
                yield Break(writer=item.writer, number=found.number, problem=f"in {path} {found.problem}")
            end = (item.number, item.hash, max(end[2], item.version))
            continue
        segment = wanted.pop((item.writer, item.first), None)
        if segment is not None and end != (segment.last, segment.last_hash, segment.last_version):
            problem = f"{path} does not end with the row that was closed"
            yield Break(writer=segment.writer, number=segment.last, problem=problem)
        end = _NOWHERE


def _read(line: str, where: str) -> Link | Segment:
    fields = Fields(json.loads(line), where)
    if fields.has("link"):
        return link_from_json(fields.raw("link"), where)
    return segment_from_json(fields.raw("segment"), where)


def _write(lines: IO[str], value: object) -> None:
    lines.write(json.dumps(value, separators=(",", ":")) + "\n")


_NOWHERE = (0, "", FIRST_VERSION)
"""Between two segments of an archive."""
