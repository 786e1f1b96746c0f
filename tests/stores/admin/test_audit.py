"""Archived rows can be removed from the database and still belong to their chain."""

import io
import os
import stat
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assent.errors import AssentError, ConflictError, StoreError
from assent.gate.audit import CHAIN_START_HASH, Link, Segment, current_version, link_entry
from assent.stores.admin import audit as audit_admin
from assent.stores.admin.audit import (
    archive_rows,
    check_archives,
    read_archive,
    remove_archived_rows,
    verify_audit,
    write_segment,
)
from assent.stores.admin.connections import read_any_schema, write_any_schema
from assent.stores.audit.verify import Verification
from tests.gate.samples import NOW
from tests.stores.audited import ENTRIES, open_store, record_entries, tamper_with_rows
from tests.stores.promises.given import list_all_links, sample_entry

YESTERDAY = datetime.now(UTC) - timedelta(days=1)
TOMORROW = datetime.now(UTC) + timedelta(days=1)


@pytest.fixture
def archive_path(tmp_path: Path) -> str:
    return str(tmp_path / "archive.jsonl")


async def test_an_archive_contains_every_row_with_its_hash(address: str, archive_path: str) -> None:
    writer = await record_entries(address)
    async with open_store(address) as store:
        rows = await list_all_links(store)

    segments = await archive_rows(address, archive_path, before=TOMORROW, by="ana")

    *archived, segment = read_archive(archive_path)
    assert archived == rows
    assert [link.entry for link in rows] == list(ENTRIES)
    assert segments == [
        Segment(
            writer=writer,
            first=1,
            last=10,
            previous_hash=CHAIN_START_HASH,
            last_hash=rows[-1].hash,
            archive=archive_path,
            last_version=current_version(),
        )
    ]
    assert segment == replace(segments[0], archive="")
    assert stat.S_IMODE(os.stat(archive_path).st_mode) == 0o600


@pytest.mark.proves("T-40", "R004-34")
async def test_rows_can_be_deleted_only_after_their_segment_is_archived(
    address: str, archive_path: str
) -> None:
    await record_entries(address)
    taking = "DELETE FROM audit"

    with pytest.raises(AssentError):
        await write_any_schema(address, lambda connection: connection.core.exec_driver_sql(taking))
    assert await remove_archived_rows(address) == (0, [])
    await archive_rows(address, archive_path, before=TOMORROW, by="ana")
    with pytest.raises(AssentError):
        await write_any_schema(
            address, lambda connection: connection.core.exec_driver_sql("UPDATE audit SET reason = 'x'")
        )
    with pytest.raises(AssentError):
        await write_any_schema(
            address, lambda connection: connection.core.exec_driver_sql("DELETE FROM audit_segments")
        )

    assert await remove_archived_rows(address) == (10, [])
    assert await verify_audit(address) == Verification(chains=1, rows=0)


async def test_a_chain_continues_after_an_archived_segment(address: str, archive_path: str) -> None:
    async with open_store(address) as store:
        for entry in ENTRIES:
            store.record(entry)
        await store.flush_audit()
        await archive_rows(address, archive_path, before=TOMORROW, by="ana")
        await remove_archived_rows(address)
        store.record(sample_entry(11))
        await store.flush_audit()
        after = await verify_audit(address)
        await archive_rows(address, f"{archive_path}.2", before=TOMORROW, by="ana")

    assert after == Verification(chains=1, rows=1)
    assert (await verify_audit(address)).is_intact
    assert [line.number for line in read_archive(f"{archive_path}.2") if isinstance(line, Link)] == [11]


@pytest.mark.proves("T-40")
async def test_a_missing_row_after_an_archived_segment_is_reported(address: str, archive_path: str) -> None:
    async with open_store(address) as store:
        for entry in ENTRIES[:5]:
            store.record(entry)
        await store.flush_audit()
        await archive_rows(address, archive_path, before=TOMORROW, by="ana")
        for entry in ENTRIES[5:]:
            store.record(entry)
        await store.flush_audit()
        boot = store.boot
    await remove_archived_rows(address)
    await tamper_with_rows(address, "DELETE FROM audit WHERE place = 6")

    assert [(one.writer, one.number, one.problem) for one in (await verify_audit(address)).breaks] == [
        (boot, 6, "rows 6 to 6 are missing")
    ]


