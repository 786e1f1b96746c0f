"""The store in an SQLite file passes all conformance tests and some of its own."""

import asyncio
import os
import signal
import sqlite3
import stat
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assent.engine.policy.snapshot import Tier, TierSetting
from assent.errors import ConflictError, SchemaError, StoreError
from assent.gate.approval import Approval, State
from assent.gate.policy import Moment
from assent.gate.store import ApprovalFilter, Store, ToolTier
from assent.stores.sql.batch import AddApproval, EditTables
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sql.statement import Connection, HostClock
from assent.stores.sqlite import connection as sqlite_connection
from assent.stores.sqlite.connection import SqliteReaders
from assent.stores.sqlite.database import SqliteWriter, open_sqlite
from assent.stores.sqlite.file import FileIdentity
from assent.stores.store import new_shared_state
from tests.gate.samples import make_question
from tests.stores.conformance import Opening, SetClock, StoreConformance
from tests.stores.database import transaction
from tests.stores.processes import read_word, start_process
from tests.stores.promises.given import MANY, answer_change, list_all_approvals, list_all_links, sample_entry
from tests.stores.sqlite_file import create_empty_database
from tests.waiting import wait_until_async

PENDING = ApprovalFilter(states=frozenset({State.PENDING}))


@asynccontextmanager
async def open_store(database_path: Path, clock: SetClock | None = None) -> AsyncIterator[Store]:
    store = await open_sqlite(str(database_path), clock=clock)
    try:
        yield store
    finally:
        await store.close()


class TestSqliteStore(StoreConformance):
    @pytest.fixture
    def opening(self, tmp_path: Path) -> Opening:
        create_empty_database(tmp_path / "assent.db")
        return lambda clock: open_store(tmp_path / "assent.db", clock)


@pytest.fixture
def database_path(tmp_path: Path) -> Path:
    return tmp_path / "assent.db"


async def test_a_copied_empty_database_is_like_a_created_one(tmp_path: Path) -> None:
    create_empty_database(tmp_path / "copied.db")
    for name in ("copied.db", "created.db"):
        async with open_store(tmp_path / name):
            pass
    copied, created = (_describe_database(tmp_path / name) for name in ("copied.db", "created.db"))

    assert copied == created


def _describe_database(path: Path) -> tuple[object, ...]:
    """The tables, indexes and triggers of a file, its schema version, and who can access it."""
    with closing(sqlite3.connect(path)) as connection:
        parts = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()
        version = connection.execute("SELECT * FROM alembic_version").fetchall()
        (journal,) = connection.execute("PRAGMA journal_mode").fetchone()
    return parts, version, journal, stat.S_IMODE(path.stat().st_mode)


# ---- the file ---------------------------------------------------------------------------------------


@pytest.mark.proves("T-19")
async def test_only_its_owner_can_access_a_new_file(database_path: Path) -> None:
    async with open_store(database_path) as store:
        await store.add_approval("q1", make_question(), MANY)

        modes = {stat.S_IMODE(file.stat().st_mode) for file in database_path.parent.iterdir()}

    assert modes == {0o600}


@pytest.mark.proves("T-19")
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
async def test_a_file_that_others_can_write_is_refused(database_path: Path, mode: int) -> None:
    database_path.touch()
    database_path.chmod(mode)

    with pytest.raises(StoreError, match="others may write to it; run `chmod 600"):
        await open_sqlite(str(database_path))


async def test_the_error_for_a_missing_directory_names_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="its directory must exist"):
        await open_sqlite(str(tmp_path / "nowhere" / "assent.db"))


@pytest.mark.proves("T-42", "R-13")
@pytest.mark.parametrize("content", [b"not a database at all, but long enough to look like one" * 20, b"x"])
async def test_a_file_that_is_no_database_is_refused_and_not_changed(
    database_path: Path, content: bytes
) -> None:
    database_path.write_bytes(content)
    database_path.chmod(0o600)

    with pytest.raises(StoreError, match="it is not an SQLite database"):
        await open_sqlite(str(database_path))
    assert database_path.read_bytes() == content


@pytest.mark.proves("T-42")
async def test_a_damaged_file_is_refused_with_the_remedy(database_path: Path) -> None:
    async with open_store(database_path) as store:
        for number in range(50):
            await store.add_approval(f"q{number}", make_question(f"q{number}"), MANY)
    content = bytearray(database_path.read_bytes())
    content[8192:20000] = bytes(20000 - 8192)
    database_path.write_bytes(content)

    with pytest.raises(StoreError, match=r"damaged.*restore a backup"):
        await open_sqlite(str(database_path))


