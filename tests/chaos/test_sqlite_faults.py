"""An SQLite file that fails, is full, locked or damaged: nothing runs without approval, and work continues afterwards."""

import asyncio
import os
import resource
import signal
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from assent.engine.policy.snapshot import Tier, TierSetting
from assent.errors import AssentError, StoreError
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.gate.calls import Run, Wait
from assent.gate.store import ToolTier
from assent.stores.sqlite.database import open_sqlite
from chaos import faults
from chaos.site import OWNER, Site, begin_turn, make_call, open_site
from chaos.worker_pool import CONTEXT, run_all
from tests.chaos.conftest import SEED
from tests.chaos.test_storms import is_clean, no_progress
from tests.waiting import wait_until_async


@pytest.mark.proves("R-12", "R-25")
def test_a_fault_at_any_driver_call_runs_nothing_twice_or_without_approval(sqlite_site: Site) -> None:
    report = faults.run_scenario(sqlite_site, faults.SHORT_SIZE, SEED, "sqlite", no_progress)

    assert is_clean(report)
    assert all(report.figures[kind.value] != "at 0 calls" for kind in faults.FaultKind)
    assert int(report.figures["errors told"]) > 0


@pytest.mark.proves("R-12")
async def test_a_policy_change_that_fails_halfway_changes_nothing(sqlite_site: Site) -> None:
    blocked = ToolTier("clerk", "mail.send", TierSetting(Tier.BLOCKED, explicit=True))
    allowed = ToolTier("clerk", "note.read", TierSetting(Tier.ALWAYS_ALLOW, explicit=True))
    store = await open_sqlite(sqlite_site.address)
    await store.set_tiers([blocked])
    with closing(sqlite3.connect(sqlite_site.address)) as connection:
        connection.execute(
            "CREATE TRIGGER spoil BEFORE INSERT ON tiers WHEN NEW.tool_name = 'spoilt' "
            "BEGIN SELECT RAISE(FAIL, 'spoilt'); END"
        )

    with pytest.raises(AssentError, match="spoilt"):
        await store.set_tiers([allowed, allowed._replace(tool="spoilt")], replace_agent="clerk")

    assert list(await store.tiers()) == [blocked]
    await store.close()


@pytest.mark.proves("R-10", "R-26")
async def test_a_locked_file_is_waited_for_and_then_raises_an_error(sqlite_site: Site) -> None:
    async with open_site(sqlite_site) as gate:
        turn = await begin_turn(gate, "clerk")
        holder = CONTEXT.Process(target=hold_write_lock, args=(sqlite_site.address, 600.0), daemon=True)
        holder.start()
        await wait_until_async(lambda: _is_write_locked(sqlite_site.address))
        start = time.monotonic()
        with pytest.raises(StoreError, match=r"assent\.db: another process has held it for too long"):
            await turn.submit(make_call("held"))
        waited, still_held = time.monotonic() - start, holder.is_alive()
        holder.kill()
        holder.join()
        outcome = await turn.submit(make_call("held"))

    assert waited > 4
    assert still_held
    assert isinstance(outcome, Wait)


