"""A restored database is detected: calls that were approved before the backup do not run."""

import subprocess
import tempfile
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import make_url

from assent.errors import StateError
from assent.gate.approval import State
from assent.gate.events import EventFeed
from assent.gate.ids import new_id
from assent.stores.admin.maintenance import back_up_database, restore_database, upgrade_database
from assent.stores.postgres.database import is_postgres, open_postgres
from assent.stores.sqlite.database import open_sqlite
from assent.stores.store import SqlStore
from chaos.postgres import LocalPostgres, start_postgres
from tests.gate.samples import ADA, make_question
from tests.postgres import clear_database
from tests.stores.promises.given import MANY, answer_change, claim_change, list_all_approvals
from tests.stores.promises.live import event_pairs

STATES = {"open": State.PENDING, "yes": State.APPROVED, "runs": State.RUNNING}


@pytest.fixture(scope="module")
def other_cluster() -> Iterator[LocalPostgres]:
    """A second server, which has nothing in common with the first."""
    server = start_postgres(Path(tempfile.gettempdir(), f"assent-pg-other-{new_id()}"), "delete")
    yield server
    server.cleanup()


@asynccontextmanager
async def open_store(address: str) -> AsyncGenerator[SqlStore]:
    store = await (open_postgres(address) if is_postgres(address) else open_sqlite(address))
    try:
        yield store
    finally:
        await store.close()


async def fill_database(address: str) -> str:
    """Add approvals in each state that a restore could bring back; returns the cursor after them."""
    async with open_store(address) as store:
        for id_ in STATES:
            await store.add_approval(id_, make_question(id_, boot=store.boot), MANY)
        for id_ in ("yes", "runs"):
            await store.change_approval(id_, answer_change())
        await store.change_approval("runs", claim_change("k1", store.boot))
        return await store.latest_cursor()


async def read_states(store: SqlStore) -> dict[str, State]:
    return {one.id: one.state for one in await list_all_approvals(store)}


async def check_restored_database(address: str, seen: str) -> None:
    """Check that approved calls do not run, old cursors return a reset, and new events arrive."""
    async with open_store(address) as store:
        assert await read_states(store) == {
            "open": State.PENDING,
            "yes": State.UNKNOWN,
            "runs": State.UNKNOWN,
        }
        with pytest.raises(StateError):
            await store.change_approval("yes", claim_change("k2", store.boot))
        assert (await store.events(seen)).reset
        feed = EventFeed(store, ADA, await store.latest_cursor())
        await store.change_approval("open", answer_change())
        assert event_pairs(list((await feed.next_events(0)).events)) == [("answered", "open")]
        await store.change_approval("open", claim_change("k3", store.boot))

    async with open_store(address) as store:  # Only the first start detects the restore.
        assert (await read_states(store))["open"] is State.RUNNING


def run_postgres_program(server: LocalPostgres, program: str, *words: str) -> bytes:
    command = [str(server.bin_path / program), *words]
    return subprocess.run(command, check=True, capture_output=True, user=server.system_user).stdout


async def empty_database(address: str) -> str:
    name = f"assent_{new_id()}"
    connection = await asyncpg.connect(address)
    await connection.execute(f"CREATE DATABASE {name}")
    await connection.close()
    return make_url(address).set(database=name).render_as_string(hide_password=False)


@pytest.mark.proves("R-30")
@pytest.mark.parametrize("where", ["another cluster", "the same cluster"])
async def test_a_call_that_was_approved_before_a_dump_does_not_run_after_its_restore(
    postgres_server: str, postgres_url: str, other_cluster: LocalPostgres, where: str, tmp_path: Path
) -> None:
    await upgrade_database(postgres_url)
    await clear_database(postgres_url)
    seen = await fill_database(postgres_url)
    target = await empty_database(other_cluster.get_uri() if where == "another cluster" else postgres_server)
    with tempfile.NamedTemporaryFile() as dump:
        Path(dump.name).chmod(0o666)
        run_postgres_program(other_cluster, "pg_dump", "--format=custom", f"--file={dump.name}", postgres_url)
        run_postgres_program(other_cluster, "pg_restore", "--no-owner", f"--dbname={target}", dump.name)

    await check_restored_database(target, seen)

    async with open_store(postgres_url) as store:  # The original database continues.
        assert await read_states(store) == STATES


@pytest.mark.proves("R-30")
async def test_tables_that_were_dropped_and_restored_are_detected_as_restored(
    postgres_server: str, other_cluster: LocalPostgres
) -> None:
    address = await empty_database(postgres_server)
    await upgrade_database(address)
    seen = await fill_database(address)
    with tempfile.NamedTemporaryFile() as dump:
        Path(dump.name).chmod(0o666)
        run_postgres_program(other_cluster, "pg_dump", "--format=custom", f"--file={dump.name}", address)
        run_postgres_program(
            other_cluster, "pg_restore", "--clean", "--no-owner", f"--dbname={address}", dump.name
        )

    await check_restored_database(address, seen)


@pytest.mark.proves("R-30")
async def test_a_call_that_was_approved_before_a_backup_does_not_run_after_its_restore(
    address: str, tmp_path: Path
) -> None:
    seen = await fill_database(address)
    await back_up_database(address, str(tmp_path / "backup"))
    target = str(tmp_path / "new.db")
    if is_postgres(address):
        await clear_database(address)
        target = address

    await restore_database(target, str(tmp_path / "backup"))

    await check_restored_database(target, seen)


async def test_a_database_that_is_reopened_without_a_restore_continues(address: str) -> None:
    await fill_database(address)

    async with open_store(address) as first, open_store(address) as second:
        assert await read_states(first) == await read_states(second) == STATES