@pytest.mark.proves("R-26")
async def test_a_file_has_one_server_and_any_number_of_other_processes(database_path: Path) -> None:
    server = await open_sqlite(str(database_path), exclusive=True)
    with pytest.raises(StoreError, match="another server uses it"):
        await open_sqlite(str(database_path), exclusive=True)
    async with open_store(database_path) as visitor:
        await visitor.add_approval("q1", make_question(), MANY)
    await server.close()

    again = await open_sqlite(str(database_path), exclusive=True)

    assert (await again.approval("q1")).state is State.PENDING
    await again.close()


@pytest.mark.proves("R-14")
@pytest.mark.parametrize("version", ["2.1", "99.0"])
async def test_a_newer_schema_is_refused(database_path: Path, version: str) -> None:
    await (await open_sqlite(str(database_path))).close()
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", [version])

    with pytest.raises(SchemaError, match="use a newer Assent"):
        await open_sqlite(str(database_path))


@pytest.mark.proves("R-14")
async def test_a_later_compatible_schema_is_accepted(database_path: Path) -> None:
    await (await open_sqlite(str(database_path))).close()
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute("ALTER TABLE grants ADD COLUMN colour TEXT")
        connection.execute("UPDATE alembic_version SET version_num = '1.99'")

    async with open_store(database_path) as store:
        assert (await store.add_approval("q1", make_question(), MANY)).state is State.PENDING


async def test_several_processes_that_create_a_file_at_once_create_it_once(database_path: Path) -> None:
    stores = await asyncio.gather(*(open_sqlite(str(database_path)) for _ in range(4)))

    assert len({store.secret for store in stores}) == 1
    for store in stores:
        await store.close()


# ---- faults -----------------------------------------------------------------------------------------


