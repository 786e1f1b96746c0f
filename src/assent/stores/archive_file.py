"""An archive of the audit: a file of links, with what each stretch of a chain claims to be behind it."""

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import IO

from assent.errors import AssentError, StoreError
from assent.gate.audit import Break, Link, Segment, breaks
from assent.wire.audit import link_from_json, link_to_json, segment_from_json, segment_to_json
from assent.wire.fields import Fields


def write_segment(lines: IO[str], links: Iterable[Link], start: Segment) -> Segment | None:
    """Write the links that follow the end of a chain, and what they are together; None where there are none.

    A chain that does not hold is not closed over: that would make it look as if it did.
    """
    segment = start
    for link in links:
        for found in breaks((link,), first=segment.last + 1, previous=segment.last_hash):
            raise StoreError(
                f"cannot archive the audit of `{found.writer}`: row {found.number}: {found.problem};"
                " see `assent audit verify`"
            )
        _write(lines, {"link": link_to_json(link)})
        segment = replace(segment, last=link.number, last_hash=link.hash)
    if segment is start:
        return None
    _write(lines, {"segment": segment_to_json(segment)})
    return segment


def read_segments(path: str) -> Iterator[tuple[Segment, list[Link]]]:
    """Every stretch that a file holds; a line that is none of ours is an error."""
    links: list[Link] = []
    with open(path, encoding="ascii") as lines:
        for number, line in enumerate(lines, start=1):
            read = _read(line, f"{path}, line {number}")
            if isinstance(read, Link):
                links.append(read)
                continue
            yield read, links
            links = []
    if links:
        raise StoreError(f"cannot use {path}: it is cut off; look for another copy")


def examined(segments: Iterable[Segment]) -> tuple[list[Segment], list[Break]]:
    """Those segments whose archive is not there, and whatever is wrong with those whose archive is."""
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
        for said, links in read_segments(path):
            segment = wanted.pop((said.writer, said.first), None)
            if segment is not None:
                yield from _checked(segment, links)
    except (AssentError, OSError, ValueError) as error:
        problem = f"its archive {path} cannot be read: {error}"
        yield from (Break(writer=one.writer, number=one.first, problem=problem) for one in wanted.values())
        return
    for one in wanted.values():
        yield Break(writer=one.writer, number=one.first, problem=f"its archive {path} does not hold it")


def _checked(segment: Segment, links: Sequence[Link]) -> Iterator[Break]:
    """Whether links are a segment, to the last character."""
    for found in breaks(links, first=segment.first, previous=segment.previous_hash):
        yield Break(
            writer=segment.writer, number=found.number, problem=f"in {segment.archive} {found.problem}"
        )
    end = (links[-1].number, links[-1].hash) if links else (0, "")
    if end != (segment.last, segment.last_hash):
        problem = f"{segment.archive} does not end with the row that was closed"
        yield Break(writer=segment.writer, number=segment.last, problem=problem)


def _read(line: str, where: str) -> Link | Segment:
    fields = Fields(json.loads(line), where)
    if fields.has("link"):
        return link_from_json(fields.raw("link"), where)
    return segment_from_json(fields.raw("segment"), where)


def _write(lines: IO[str], value: object) -> None:
    lines.write(json.dumps(value, separators=(",", ":")) + "\n")
