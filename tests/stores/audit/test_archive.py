"""An archive of the audit can be read back and checked by itself."""

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assent.errors import AssentError, StoreError
from assent.gate.audit import START, Link, Segment, linked
from assent.stores.audit.archive import check_archives, read_archive, write_segment
from tests.gate.samples import NOW
from tests.stores.promises.given import an_entry


def links(count: int = 3, writer: str = "w1") -> list[Link]:
    found: list[Link] = []
    for number in range(1, count + 1):
        previous = found[-1].hash if found else START
        found.append(linked(an_entry(number), writer=writer, number=number, at=NOW, previous=previous))
    return found


def start(archive: str = "", writer: str = "w1") -> Segment:
    return Segment(writer=writer, first=1, last=0, previous_hash=START, last_hash=START, archive=archive)


def archived(path: Path, *writers: str) -> list[Segment]:
    with path.open("w") as lines:
        return [
            segment
            for writer in writers
            if (segment := write_segment(lines, links(writer=writer), start(str(path), writer))) is not None
        ]


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "archive.jsonl"
    segments = archived(path, "w1", "w2")

    found = list(read_archive(str(path)))

    bare = [replace(segment, archive="") for segment in segments]
    assert found == [*links(), bare[0], *links(writer="w2"), bare[1]]
    assert check_archives(segments) == ([], [])


def test_where_there_are_no_rows_there_is_no_segment() -> None:
    lines = io.StringIO()

    assert write_segment(lines, [], start()) is None
    assert lines.getvalue() == ""


@pytest.mark.proves("T-40")
@pytest.mark.parametrize(
    ("kept", "problem"),
    [(links()[1:], "row 1: rows 1 to 1 are missing"), (links()[::2], "row 2: rows 2 to 2 are missing")],
)
def test_a_chain_with_a_gap_is_not_written(kept: Sequence[Link], problem: str) -> None:
    with pytest.raises(StoreError, match=problem):
        write_segment(io.StringIO(), kept, start())


def test_an_archive_that_is_not_there_is_told_apart_from_one_that_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "archive.jsonl"
    segments = archived(path, "w1")
    path.unlink()

    assert check_archives(segments) == (segments, [])


@pytest.mark.proves("T-40")
@pytest.mark.parametrize(
    ("old", "new", "number", "problem"),
    [
        ('"tool":"t"', '"tool":"x"', 1, "in {path} the row was altered"),
        ('"number":3', '"number":4', 3, "in {path} rows 3 to 3 are missing"),
        (
            '{"segment"',
            '{"sediment"',
            1,
            "its archive {path} cannot be read: field `{path}, line 4.segment` is missing",
        ),
        ('"writer":"w1","first"', '"writer":"w9","first"', 1, "its archive {path} does not hold it"),
    ],
)
def test_whatever_is_wrong_with_an_archive_is_named(
    tmp_path: Path, old: str, new: str, number: int, problem: str
) -> None:
    path = tmp_path / "archive.jsonl"
    segments = archived(path, "w1")
    path.write_text(path.read_text().replace(old, new))

    elsewhere, broken = check_archives(segments)

    assert elsewhere == []
    assert (broken[0].writer, broken[0].number) == ("w1", number)
    assert broken[0].problem == problem.format(path=path)


def test_an_archive_whose_end_is_another_is_named(tmp_path: Path) -> None:
    path = tmp_path / "archive.jsonl"
    archived(path, "w1")
    other = Segment(writer="w1", first=1, last=3, previous_hash=START, last_hash="f" * 64, archive=str(path))

    _, broken = check_archives([other])

    assert [one.problem for one in broken] == [f"{path} does not end with the row that was closed"]


@pytest.mark.parametrize("lines", [0, 2, 3])
def test_one_that_was_cut_off_is_no_archive(tmp_path: Path, lines: int) -> None:
    path = tmp_path / "archive.jsonl"
    archived(path, "w1")
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:lines]))

    with pytest.raises(AssentError, match="it is incomplete"):
        list(read_archive(str(path)))