@pytest.mark.proves("R-26")
async def test_a_file_that_is_locked_too_long_is_a_temporary_error(
    database_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connection, "BUSY_TIMEOUT", 0.1)
    async with open_store(database_path) as store:
        with closing(sqlite3.connect(database_path, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match=r"assent\.db: another process has held it for too long"):
                await store.add_approval("q1", make_question(), MANY)
            assert await list_all_approvals(store) == []
            holder.execute("ROLLBACK")

        assert (await store.add_approval("q1", make_question(), MANY)).state is State.PENDING


@pytest.mark.proves("R-1", "R-26")
async def test_a_process_gets_access_to_a_constantly_written_file(database_path: Path) -> None:
    async with open_store(database_path) as store:
        turns, ending = list[int](), threading.Event()
        busy = asyncio.create_task(asyncio.to_thread(_keep_writing, database_path, turns, ending))
        await wait_until_async(lambda: turns)
        for number in range(20):
            await store.add_approval(f"q{number}", make_question(f"q{number}"), MANY)
        passed = len(turns) / 20
        ending.set()
        await busy

    assert passed < 50


def _keep_writing(database_path: Path, turns: list[int], ending: threading.Event) -> None:
    """Hold the file's lock nearly all the time, and count the transactions."""
    with closing(sqlite3.connect(database_path, isolation_level=None, timeout=60)) as connection:
        while not ending.is_set():
            connection.execute("BEGIN IMMEDIATE")
            turns.append(len(turns))
            time.sleep(0.005)
            connection.execute("COMMIT")
            time.sleep(0.001)


@pytest.mark.proves("R-12")
async def test_a_failed_read_is_a_temporary_error(database_path: Path) -> None:
    async with open_store(database_path) as store:
        await store.add_approval("q1", make_question(), MANY)
        await _execute_directly(database_path, "ALTER TABLE approvals RENAME TO gone")
        for looking in (store.approval("q1"), store.wait_for_answer("q1")):
            with pytest.raises(StoreError, match=r"cannot use .*assent\.db: no such table: approvals"):
                await looking

        await _execute_directly(database_path, "ALTER TABLE gone RENAME TO approvals")

        assert (await store.approval("q1")).state is State.PENDING


@pytest.mark.proves("R-10")
async def test_with_a_full_disk_writes_fail_and_reads_work(database_path: Path) -> None:
    async with open_store(database_path) as store:
        await store.add_approval("q1", make_question(), MANY)
    async with start_process(str(database_path), "fill", "q2", "q1") as process:
        refused, pending, again = [await read_word(process) for _ in range(3)]

    assert refused.startswith(f"StoreError: cannot use {database_path}: the disk ")
    assert refused.endswith("nothing was changed")
    assert (pending, again) == ("pending: pending", "pending")


@pytest.mark.proves("R-16", "R004-30")
async def test_audit_entries_that_cannot_be_written_are_kept_counted_and_written_later(
    database_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_store(database_path) as store:
        await _execute_directly(database_path, "ALTER TABLE audit RENAME TO gone")
        store.record(sample_entry(1))
        await store.flush_audit()
        assert (await store.add_approval("q1", make_question(), MANY)).state is State.PENDING
        assert (store.audit_spooled, store.audit_lost) == (1, 0)

        await _execute_directly(database_path, "ALTER TABLE gone RENAME TO audit")
        store.record(sample_entry(2))
        await store.flush_audit()

        assert [link.entry.id for link in await list_all_links(store)] == ["e1", "e2"]
        assert (store.audit_spooled, store.audit_lost) == (0, 0)
    assert caplog.messages == [
        "the audit cannot be written now; its entries are kept in memory (OperationalError)"
    ]


@pytest.mark.proves("R-16", "T-40")
async def test_unwritten_audit_entries_are_written_by_the_next_process(database_path: Path) -> None:
    async with open_store(database_path) as store:
        await _execute_directly(database_path, "ALTER TABLE audit RENAME TO gone")
        store.record(sample_entry(1, reason="ñ\0'"))
    await _execute_directly(database_path, "ALTER TABLE gone RENAME TO audit")

    async with open_store(database_path) as store:
        store.record(sample_entry(2))
        await store.flush_audit()
        assert [link.entry for link in await list_all_links(store)] == [
            sample_entry(1, reason="ñ\0'"),
            sample_entry(2),
        ]
    assert [file.name for file in database_path.parent.iterdir() if "jsonl" in file.name] == []


async def _execute_directly(database_path: Path, statement: str) -> None:
    with closing(sqlite3.connect(database_path, timeout=60)) as connection, connection:
        connection.execute(statement)


@pytest.mark.proves("T-40")
@pytest.mark.parametrize("statement", ["UPDATE audit SET reason = 'x'", "DELETE FROM audit"])
async def test_the_database_refuses_to_alter_the_audit(database_path: Path, statement: str) -> None:
    async with open_store(database_path) as store:
        store.record(sample_entry())
        await store.flush_audit()

        with pytest.raises(sqlite3.IntegrityError, match="the audit is append-only"):
            await _execute_directly(database_path, statement)


@pytest.mark.proves("T-43", "R-9")
async def test_a_host_clock_that_is_set_back_does_not_restore_expired_approvals(database_path: Path) -> None:
    clock = SetClock()
    async with open_store(database_path, clock) as store:
        await store.add_approval("q1", make_question(expires_in=timedelta(hours=1)), MANY)
    with closing(sqlite3.connect(database_path)) as connection, connection:
        # Everything appears to be written by a clock that was a day ahead of the host's.
        connection.execute(
            "UPDATE processes SET seen_at = CAST((julianday('now', '+1 day') - 2440587.5) * 86400e6 AS INTEGER)"
        )

    async with open_store(database_path) as again:
        ahead = (await again.moment()).at
    async with open_store(database_path, clock) as late:
        clock.now = ahead
        assert len(await late.sweep(timedelta(days=365))) == 1


# ---- other processes --------------------------------------------------------------------------------


@pytest.mark.proves("R-2")
async def test_an_answer_from_another_process_wakes_a_waiting_caller(database_path: Path) -> None:
    async with open_store(database_path) as store:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))

        async with start_process(str(database_path), "answer", "q1") as process:
            assert await read_word(process) == "approved"
            woken = await asyncio.wait_for(waiting, 60)

    assert (woken.state, woken.answer and woken.answer.by) == (State.APPROVED, "ana")


@pytest.mark.proves("R-1", "R-8")
async def test_the_approvals_of_a_killed_process_stay_pending_until_the_grace_period_ends(
    database_path: Path,
) -> None:
    ids = [f"q{number}" for number in range(200)]
    async with open_store(database_path) as store:
        async with start_process(str(database_path), "ask", *ids) as process:
            assert await read_word(process) == "asked"
            os.kill(process.pid, signal.SIGKILL)
            await process.wait()

        assert [one.id for one in await list_all_approvals(store, PENDING)] == ids
        assert len(await store.sweep(timedelta(minutes=1))) == 0
        assert (await store.change_approval("q0", answer_change())).state is State.APPROVED
        assert len(await store.sweep(timedelta(seconds=-3600))) == 200
        assert {one.state for one in await list_all_approvals(store)} == {State.WITHDRAWN}


