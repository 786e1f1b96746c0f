"""The store in PostgreSQL keeps every promise of a store, and a few of its own."""

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
from assent.gate.audit import START, linked
from assent.gate.policy import Moment
from assent.gate.store import ChangeResult, Store
from assent.stores.admin.connections import read, write
from assent.stores.admin.maintenance import upgrade
from assent.stores.audit.ledger import Ledger
from assent.stores.audit.outbox import add_links
from assent.stores.migrations import HEAD
from assent.stores.postgres.database import (
    TIMEOUT,
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
from tests.stores.promises.given import MANY, an_entry, answer_change, every_approval, every_link
from tests.waiting import wait_until_async


@asynccontextmanager
async def opened(
    url: str, *, poll: float = 5.0, fresh: bool = False, patience: float = TIMEOUT
) -> AsyncIterator[Store]:
    store = await open_postgres(url, upgrade=True, poll=poll, patience=patience)
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

        def again(clock: SetClock) -> object:
            nonlocal times
            times += 1
            return opened(postgres_url, fresh=times == 1)

        return again  # type: ignore[return-value]


# ---- addresses and schemas --------------------------------------------------------------------------


@pytest.mark.proves("T-39")
def test_an_address_is_shown_without_its_password() -> None:
    address = parse_address("postgres://ana:secret@db.example:5433/assent?sslmode=require")

    assert without_password(address) == "postgresql://ana:***@db.example:5433/assent?sslmode=require"


def test_a_database_is_told_from_a_file_by_its_address() -> None:
    words = ["postgresql://h/d", "postgres://h/d", "assent.db", "./postgresql.db", "/var/lib/postgres://x"]

    assert [is_postgres(word) for word in words] == [True, True, False, False, False]


async def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(StoreError) as raised:
        await open_postgres("postgresql://ana:secret@127.0.0.1:9/assent")

    assert "ana:***@127.0.0.1:9/assent: the server cannot be reached" in str(raised.value)
    assert "secret" not in str(raised.value)


async def test_a_text_that_is_no_address_is_refused() -> None:
    with pytest.raises(StoreError, match="expected `postgresql://"):
        await open_postgres("postgresql//nothing")


@pytest.mark.proves("R-14")
async def test_a_database_without_tables_says_how_to_make_them(postgres_server: str) -> None:
    with pytest.raises(SchemaError, match=r"has no tables yet.*run `assent db upgrade`"):
        await open_postgres(postgres_server)


@pytest.mark.proves("R-14")
async def test_a_newer_schema_is_refused(postgres_url: str) -> None:
    async with opened(postgres_url):
        pass
    await _execute(postgres_url, "UPDATE alembic_version SET version_num = '2.1'")

    try:
        with pytest.raises(SchemaError, match="use a newer Assent"):
            await open_postgres(postgres_url, upgrade=True)
    finally:
        await _execute(postgres_url, f"UPDATE alembic_version SET version_num = '{HEAD}'")


# ---- other processes --------------------------------------------------------------------------------


@pytest.mark.proves("R-2")
async def test_an_answer_of_another_process_wakes_whoever_waits_here(postgres_url: str) -> None:
    async with opened(postgres_url, fresh=True) as store:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))

        async with start_process(postgres_url, "answer", "q1") as process:
            assert await read_word(process) == "approved"
            woken = await asyncio.wait_for(waiting, 60)

    assert (woken.state, woken.answer and woken.answer.by) == (State.APPROVED, "ana")


@pytest.mark.proves("R-1", "R-8")
async def test_a_process_that_is_killed_leaves_its_questions_pending_until_grace_ends(
    postgres_url: str,
) -> None:
    async with opened(postgres_url, fresh=True) as store:
        async with start_process(postgres_url, "ask", "q1", "q2") as process:
            assert await read_word(process) == "asked"
            process.kill()
            await process.wait()

        assert len(await store.sweep(timedelta(minutes=1))) == 0
        assert (await store.change_approval("q1", answer_change())).state is State.APPROVED
        assert len(await store.sweep(timedelta(hours=-1))) == 2
        assert {one.state for one in await every_approval(store)} == {State.WITHDRAWN}


async def test_pods_that_bring_one_question_at_one_moment_get_the_same(postgres_url: str) -> None:
    async with opened(postgres_url, fresh=True) as one, opened(postgres_url) as other:
        for number in range(20):
            id_ = f"q{number}"
            kept = await asyncio.gather(
                *(store.add_approval(id_, make_question(id_), MANY) for store in (one, other, one, other))
            )

            assert {answer.asked_at for answer in kept} == {(await one.approval(id_)).asked_at}


# ---- faults -----------------------------------------------------------------------------------------


@pytest.mark.proves("R-4")
async def test_a_notice_that_is_lost_delays_by_a_poll_and_loses_nothing(postgres_url: str) -> None:
    async with opened(postgres_url, poll=0.3, fresh=True) as store:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))
        await store.approval("q1")

        # Written past every store, so that nobody sends word.
        await _execute(postgres_url, "UPDATE approvals SET state = 'withdrawn' WHERE id = 'q1'")

        assert (await asyncio.wait_for(waiting, 60)).state is State.WITHDRAWN


@pytest.mark.proves("R-3", "R-4")
async def test_connections_that_break_are_made_again_and_nobody_notices(postgres_url: str) -> None:
    async with opened(postgres_url, fresh=True) as store:
        states: list[State] = []
        for number in range(10):
            id_ = f"q{number}"
            await store.add_approval(id_, make_question(id_, boot=store.boot), MANY)
            waiting = asyncio.create_task(store.wait_for_answer(id_))
            await store.approval(id_)
            await _cut_off(postgres_url)
            await store.change_approval(id_, answer_change())
            states.append((await asyncio.wait_for(waiting, 60)).state)

        assert states == [State.APPROVED] * 10


