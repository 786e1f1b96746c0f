"""Events have an order without gaps for readers, and a restored database starts a new order."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import text

from assent.gate.events import EventFeed, EventKind
from assent.gate.policy import Moment
from assent.stores.admin import connections, maintenance
from assent.stores.postgres.database import open_postgres
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.batch import AddApproval, ChangeApproval, EditTables, run_batch
from assent.stores.sql.events import (
    Cursor,
    delete_events_and_invalidate_cursors,
    event_row,
    newest_cursor,
    read_events,
    sweep_events,
    write_events,
)
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sqlite.database import open_sqlite
from assent.stores.store import SqlStore
from tests.gate.samples import ADA, DAY, NOW, make_question
from tests.postgres import clear_database
from tests.stores.database import transaction
from tests.stores.promises.given import MANY, answer_change, claim_change
from tests.stores.promises.live import event_pairs, list_all_events
from tests.waiting import wait_until_async

INSERT = (
    "INSERT INTO events (happened_at, kind, approval_id, owner, conversation_id, agent_id)"
    " VALUES (1, 'asked', $1, '', '', '')"
)


def test_all_changes_of_a_batch_have_separate_events(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        pieces = [
            AddApproval("q1", make_question(), MANY),
            ChangeApproval("q1", answer_change()),
            ChangeApproval("q1", claim_change("k1")),
        ]

        done = run_batch(connection, ApprovalReader(), lambda: NOW, pieces)

        happened = read_events(connection, "", 10)
    assert done.has_events
    assert [event.kind for event in happened.events] == [
        EventKind.ASKED,
        EventKind.ANSWERED,
        EventKind.RUNNING,
    ]


def test_a_failed_batch_writes_no_event(tmp_path: Path) -> None:
    def raise_error(*_: object) -> EditResult:
        raise KeyboardInterrupt

    pieces = [AddApproval("q1", make_question(), MANY), EditTables(raise_error)]
    with pytest.raises(KeyboardInterrupt), transaction(tmp_path / "a.db") as connection:
        run_batch(connection, ApprovalReader(), lambda: NOW, pieces)

    with transaction(tmp_path / "a.db") as connection:
        assert read_events(connection, "", 10).events == ()


def test_an_event_number_is_never_reused(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        write_events(connection, [event_row(EventKind.POLICY, NOW)])
        before = newest_cursor(connection)
        sweep_events(connection, Moment(NOW + DAY, 0), timedelta(0))
        write_events(connection, [event_row(EventKind.PAUSED, NOW + DAY)])

        happened = read_events(connection, before, 10)
    assert [event.kind for event in happened.events] == [EventKind.PAUSED]
    assert happened.events[0].cursor > before


def test_a_cursor_from_before_a_restore_returns_a_reset(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        write_events(connection, [event_row(EventKind.POLICY, NOW)])
        before = newest_cursor(connection)

        delete_events_and_invalidate_cursors(connection)

        assert read_events(connection, before, 10).reset
        assert read_events(connection, newest_cursor(connection), 10) == (
            (),
            newest_cursor(connection),
            False,
        )


def test_a_cursor_contains_the_life_and_the_position() -> None:
    assert str(Cursor("f00d", 7)) == "f00d.7"


@pytest.mark.parametrize(
    "cursor", ["f00d", "f00d.", "f00d.7.3", "f00d.-1", "f00d.\u0663", "f00d." + "9" * 19]
)
def test_an_invalid_cursor_returns_a_reset(tmp_path: Path, cursor: str) -> None:
    with transaction(tmp_path / "a.db") as connection:
        assert read_events(connection, cursor, 10).reset


@pytest.mark.proves("R-14")
async def test_a_restored_file_does_not_accept_cursors_of_the_old_one(tmp_path: Path) -> None:
    store = await open_sqlite(str(tmp_path / "old.db"))
    await store.add_approval("q1", make_question(), MANY)
    await maintenance.back_up_database(str(tmp_path / "old.db"), str(tmp_path / "backup"))
    await store.add_approval("q2", make_question("q2"), MANY)
    seen = (await list_all_events(store))[-1].cursor
    await store.close()

    await maintenance.restore_database(str(tmp_path / "new.db"), str(tmp_path / "backup"))

    restored = await open_sqlite(str(tmp_path / "new.db"))
    assert (await restored.events(seen)).reset
    assert await list_all_events(restored, await restored.latest_cursor()) == []
    await restored.close()


# ---- PostgreSQL, where many write at once -----------------------------------------------------------


@pytest.fixture
def postgres_store(postgres_url: str) -> AbstractAsyncContextManager[SqlStore]:
    """A store on an empty PostgreSQL database."""

    @asynccontextmanager
    async def open_empty_store() -> AsyncGenerator[SqlStore]:
        await maintenance.upgrade_database(postgres_url)
        await clear_database(postgres_url)
        store = await open_postgres(postgres_url)
        yield store
        await store.close()

    return open_empty_store()


async def test_an_event_that_is_committed_later_comes_later_despite_a_smaller_number(
    postgres_url: str, postgres_store: SqlStore
) -> None:
    slow, quick = await asyncpg.connect(postgres_url), await asyncpg.connect(postgres_url)
    after = await postgres_store.latest_cursor()

    waiting = slow.transaction()
    await waiting.start()
    await slow.execute(INSERT, "slow")
    await quick.execute(INSERT, "quick")
    first = await postgres_store.events(after)
    await waiting.commit()
    found = await list_all_events(postgres_store, first.cursor)

    assert (event_pairs(list(first.events)), event_pairs(found)) == (
        [("asked", "quick")],
        [("asked", "slow")],
    )
    await asyncio.gather(slow.close(), quick.close())


@pytest.mark.proves("R-29")
@pytest.mark.parametrize("where", ["another database", "the same database"])
async def test_an_idle_transaction_does_not_delay_events(
    postgres_server: str, postgres_url: str, postgres_store: SqlStore, where: str
) -> None:
    idle = await asyncpg.connect(postgres_server if where == "another database" else postgres_url)
    await idle.execute("CREATE TABLE IF NOT EXISTS somebody_elses (n INTEGER)")
    held = idle.transaction()
    await held.start()
    await idle.execute("INSERT INTO somebody_elses VALUES (1)")
    feed = EventFeed(postgres_store, ADA, await postgres_store.latest_cursor())

    await postgres_store.add_approval("q1", make_question(), MANY)
    await postgres_store.change_approval("q1", answer_change())
    happened = await feed.next_events(0)
    after = await postgres_store.latest_cursor()
    await postgres_store.change_approval("q1", claim_change("k1", postgres_store.boot))
    later = await postgres_store.events(after)

    assert event_pairs(list(happened.events)) == [("asked", "q1"), ("answered", "q1")]
    assert event_pairs(list(later.events)) == [("running", "q1")]
    await held.rollback()
    await idle.close()


@pytest.mark.proves("R-29")
async def test_a_suspended_pod_in_a_transaction_does_not_delay_events_of_others(
    postgres_url: str, postgres_store: SqlStore
) -> None:
    after = await postgres_store.latest_cursor()
    still = await asyncpg.connect(postgres_url)
    held = still.transaction()
    await held.start()
    await still.execute(INSERT, "still")
    await postgres_store.add_approval("q1", make_question(), MANY)

    assert event_pairs(list((await postgres_store.events(after)).events)) == [("asked", "q1")]
    await held.rollback()
    await still.close()


async def test_no_event_is_skipped_during_concurrent_commits(postgres_url: str) -> None:
    await maintenance.upgrade_database(postgres_url)
    await clear_database(postgres_url)
    store = await open_postgres(postgres_url)
    writers = [await asyncpg.connect(postgres_url) for _ in range(4)]
    after = await store.latest_cursor()
    seen: list[str] = []

    async def read_until_all_events() -> bool:
        nonlocal after
        happened = await store.events(after, limit=13)
        seen.extend(event.approval for event in happened.events)
        after = happened.cursor
        return len(seen) >= 200

    async def write_events_of(number: int) -> None:
        for turn in range(50):
            async with writers[number].transaction():
                await writers[number].execute(INSERT, f"{number}-{turn}")
                for _ in range(number % 3):  # Transactions of different lengths commit in another order.
                    await writers[number].execute("SELECT 1")

    await asyncio.gather(wait_until_async(read_until_all_events), *map(write_events_of, range(4)))

    assert sorted(seen) == sorted(f"{number}-{turn}" for number in range(4) for turn in range(50))
    assert len(set(seen)) == 200
    await asyncio.gather(*(one.close() for one in writers), store.close())


async def test_old_events_are_deleted_in_postgresql(postgres_url: str) -> None:
    await maintenance.upgrade_database(postgres_url)
    await clear_database(postgres_url)
    store = await open_postgres(postgres_url)
    before = await store.latest_cursor()
    await store.add_approval("q1", make_question(), MANY)
    kept = (await list_all_events(store))[-1].cursor

    def make_events_old(connection: object) -> None:
        connection.core.execute(text("UPDATE events SET happened_at = 1"))  # type: ignore[attr-defined]

    await connections.write_any_schema(postgres_url, make_events_old)
    await store.add_approval("q2", make_question("q2"), MANY)
    await store.sweep(timedelta(hours=1), keep=DAY)

    assert (await store.events(before)).reset
    assert event_pairs(await list_all_events(store, kept))[0] == ("asked", "q2")
    await store.close()
