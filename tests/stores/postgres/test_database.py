"""The store in PostgreSQL passes all conformance tests and some of its own."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from assent.errors import SchemaError, StoreError
from assent.gate.approval import Approval, State
from assent.gate.audit import CHAIN_START_HASH, link_entry
from assent.gate.policy import Moment
from assent.gate.store import ChangeResult, Store
from assent.stores.admin.connections import read_any_schema, write_any_schema
from assent.stores.admin.maintenance import upgrade_database
from assent.stores.audit.ledger import Ledger
from assent.stores.audit.outbox import add_links
from assent.stores.migrations import HEAD
from assent.stores.postgres.database import (
    SERVER_TIMEOUT,
    OutboxMover,
    is_postgres,
    open_postgres,
    parse_address,
    without_password,
)
from tests.gate.samples import NOW, make_question
from tests.postgres import clear_database
from tests.stores.conformance import Opening, SetClock, StoreConformance
from tests.stores.processes import read_word, start_process
from tests.stores.promises.given import MANY, answer_change, list_all_approvals, list_all_links, sample_entry
from tests.waiting import wait_until_async


@asynccontextmanager
async def open_store(
    url: str, *, poll: float = 5.0, fresh: bool = False, timeout: float = SERVER_TIMEOUT
) -> AsyncIterator[Store]:
    store = await open_postgres(url, upgrade=True, poll=poll, timeout=timeout)
    try:
        if fresh:
            await clear_database(url)
            await store.record_heartbeat()
        yield store
    finally:
        await store.close()


class TestPostgresStore(StoreConformance):
    clocked = False

    @pytest.fixture
    def opening(self, postgres_url: str) -> Opening:
        times = 0

        def reopen(clock: SetClock) -> object:
            nonlocal times
            times += 1
            return open_store(postgres_url, fresh=times == 1)

        return reopen  # type: ignore[return-value]


# ---- addresses and schemas --------------------------------------------------------------------------


@pytest.mark.proves("T-39")
def test_an_address_is_shown_without_its_password() -> None:
    address = parse_address("postgres://ana:secret@db.example:5433/assent?sslmode=require")

    assert without_password(address) == "postgresql://ana:***@db.example:5433/assent?sslmode=require"


def test_a_postgresql_address_is_distinguished_from_a_file() -> None:
    words = ["postgresql://h/d", "postgres://h/d", "assent.db", "./postgresql.db", "/var/lib/postgres://x"]

    assert [is_postgres(word) for word in words] == [True, True, False, False, False]


async def test_the_error_for_an_unreachable_server_contains_no_password() -> None:
    with pytest.raises(StoreError) as raised:
        await open_postgres("postgresql://ana:secret@127.0.0.1:9/assent")

    assert "ana:***@127.0.0.1:9/assent: the server cannot be reached" in str(raised.value)
    assert "secret" not in str(raised.value)


async def test_an_invalid_address_is_refused() -> None:
    with pytest.raises(StoreError, match="expected `postgresql://"):
        await open_postgres("postgresql//nothing")


@pytest.mark.proves("R-14")
async def test_the_error_for_a_database_without_tables_names_the_command(postgres_server: str) -> None:
    with pytest.raises(SchemaError, match=r"has no tables yet.*run `assent db upgrade`"):
        await open_postgres(postgres_server)


@pytest.mark.proves("R-14")
async def test_a_newer_schema_is_refused(postgres_url: str) -> None:
    async with open_store(postgres_url):
        pass
    await _execute_sql(postgres_url, "UPDATE alembic_version SET version_num = '2.1'")

    try:
        with pytest.raises(SchemaError, match="use a newer Assent"):
            await open_postgres(postgres_url, upgrade=True)
    finally:
        await _execute_sql(postgres_url, f"UPDATE alembic_version SET version_num = '{HEAD}'")


# ---- other processes --------------------------------------------------------------------------------


@pytest.mark.proves("R-2")
async def test_an_answer_from_another_process_wakes_a_waiting_caller(postgres_url: str) -> None:
    async with open_store(postgres_url, fresh=True) as store:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))

        async with start_process(postgres_url, "answer", "q1") as process:
            assert await read_word(process) == "approved"
            woken = await asyncio.wait_for(waiting, 60)

    assert (woken.state, woken.answer and woken.answer.by) == (State.APPROVED, "ana")


@pytest.mark.proves("R-1", "R-8")
async def test_the_approvals_of_a_killed_process_stay_pending_until_the_grace_period_ends(
    postgres_url: str,
) -> None:
    async with open_store(postgres_url, fresh=True) as store:
        async with start_process(postgres_url, "ask", "q1", "q2") as process:
            assert await read_word(process) == "asked"
            process.kill()
            await process.wait()

        assert len(await store.sweep(timedelta(minutes=1))) == 0
        assert (await store.change_approval("q1", answer_change())).state is State.APPROVED
        assert len(await store.sweep(timedelta(hours=-1))) == 2
        assert {one.state for one in await list_all_approvals(store)} == {State.WITHDRAWN}


async def test_pods_that_add_the_same_approval_at_once_get_the_same_one(postgres_url: str) -> None:
    async with open_store(postgres_url, fresh=True) as one, open_store(postgres_url) as other:
        for number in range(20):
            id_ = f"q{number}"
            kept = await asyncio.gather(
                *(store.add_approval(id_, make_question(id_), MANY) for store in (one, other, one, other))
            )

            assert {answer.asked_at for answer in kept} == {(await one.approval(id_)).asked_at}


# ---- faults -----------------------------------------------------------------------------------------


@pytest.mark.proves("R-4")
async def test_a_lost_notice_delays_an_answer_by_one_poll(postgres_url: str) -> None:
    async with open_store(postgres_url, poll=0.3, fresh=True) as store:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))
        await store.approval("q1")

        # Written without a store, so that no notice is sent.
        await _execute_sql(postgres_url, "UPDATE approvals SET state = 'withdrawn' WHERE id = 'q1'")

        assert (await asyncio.wait_for(waiting, 60)).state is State.WITHDRAWN


@pytest.mark.proves("R-3", "R-4")
async def test_broken_connections_are_reopened_without_an_error(postgres_url: str) -> None:
    async with open_store(postgres_url, fresh=True) as store:
        states: list[State] = []
        for number in range(10):
            id_ = f"q{number}"
            await store.add_approval(id_, make_question(id_, boot=store.boot), MANY)
            waiting = asyncio.create_task(store.wait_for_answer(id_))
            await store.approval(id_)
            await _terminate_connections(postgres_url)
            await store.change_approval(id_, answer_change())
            states.append((await asyncio.wait_for(waiting, 60)).state)

        assert states == [State.APPROVED] * 10


@pytest.mark.proves("R-4")
async def test_a_disconnected_listener_reconnects(postgres_url: str) -> None:
    async with open_store(postgres_url, poll=600, fresh=True) as store, open_store(postgres_url) as other:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))
        await store.approval("q1")
        await _terminate_connections(postgres_url)

        await other.change_approval("q1", answer_change())

        assert (await asyncio.wait_for(waiting, 60)).state is State.APPROVED


@pytest.mark.proves("R-16")
async def test_audit_entries_that_cannot_be_written_are_kept_counted_and_written_later(
    postgres_url: str,
) -> None:
    async with open_store(postgres_url, fresh=True) as store:
        await _execute_sql(postgres_url, "ALTER TABLE audit RENAME TO gone")
        store.record(sample_entry(1))
        await store.flush_audit()
        assert (await store.add_approval("q1", make_question(), MANY)).state is State.PENDING
        assert (store.audit_spooled, store.audit_lost) == (1, 0)  # type: ignore[attr-defined]

        await _execute_sql(postgres_url, "ALTER TABLE gone RENAME TO audit")
        store.record(sample_entry(2))
        await store.flush_audit()

        assert [link.entry.id for link in await list_all_links(store)] == ["e1", "e2"]


@pytest.mark.proves("T-40")
@pytest.mark.parametrize(
    "statement", ["UPDATE audit SET reason = 'x'", "DELETE FROM audit", "TRUNCATE audit"]
)
async def test_the_database_refuses_to_alter_the_audit(postgres_url: str, statement: str) -> None:
    async with open_store(postgres_url, fresh=True) as store:
        store.record(sample_entry())
        await store.flush_audit()

        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="the audit is append-only"):
            await _execute_sql(postgres_url, statement)


@pytest.mark.proves("R-18")
async def test_a_value_that_the_server_cannot_store_fails_only_its_own_request(postgres_url: str) -> None:
    async with open_store(postgres_url, fresh=True) as store:
        kept = await asyncio.gather(
            store.add_approval("q1", make_question("q1"), MANY),
            store.add_approval("q2", make_question("q2", turn="half \0 of it"), MANY),
            store.add_approval("q3", make_question("q3"), MANY),
            return_exceptions=True,
        )

        assert [type(one).__name__ for one in kept] == ["Approval", "InputError", "Approval"]
        assert [one.id for one in await list_all_approvals(store)] == ["q1", "q3"]


@pytest.mark.proves("R-3")
async def test_a_process_that_was_suspended_during_a_change_completes_it(
    postgres_url: str,
) -> None:
    slept: list[float] = []

    def answer_slowly(approval: Approval, moment: Moment) -> ChangeResult:
        if not slept:
            slept.append(6.0)
            time.sleep(slept[0])
        return answer_change()(approval, moment)

    async with open_store(postgres_url, fresh=True, timeout=5.0) as store:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)

        assert (await store.change_approval("q1", answer_slowly)).state is State.APPROVED


async def test_an_unreachable_server_is_an_error_after_the_timeout(postgres_url: str) -> None:
    store = await open_postgres(postgres_url, upgrade=True, timeout=0.5)
    await _execute_sql(postgres_url, "ALTER TABLE policy RENAME TO away")
    try:
        with pytest.raises(StoreError, match=r"its tables are missing: run `assent db upgrade`"):
            await asyncio.wait_for(store.add_approval("q1", make_question(), MANY), 60)
    finally:
        await _execute_sql(postgres_url, "ALTER TABLE away RENAME TO policy")
    assert isinstance(await store.add_approval("q1", make_question(), MANY), Approval)
    await store.close()


async def _execute_sql(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def _terminate_connections(url: str) -> None:
    """Terminate all connections of this process, like a restarting server."""
    await _execute_sql(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'assent' AND datname = current_database()",
    )


COUNT_OUTBOX = text("SELECT count(*) FROM audit_outbox")


async def fill_outbox(url: str) -> None:
    """Create a database with an outbox row of a dead process."""
    await upgrade_database(url)
    await clear_database(url)
    link = link_entry(sample_entry(1), writer="dead", number=1, at=NOW, previous=CHAIN_START_HASH)
    await write_any_schema(url, lambda connection: add_links(connection, [link]))


async def count_outbox_rows(url: str) -> int:
    return int(
        await read_any_schema(url, lambda connection: connection.core.execute(COUNT_OUTBOX).scalar_one())
    )


@pytest.mark.proves("R-31")
async def test_rows_that_a_dead_process_left_in_the_outbox_are_moved_by_the_next(postgres_url: str) -> None:
    await fill_outbox(postgres_url)
    engine = create_async_engine(parse_address(postgres_url), poolclass=NullPool)
    mover = OutboxMover(engine, Ledger("alive"))

    async def is_empty() -> bool:
        return await count_outbox_rows(postgres_url) == 0

    await wait_until_async(is_empty)
    await mover.close()
    await engine.dispose()


@pytest.mark.proves("R-32")
async def test_a_locked_audit_table_is_retried_and_logged(
    postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    await fill_outbox(postgres_url)
    engine = create_async_engine(parse_address(postgres_url), poolclass=NullPool)
    ledger = Ledger("alive")
    ledger.add(sample_entry(2))
    somebody = await asyncpg.connect(postgres_url)
    async with somebody.transaction():
        await somebody.execute("LOCK TABLE audit IN ACCESS EXCLUSIVE MODE")
        mover = OutboxMover(engine, ledger)
        await mover.move_all()
        assert ledger.spooled_count == 1
    await mover.move_all()

    assert (ledger.spooled_count, await count_outbox_rows(postgres_url)) == (0, 0)
    assert caplog.messages == [
        "the audit cannot be written now; its entries are kept in memory (LockNotAvailableError)"
    ]
    await mover.close()
    await engine.dispose()
    await somebody.close()