async def test_only_rows_before_the_given_time_are_archived(tmp_path: Path, archive_path: str) -> None:
    address = str(tmp_path / "assent.db")
    old = await record_entries(address, at=YESTERDAY)
    await record_entries(address)

    (segment,) = await archive_rows(
        address, archive_path, before=datetime.now(UTC) - timedelta(hours=1), by="ana"
    )
    removed, _ = await remove_archived_rows(address)

    assert (segment.writer, removed) == (old, 10)
    assert await verify_audit(address) == Verification(chains=2, rows=10)


async def test_without_old_rows_no_archive_is_written(address: str, archive_path: str) -> None:
    await record_entries(address)

    with pytest.raises(StoreError, match="there is nothing to archive in"):
        await archive_rows(address, archive_path, before=YESTERDAY - timedelta(days=9), by="ana")

    assert not Path(archive_path).exists()
    assert not Path(f"{archive_path}.unfinished").exists()


async def test_an_existing_file_is_not_overwritten(address: str, archive_path: str) -> None:
    await record_entries(address)
    Path(archive_path).write_text("precious")

    with pytest.raises(StoreError, match="it exists already; name a new file"):
        await archive_rows(address, archive_path, before=TOMORROW, by="ana")

    assert Path(archive_path).read_text() == "precious"


@pytest.mark.proves("T-40")
async def test_a_broken_chain_is_not_archived(address: str, archive_path: str) -> None:
    writer = await record_entries(address)
    await tamper_with_rows(address, "UPDATE audit SET reason = 'x' WHERE place = 3")

    with pytest.raises(StoreError) as raised:
        await archive_rows(address, archive_path, before=TOMORROW, by="ana")

    assert str(raised.value) == (
        f"cannot archive the audit of `{writer}`: row 3: the row was altered; see `assent audit verify`"
    )
    assert not Path(archive_path).exists()