def hold_write_lock(path: str, seconds: float) -> None:
    """Run a process that holds a write transaction open."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    time.sleep(seconds)


def _is_write_locked(path: str) -> bool:
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
            connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return True
    return False


@pytest.mark.proves("R-10")
def test_a_full_disk_refuses_questions_and_answers_until_there_is_space(sqlite_site: Site) -> None:
    sqlite_site.prepare()
    results = CONTEXT.SimpleQueue()

    run_all(fill_disk, [(sqlite_site, results)], timeout=60)

    refused, pending, answered, ran = results.get()
    assert refused == ["StoreError"] * 3
    assert pending == ["pending"]
    assert (answered, ran) == ("approved", True)


def fill_disk(site: Site, results: Any) -> None:
    """Run a process whose files cannot grow for a while."""
    results.put(asyncio.run(_use_full_disk(site)))


async def _use_full_disk(site: Site) -> tuple[list[str], list[str], str, bool]:
    async with open_site(site) as gate:
        turn = await begin_turn(gate, "clerk")
        asked = await turn.submit(make_call("before"))
        assert isinstance(asked, Wait)
        approval, yes = asked.approval, Answer(say=Say.ONCE)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, limits[1]))
        refused = [
            await _error_name(turn.submit(make_call("full"))),
            await _error_name(gate.answer(OWNER, approval.id, approval.digest, yes)),
            await _error_name(turn.submit(make_call("full"))),
        ]
        pending = [one.state.value for one in (await gate.pending_approvals(OWNER)).approvals]
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        answered = await gate.answer(OWNER, approval.id, approval.digest, yes)
        return refused, pending, answered.state.value, isinstance(await turn.resume(approval.id), Run)


async def _error_name(work: Any) -> str:
    try:
        return f"no error: {await work}"
    except StoreError as error:
        return type(error).__name__


@pytest.mark.proves("R-10")
def test_a_directory_that_cannot_be_written_is_an_error_that_names_the_file() -> None:
    with TemporaryDirectory(prefix="assent-chaos-") as name:
        directory = Path(name)
        site = Site(address=str(directory / "assent.db"), directory=directory)
        asyncio.run(_create_file(site))
        for path in directory.iterdir():
            path.chmod(0o444)
        directory.chmod(0o555)
        results = CONTEXT.SimpleQueue()

        run_all(open_without_rights, [(site, results)], timeout=60)

        assert results.get().startswith(f"cannot use {site.address}: ")
        directory.chmod(0o755)


async def _create_file(site: Site) -> None:
    await (await open_sqlite(site.address)).close()


def open_without_rights(site: Site, results: Any) -> None:
    """Open the store as a user without write permission."""
    if os.geteuid() == 0:
        os.seteuid(65534)
    try:
        asyncio.run(_create_file(site))
    except StoreError as error:
        results.put(str(error))
    else:
        results.put("it was opened")


@pytest.mark.proves("T-42")
@pytest.mark.parametrize("offset", [0, 30, 4096 + 8], ids=["its head", "its header", "a page"])
async def test_a_damaged_file_is_refused_and_not_changed(sqlite_site: Site, offset: int) -> None:
    await _create_file(sqlite_site)
    path = Path(sqlite_site.address)
    content = bytearray(path.read_bytes())
    content[offset : offset + 64] = b"\xff" * 64
    path.write_bytes(content)

    with pytest.raises(StoreError, match=r"cannot use .*assent\.db"):
        await open_sqlite(sqlite_site.address)

    assert path.read_bytes() == bytes(content)


@pytest.mark.proves("R-26", "R-1")
async def test_after_a_kill_the_next_server_can_use_the_file(sqlite_site: Site) -> None:
    await _create_file(sqlite_site)
    ready = CONTEXT.Event()
    server = CONTEXT.Process(target=run_server_process, args=(sqlite_site.address, ready), daemon=True)
    server.start()
    assert await asyncio.to_thread(ready.wait, 60)
    with pytest.raises(StoreError, match="another server uses it"):
        await open_sqlite(sqlite_site.address, exclusive=True)
    server.kill()
    server.join()

    store = await open_sqlite(sqlite_site.address, exclusive=True)

    assert server.exitcode == -signal.SIGKILL
    assert stat.S_IMODE(os.stat(sqlite_site.address).st_mode) == 0o600
    await store.close()


def run_server_process(path: str, ready: Any) -> None:
    """Run the only server of a file."""
    asyncio.run(_run_server(path, ready))


async def _run_server(path: str, ready: Any) -> None:
    await open_sqlite(path, exclusive=True)
    ready.set()
    await asyncio.sleep(300)


@pytest.mark.proves("R-16")
async def test_an_audit_that_cannot_be_written_stops_no_call_and_every_entry_is_written_later(
    sqlite_site: Site,
) -> None:
    async with open_site(sqlite_site) as gate:
        turn = await begin_turn(gate, "clerk")
        _execute_sql(sqlite_site, "ALTER TABLE audit RENAME TO gone")
        for number in range(20):
            asked = await turn.submit(make_call(f"call{number}"))
            assert isinstance(asked, Wait)
            await gate.answer(OWNER, asked.approval.id, asked.approval.digest, Answer(say=Say.ONCE))
            run = await turn.resume(asked.approval.id)
            assert isinstance(run, Run)
            assert (await gate.report(run.approval, run.claim)).state is State.DONE
        await gate.store.flush_audit()
        spooled, lost = gate.store.audit_spooled, gate.store.audit_lost  # type: ignore[attr-defined]

        _execute_sql(sqlite_site, "ALTER TABLE gone RENAME TO audit")
        await gate.store.flush_audit()
        links, _ = await gate.store.audit(limit=1000)

    # Each call has a verdict, an answer, a claim and an end.
    assert (spooled, lost) == (80, 0)
    assert [link.number for link in links] == list(range(1, 81))
    assert [link.entry.decision for link in links].count("executed") == 20


def _execute_sql(site: Site, statement: str) -> None:
    with closing(sqlite3.connect(site.address, timeout=60)) as connection, connection:
        connection.execute(statement)