async def test_returned_arguments_are_not_shared_between_callers(database_path: Path) -> None:
    async with open_store(database_path) as store:
        await store.add_approval("q1", make_question(args={"list": [1]}), MANY)
        first = await store.approval("q1")
        first.call.args["list"].append(2)  # type: ignore[attr-defined]

        assert (await store.approval("q1")).call == replace(first.call, args={"list": [1]})


class RunningWriter:
    """A writer, and the moments at which its transactions began."""

    def __init__(self, database_path: Path) -> None:
        with transaction(database_path):
            pass
        file = FileIdentity(str(database_path))
        self.readers = SqliteReaders(file)
        self.shared = new_shared_state(str(database_path), f"{database_path}.jsonl")
        self.writer = SqliteWriter(file, self.readers, HostClock(), self.shared)

    async def close(self) -> None:
        await self.writer.close()
        self.readers.close()


def record_moment(moments: set[object]) -> EditTables:
    def edit_tables(connection: Connection, moment: Moment) -> EditResult:
        moments.add(moment.at)
        return EditResult()

    return EditTables(edit_tables)


async def test_requests_during_a_commit_share_the_next_commit(tmp_path: Path) -> None:
    given, moments = RunningWriter(tmp_path / "a.db"), set[object]()

    await asyncio.gather(*(given.writer.put(record_moment(moments)) for _ in range(500)))

    assert len(moments) < 50
    await given.close()


async def test_requests_of_one_turn_of_the_event_loop_are_committed_together(tmp_path: Path) -> None:
    given, moments = RunningWriter(tmp_path / "a.db"), set[object]()

    for _ in range(20):
        queued = [given.writer.put(record_moment(moments)) for _ in range(5)]
        await asyncio.gather(*queued)

    assert len(moments) == 20
    await given.close()


async def test_a_value_that_cannot_be_stored_fails_only_its_own_request(tmp_path: Path) -> None:
    given = RunningWriter(tmp_path / "a.db")
    pieces = [
        AddApproval(f"q{number}", make_question(f"q{number}", turn="\ud800" if number == 1 else "t"), MANY)
        for number in range(3)
    ]

    results = await asyncio.gather(*map(given.writer.put, pieces), return_exceptions=True)

    assert [type(result).__name__ for result in results] == ["Approval", "InputError", "Approval"]
    await given.close()


async def test_queued_requests_are_finished_before_closing_and_later_ones_are_refused(tmp_path: Path) -> None:
    given = RunningWriter(tmp_path / "a.db")
    queued = [
        given.writer.put(AddApproval(f"q{number}", make_question(f"q{number}"), MANY)) for number in range(20)
    ]
    given.writer.record(sample_entry())

    await given.close()

    assert {type(one) for one in await asyncio.gather(*queued)} == {Approval}
    with pytest.raises(Exception, match="is closed in this process"):
        await given.writer.put(record_moment(set()))
    assert len(given.shared.ledger) == 0


async def test_a_cancelled_caller_does_not_affect_others(tmp_path: Path) -> None:
    given = RunningWriter(tmp_path / "a.db")
    gone = asyncio.ensure_future(given.writer.put(AddApproval("q1", make_question("q1"), MANY)))
    gone.cancel()

    kept = await given.writer.put(AddApproval("q2", make_question("q2"), MANY))

    assert isinstance(kept, Approval)
    await given.close()


async def test_the_error_of_a_refused_edit_reaches_its_own_caller(tmp_path: Path) -> None:
    def refuse_edit(connection: Connection, moment: Moment) -> EditResult:
        raise ConflictError("no")

    given = RunningWriter(tmp_path / "a.db")

    with pytest.raises(ConflictError):
        await given.writer.put(EditTables(refuse_edit))
    await given.close()


@pytest.mark.supports("R-12")
async def test_a_quick_read_that_failed_leaves_no_old_state_behind(tmp_path: Path) -> None:
    store = await open_sqlite(str(tmp_path / "assent.db"))
    unfinished: list[Any] = []

    def fail_halfway(connection: Any) -> None:
        if not unfinished:
            unfinished.append(connection.driver.execute("SELECT value FROM json_each('[1, 2, 3]'), policy"))
            raise sqlite3.OperationalError("disk I/O error")

    await store._database.read_quickly(fail_halfway)
    await store.set_tiers([ToolTier("clerk", "mail.send", TierSetting(Tier.BLOCKED, explicit=True))])

    rows = await store._database.read_quickly(lambda one: one.fetch("SELECT tool_name FROM tiers", ()))
    assert [tuple(row) for row in rows] == [("mail.send",)]
    await store.close()
