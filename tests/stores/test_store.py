"""An SQL store ends overdue approvals in batches, and runs one aggregate query at a time."""

import asyncio
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from assent.gate.approval import State, attach_to_process
from assent.gate.store import ChangeResult
from assent.stores import store as stores
from assent.stores.audit import queries as audit_pages
from assent.stores.audit import queries as tallies
from assent.stores.audit.ledger import Ledger
from assent.stores.sqlite.database import open_sqlite
from assent.stores.store import new_shared_state
from tests.gate.samples import make_question
from tests.stores.promises.given import MANY, POLICY_KEY, SetClock, list_all_approvals, sample_entry
from tests.waiting import wait_for_waiting_callers, wait_until_async

HOUR = timedelta(hours=1)
TEST_TIMEOUT = 60.0
"""Seconds; machines that run tests are busy."""


async def test_a_sweep_ends_more_approvals_than_one_batch_contains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "_SWEEP_BATCH_SIZE", 7)
    clock = SetClock()
    store = await open_sqlite(str(tmp_path / "a.db"), clock=clock)
    await asyncio.gather(
        *(store.add_approval(f"q{n}", make_question(f"q{n}", expires_in=HOUR), MANY) for n in range(20))
    )
    clock.advance(HOUR)

    assert len(await store.sweep(10 * HOUR)) == 20
    assert {one.state for one in await list_all_approvals(store)} == {State.EXPIRED}
    assert len(await store.sweep(10 * HOUR)) == 0
    await store.close()


@pytest.mark.proves("R-8")
async def test_a_caller_that_attaches_during_a_sweep_keeps_its_approval(tmp_path: Path) -> None:
    store = await open_sqlite(str(tmp_path / "a.db"))
    await store.add_approval("q1", make_question(boot="gone"), MANY)

    attaching = store.change_approval(
        "q1", lambda one, moment: ChangeResult(attach_to_process(one, store.boot, at=moment.at))
    )
    _, swept = await asyncio.gather(attaching, store.sweep(HOUR))

    assert swept == []
    assert (await store.approval("q1")).state is State.PENDING
    await store.close()


@pytest.mark.proves("T-28")
async def test_statistics_queries_never_block_the_read_of_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, counted = threading.Event(), threading.Event()

    def read_tally(*_: object, **__: object) -> bool:
        started.set()
        return counted.wait(TEST_TIMEOUT)

    monkeypatch.setattr(tallies, "read_tally", read_tally)
    store = await open_sqlite(str(tmp_path / "a.db"))
    counting = [asyncio.create_task(store.tally()) for _ in range(10)]
    await wait_until_async(started.is_set)

    await store.stored_policy(POLICY_KEY)
    counted.set()

    assert all(await asyncio.gather(*counting))
    await store.close()


@pytest.mark.proves("T-28")
async def test_searches_and_exports_never_block_the_read_of_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, searched = threading.Event(), threading.Event()

    def return_true(*_: object, **__: object) -> bool:
        started.set()
        return searched.wait(TEST_TIMEOUT)

    monkeypatch.setattr(audit_pages, "audit_page", lambda *_, **__: (return_true(), ""))
    monkeypatch.setattr(tallies, "read_tally", return_true)
    store = await open_sqlite(str(tmp_path / "a.db"))
    busy = [asyncio.create_task(one) for _ in range(10) for one in (store.audit(), store.tally())]
    await wait_until_async(started.is_set)

    await store.stored_policy(POLICY_KEY)
    searched.set()

    assert all(await asyncio.gather(*busy))
    await store.close()


async def test_a_store_describes_its_address_and_counts_waiting_callers(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    store = await open_sqlite(path)
    await store.add_approval("q1", make_question(), MANY)
    waiting = asyncio.create_task(store.wait_for_answer("q1"))
    await wait_for_waiting_callers(store)

    assert (store.describe(), store.waiting, store.audit_lost, store.audit_spooled) == (path, 1, 0, 0)
    waiting.cancel()
    await store.close()


def test_each_store_has_its_own_process_id() -> None:
    assert new_shared_state("a", "").boot != new_shared_state("a", "").boot


def test_spooled_audit_entries_of_another_process_are_loaded(tmp_path: Path) -> None:
    spool = str(tmp_path / "spool.jsonl")
    left = Ledger("gone", spool)
    left.add(sample_entry())
    left.write_spool()

    assert len(new_shared_state("a", spool).ledger) == 1


def test_the_error_of_a_closed_store_contains_the_remedy() -> None:
    assert str(new_shared_state("a.db", "").closed_error()) == "a.db is closed in this process: open it again"
