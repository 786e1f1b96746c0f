"""Tests that an answer or the expiry wakes waiting callers."""

import asyncio
from contextlib import suppress
from datetime import timedelta

import pytest

from assent.errors import StateError
from assent.gate.approval import (
    State,
    postpone,
    withdraw,
)
from assent.gate.preset import Delivery
from assent.gate.store import ChangeResult, Store
from tests.gate.samples import ANA, NO, make_question
from tests.stores.promises.given import (
    HOUR,
    MANY,
    NO_GRACE,
    SetClock,
    StorePromises,
    answer_change,
    claim_change,
    list_all_approvals,
)
from tests.waiting import run_ready_tasks, wait_for_waiting_callers


class WaitingPromises(StorePromises):
    """Tests that an answer or the expiry wakes waiting callers."""

    # ---- waiting ---------------------------------------------------------------------------------

    @pytest.mark.proves("R000-31")
    async def test_a_waiting_caller_is_woken_by_the_answer_to_its_own_approval(self, store: Store) -> None:
        for id in ("q1", "q2"):
            await store.add_approval(id, make_question(id), MANY)
        first, second = (asyncio.create_task(store.wait_for_answer(id)) for id in ("q1", "q2"))
        await wait_for_waiting_callers(store, 2)

        await store.change_approval("q2", answer_change(NO))

        assert (await second).state is State.DENIED
        assert not first.done()
        await store.change_approval("q1", answer_change())
        assert (await first).state is State.APPROVED

    async def test_waiting_for_an_answered_approval_returns_immediately(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        await store.change_approval("q1", answer_change())

        assert (await store.wait_for_answer("q1")).state is State.APPROVED

    async def test_several_callers_can_wait_for_one_answer(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        waiting = [asyncio.create_task(store.wait_for_answer("q1")) for _ in range(200)]
        await wait_for_waiting_callers(store)

        await store.change_approval("q1", answer_change())

        assert {one.state for one in await asyncio.gather(*waiting)} == {State.APPROVED}

    async def test_no_answer_is_missed_when_waiting_starts_at_the_same_time(self, store: Store) -> None:
        for number in range(100):
            id = f"q{number}"
            await store.add_approval(id, make_question(id), MANY)

            woken, _ = await asyncio.gather(
                store.wait_for_answer(id), store.change_approval(id, answer_change())
            )

            assert woken.state is State.APPROVED

    async def test_postponing_an_approval_wakes_no_caller(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))
        await wait_for_waiting_callers(store)

        await store.change_approval("q1", lambda one, moment: ChangeResult(postpone(one, ANA, at=moment.at)))
        await run_ready_tasks()

        assert not waiting.done()
        await store.change_approval(
            "q1", lambda one, moment: ChangeResult(withdraw(one, "stop", at=moment.at))
        )
        assert (await waiting).state is State.WITHDRAWN

    async def test_a_cancelled_caller_does_not_affect_others(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        leaving, staying = (asyncio.create_task(store.wait_for_answer("q1")) for _ in range(2))
        await wait_for_waiting_callers(store)

        leaving.cancel()
        with suppress(asyncio.CancelledError):
            await leaving
        await store.change_approval("q1", answer_change())

        assert (await staying).state is State.APPROVED

    async def test_a_caller_that_stopped_waiting_is_not_counted(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        leaving = asyncio.create_task(store.wait_for_answer("q1"))
        await wait_for_waiting_callers(store)

        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)

        assert store.counters().waiting == 0

    async def test_expiry_wakes_a_waiting_caller(self, store: Store) -> None:
        await store.add_approval("q1", make_question(boot=store.boot, expires_in=timedelta(0)), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))
        await wait_for_waiting_callers(store)

        await store.sweep(HOUR)

        assert (await waiting).state is State.EXPIRED

    # ---- time ------------------------------------------------------------------------------------

    async def test_an_overdue_approval_is_expired_and_cannot_be_answered(self, store: Store) -> None:
        await store.add_approval("q1", make_question(boot=store.boot, expires_in=timedelta(0)), MANY)

        with pytest.raises(StateError):
            await store.change_approval("q1", answer_change())
        assert len(await store.sweep(HOUR)) == 1
        swept = await store.approval("q1")

        assert (swept.state, swept.closed_at is None) == (State.EXPIRED, False)
        assert len(await store.sweep(HOUR)) == 0

    async def test_an_overdue_approved_call_has_lapsed_and_cannot_be_claimed(self, store: Store) -> None:
        await store.add_approval("q1", make_question(boot=store.boot, usable_for=timedelta(0)), MANY)
        await store.change_approval("q1", answer_change())

        with pytest.raises(StateError):
            await store.change_approval("q1", claim_change("claim-1"))
        assert len(await store.sweep(HOUR)) == 1
        assert (await store.approval("q1")).state is State.LAPSED

    @pytest.mark.proves("R-8")
    async def test_the_approval_of_a_dead_process_is_withdrawn(self, store: Store) -> None:
        await store.add_approval("q1", make_question("q1", boot="gone"), MANY)
        await store.add_approval("q2", make_question("q2", boot=store.boot), MANY)
        await store.add_approval("q3", make_question("q3", boot="gone", delivery=Delivery.SUSPEND), MANY)
        await store.add_approval("q4", make_question("q4", boot="gone"), MANY)
        await store.change_approval("q4", answer_change())

        assert len(await store.sweep(HOUR)) == 2
        states = {one.id: one.state for one in await list_all_approvals(store)}

        assert states == {
            "q1": State.WITHDRAWN, "q2": State.PENDING, "q3": State.PENDING, "q4": State.WITHDRAWN,
        }  # fmt: skip
        with pytest.raises(StateError):
            await store.change_approval("q4", claim_change("late"))

    @pytest.mark.proves("R-25")
    async def test_a_call_of_a_dead_process_is_unknown_and_never_runs_again(self, store: Store) -> None:
        await store.add_approval("q1", make_question(delivery=Delivery.SUSPEND), MANY)
        await store.change_approval("q1", answer_change())
        await store.change_approval("q1", claim_change("claim-1", "gone"))

        await store.sweep(HOUR)

        assert (await store.approval("q1")).state is State.UNKNOWN
        with pytest.raises(StateError):
            await store.change_approval("q1", claim_change("claim-2", store.boot))

    async def test_a_process_without_a_heartbeat_in_the_grace_period_counts_as_dead(
        self, store: Store
    ) -> None:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        await store.record_heartbeat()

        assert len(await store.sweep(HOUR)) == 0
        assert len(await store.sweep(NO_GRACE)) == 1

    async def test_an_approval_stays_pending_while_its_process_lives(
        self, store: Store, clock: SetClock
    ) -> None:
        self.needs_clock()
        await store.add_approval("q1", make_question(boot=store.boot, expires_in=timedelta(days=7)), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))
        for _ in range(6):
            clock.advance(timedelta(days=1))
            await store.record_heartbeat()
            assert len(await store.sweep(HOUR)) == 0

        assert not waiting.done()
        clock.advance(timedelta(days=1))
        await store.record_heartbeat()
        assert len(await store.sweep(HOUR)) == 1
        assert (await waiting).state is State.EXPIRED

    @pytest.mark.proves("T-43", "R-9")
    async def test_a_clock_that_is_set_back_does_not_restore_an_expired_approval(
        self, store: Store, clock: SetClock
    ) -> None:
        self.needs_clock()
        await store.add_approval("q1", make_question(boot=store.boot, expires_in=HOUR), MANY)
        clock.advance(2 * HOUR)
        before = await store.moment()

        clock.advance(timedelta(days=-1))

        assert (await store.moment()).at >= before.at
        with pytest.raises(StateError):
            await store.change_approval("q1", answer_change())

    async def test_the_time_of_a_store_never_goes_back(self, store: Store) -> None:
        moments = [(await store.moment()).at for _ in range(20)]

        assert moments == sorted(moments)
        assert all(moment.utcoffset() == timedelta(0) for moment in moments)