@pytest.mark.proves("R-4")
async def test_a_listener_that_was_cut_off_hears_again(postgres_url: str) -> None:
    async with opened(postgres_url, poll=600, fresh=True) as store, opened(postgres_url) as other:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))
        await store.approval("q1")
        await _cut_off(postgres_url)

        await other.change_approval("q1", answer_change())

        assert (await asyncio.wait_for(waiting, 60)).state is State.APPROVED


@pytest.mark.proves("R-16")
async def test_an_audit_that_cannot_be_written_is_kept_counted_and_written_later(postgres_url: str) -> None:
    async with opened(postgres_url, fresh=True) as store:
        await _execute(postgres_url, "ALTER TABLE audit RENAME TO gone")
        store.record(an_entry(1))
        await store.flush_audit()
        assert (await store.add_approval("q1", make_question(), MANY)).state is State.PENDING
        assert (store.audit_spooled, store.audit_lost) == (1, 0)  # type: ignore[attr-defined]

        await _execute(postgres_url, "ALTER TABLE gone RENAME TO audit")
        store.record(an_entry(2))
        await store.flush_audit()

        assert [link.entry.id for link in await every_link(store)] == ["e1", "e2"]


@pytest.mark.proves("T-40")
@pytest.mark.parametrize(
    "statement", ["UPDATE audit SET reason = 'x'", "DELETE FROM audit", "TRUNCATE audit"]
)
async def test_the_database_refuses_to_alter_the_audit(postgres_url: str, statement: str) -> None:
    async with opened(postgres_url, fresh=True) as store:
        store.record(an_entry())
        await store.flush_audit()

        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="the audit is append-only"):
            await _execute(postgres_url, statement)


@pytest.mark.proves("R-18")
async def test_what_the_server_cannot_hold_is_refused_alone(postgres_url: str) -> None:
    async with opened(postgres_url, fresh=True) as store:
        kept = await asyncio.gather(
            store.add_approval("q1", make_question("q1"), MANY),
            store.add_approval("q2", make_question("q2", turn="half \0 of it"), MANY),
            store.add_approval("q3", make_question("q3"), MANY),
            return_exceptions=True,
        )

        assert [type(one).__name__ for one in kept] == ["Approval", "InputError", "Approval"]
        assert [one.id for one in await every_approval(store)] == ["q1", "q3"]


@pytest.mark.proves("R-3")
async def test_a_process_that_stood_still_in_the_middle_of_a_step_makes_it_after_all(
    postgres_url: str,
) -> None:
    slept: list[float] = []

    def sleepily(approval: Approval, moment: Moment) -> ChangeResult:
        if not slept:
            slept.append(6.0)
            time.sleep(slept[0])
        return answer_change()(approval, moment)

    async with opened(postgres_url, fresh=True, patience=5.0) as store:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)

        assert (await store.change_approval("q1", sleepily)).state is State.APPROVED


async def test_a_server_that_stays_away_is_an_error_when_patience_ends(postgres_url: str) -> None:
    store = await open_postgres(postgres_url, upgrade=True, patience=0.5)
    await _execute(postgres_url, "ALTER TABLE policy RENAME TO away")
    try:
        with pytest.raises(StoreError, match=r"its tables are missing: run `assent db upgrade`"):
            await asyncio.wait_for(store.add_approval("q1", make_question(), MANY), 60)
    finally:
        await _execute(postgres_url, "ALTER TABLE away RENAME TO policy")
    assert isinstance(await store.add_approval("q1", make_question(), MANY), Approval)
    await store.close()


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def _cut_off(url: str) -> None:
    """Terminate all connections of this process, like a restarting server."""
    await _execute(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'assent' AND datname = current_database()",
    )


WAITING = text("SELECT count(*) FROM audit_outbox")


async def prepared(url: str) -> None:
    """A database with a row in the outbox that nobody alive put there."""
    await upgrade(url)
    await clear_database(url)
    link = linked(an_entry(1), writer="dead", number=1, at=NOW, previous=START)
    await write(url, lambda connection: add_links(connection, [link]))


async def waiting(url: str) -> int:
    return int(await read(url, lambda connection: connection.core.execute(WAITING).scalar_one()))


@pytest.mark.proves("R-31")
async def test_what_a_dead_process_left_is_moved_by_the_next(postgres_url: str) -> None:
    await prepared(postgres_url)
    engine = create_async_engine(parse_address(postgres_url), poolclass=NullPool)
    mover = OutboxMover(engine, Ledger("alive"))

    async def is_empty() -> bool:
        return await waiting(postgres_url) == 0

    await wait_until_async(is_empty)
    await mover.close()
    await engine.dispose()


@pytest.mark.proves("R-32")
async def test_a_table_that_stays_locked_is_tried_again_and_told(
    postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    await prepared(postgres_url)
    engine = create_async_engine(parse_address(postgres_url), poolclass=NullPool)
    ledger = Ledger("alive")
    ledger.add(an_entry(2))
    somebody = await asyncpg.connect(postgres_url)
    async with somebody.transaction():
        await somebody.execute("LOCK TABLE audit IN ACCESS EXCLUSIVE MODE")
        mover = OutboxMover(engine, ledger)
        await mover.move_all()
        assert ledger.spooled == 1
    await mover.move_all()

    assert (ledger.spooled, await waiting(postgres_url)) == (0, 0)
    assert caplog.messages == [
        "the audit cannot be written now; its entries are kept in memory (LockNotAvailableError)"
    ]
    await mover.close()
    await engine.dispose()
    await somebody.close()