async def test_of_two_concurrent_archives_of_the_same_rows_one_fails(
    address: str, archive_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await record_entries(address)
    changing = audit_admin.write_current_schema

    async def delete_slowly(*words: object) -> object:
        monkeypatch.setattr(audit_admin, "write_current_schema", changing)
        await archive_rows(address, f"{archive_path}.first", before=TOMORROW, by="ben")
        return await changing(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(audit_admin, "write_current_schema", delete_slowly)
    with pytest.raises(ConflictError, match="another process archived the same rows"):
        await archive_rows(address, archive_path, before=TOMORROW, by="ana")

    assert not Path(archive_path).exists()
    assert (await verify_audit(address)).is_intact


@pytest.mark.proves("T-40")
async def test_an_altered_archive_is_reported_and_no_row_is_removed(address: str, archive_path: str) -> None:
    writer = await record_entries(address)
    await archive_rows(address, archive_path, before=TOMORROW, by="ana")
    lines = Path(archive_path).read_text().splitlines(keepends=True)
    Path(archive_path).write_text("".join([lines[0], lines[1].replace('"ana"', '"eve"'), *lines[2:]]))

    with pytest.raises(StoreError, match="nothing was removed"):
        await remove_archived_rows(address)
    found = await verify_audit(address)

    assert [(one.writer, one.number, one.problem) for one in found.breaks] == [
        (writer, 2, f"in {archive_path} the row was altered")
    ]
    assert found.rows == 10


async def test_rows_without_an_archive_file_are_kept_and_reported(address: str, archive_path: str) -> None:
    await record_entries(address)
    (segment,) = await archive_rows(address, archive_path, before=TOMORROW, by="ana")
    os.rename(archive_path, f"{archive_path}.moved")

    removed, kept = await remove_archived_rows(address)
    found = await verify_audit(address)

    assert (removed, kept) == (0, [segment])
    assert (found.is_intact, found.missing_archives, found.rows) == (True, (segment,), 10)


@pytest.mark.parametrize("cut", [1, 400, -2])
async def test_a_truncated_archive_is_reported(tmp_path: Path, archive_path: str, cut: int) -> None:
    address = str(tmp_path / "assent.db")
    await record_entries(address)
    await archive_rows(address, archive_path, before=TOMORROW, by="ana")
    text = Path(archive_path).read_text()
    Path(archive_path).write_text(text[:cut])

    assert not (await verify_audit(address)).is_intact


@pytest.mark.proves("T-40")
async def test_an_altered_segment_is_reported(address: str, archive_path: str) -> None:
    writer = await record_entries(address)
    await archive_rows(address, archive_path, before=TOMORROW, by="ana")
    await tamper_with_rows(address, "UPDATE audit_segments SET last_hash = 'x'")

    found = await verify_audit(address)

    assert (writer, 10, "the row is not the one archived") in [
        (one.writer, one.number, one.problem) for one in found.breaks
    ]


async def test_after_an_interrupted_removal_the_remaining_rows_can_be_verified(
    address: str, archive_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await record_entries(address)
    await archive_rows(address, archive_path, before=TOMORROW, by="ana")
    monkeypatch.setattr(audit_admin, "_ROWS_PER_TRANSACTION", 3)

    def raise_interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await remove_archived_rows(address, raise_interrupt)
    between = await verify_audit(address)

    assert (between.is_intact, between.rows) == (True, 7)
    assert await remove_archived_rows(address) == (7, [])
    assert (await verify_audit(address)).rows == 0


async def test_a_segment_stores_who_archived_it_and_where(address: str, archive_path: str) -> None:
    await record_entries(address)
    await archive_rows(address, archive_path, before=TOMORROW, by="ana")

    ((by, where),) = await read_any_schema(
        address,
        lambda connection: [
            tuple(row)
            for row in connection.core.exec_driver_sql("SELECT closed_by, archive FROM audit_segments").all()
        ],
    )

    assert (by, where) == ("ana", archive_path)


def make_links(count: int = 3, writer: str = "w1") -> list[Link]:
    found: list[Link] = []
    for number in range(1, count + 1):
        previous = found[-1].hash if found else CHAIN_START_HASH
        found.append(
            link_entry(sample_entry(number), writer=writer, number=number, at=NOW, previous=previous)
        )
    return found


def empty_segment(archive: str = "", writer: str = "w1") -> Segment:
    return Segment(
        writer=writer,
        first=1,
        last=0,
        previous_hash=CHAIN_START_HASH,
        last_hash=CHAIN_START_HASH,
        archive=archive,
    )


def write_archive(path: Path, *writers: str) -> list[Segment]:
    with path.open("w") as lines:
        return [
            segment
            for writer in writers
            if (segment := write_segment(lines, make_links(writer=writer), empty_segment(str(path), writer)))
            is not None
        ]


def test_an_archive_is_read_back_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "archive.jsonl"
    segments = write_archive(path, "w1", "w2")

    found = list(read_archive(str(path)))

    bare = [replace(segment, archive="") for segment in segments]
    assert found == [*make_links(), bare[0], *make_links(writer="w2"), bare[1]]
    assert check_archives(segments) == ([], [])


def test_without_rows_there_is_no_segment() -> None:
    lines = io.StringIO()

    assert write_segment(lines, [], empty_segment()) is None
    assert lines.getvalue() == ""


@pytest.mark.proves("T-40")
@pytest.mark.parametrize(
    ("kept", "problem"),
    [
        (make_links()[1:], "row 1: rows 1 to 1 are missing"),
        (make_links()[::2], "row 2: rows 2 to 2 are missing"),
    ],
)
def test_a_chain_with_a_gap_is_not_written(kept: Sequence[Link], problem: str) -> None:
    with pytest.raises(StoreError, match=problem):
        write_segment(io.StringIO(), kept, empty_segment())


def test_a_missing_archive_is_distinguished_from_a_broken_one(tmp_path: Path) -> None:
    path = tmp_path / "archive.jsonl"
    segments = write_archive(path, "w1")
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
def test_every_error_in_an_archive_is_reported(
    tmp_path: Path, old: str, new: str, number: int, problem: str
) -> None:
    path = tmp_path / "archive.jsonl"
    segments = write_archive(path, "w1")
    path.write_text(path.read_text().replace(old, new))

    elsewhere, broken = check_archives(segments)

    assert elsewhere == []
    assert (broken[0].writer, broken[0].number) == ("w1", number)
    assert broken[0].problem == problem.format(path=path)


def test_an_archive_with_another_last_hash_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "archive.jsonl"
    write_archive(path, "w1")
    other = Segment(
        writer="w1", first=1, last=3, previous_hash=CHAIN_START_HASH, last_hash="f" * 64, archive=str(path)
    )

    _, broken = check_archives([other])

    assert [one.problem for one in broken] == [f"{path} does not end with the row that was closed"]


@pytest.mark.parametrize("lines", [0, 2, 3])
def test_an_archive_without_its_last_lines_is_reported(tmp_path: Path, lines: int) -> None:
    path = tmp_path / "archive.jsonl"
    write_archive(path, "w1")
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:lines]))

    with pytest.raises(AssentError, match="it is incomplete"):
        list(read_archive(str(path)))
