"""Waiting callers are woken by an answer or by expiry."""

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
    GONE,
    HOUR,
    MANY,
    GivenStore,
    SetClock,
    answer_change,
    claim_change,
    every_approval,
)
from tests.waiting import run_ready_tasks, wait_for_waiting_callers


class Waiting(GivenStore):
    """Waiting callers are woken by an answer or by expiry."""

    # ---- waiting ---------------------------------------------------------------------------------

    @pytest.mark.proves("R000-31")
    async def test_whoever_waits_is_woken_by_the_answer_to_their_own_question(self, store: Store) -> None:
        for id in ("q1", "q2"):
            await store.add_approval(id, make_question(id), MANY)
        first, second = (asyncio.create_task(store.wait_for_answer(id)) for id in ("q1", "q2"))
        await wait_for_waiting_callers(store, 2)

        await store.change_approval("q2", answer_change(NO))

        assert (await second).state is State.DENIED
        assert not first.done()
        await store.change_approval("q1", answer_change())
        assert (await first).state is State.APPROVED

    async def test_whoever_waits_for_what_was_answered_does_not_wait(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        await store.change_approval("q1", answer_change())

        assert (await store.wait_for_answer("q1")).state is State.APPROVED

    async def test_many_can_wait_for_one_answer(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        waiting = [asyncio.create_task(store.wait_for_answer("q1")) for _ in range(200)]
        await wait_for_waiting_callers(store)

        await store.change_approval("q1", answer_change())

        assert {one.state for one in await asyncio.gather(*waiting)} == {State.APPROVED}

    async def test_no_answer_is_missed_however_close_it_is_to_the_waiting(self, store: Store) -> None:
        for number in range(100):
            id = f"q{number}"
            await store.add_approval(id, make_question(id), MANY)

            woken, _ = await asyncio.gather(
                store.wait_for_answer(id), store.change_approval(id, answer_change())
            )

            assert woken.state is State.APPROVED

    async def test_putting_it_off_wakes_nobody(self, store: Store) -> None:
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

    async def test_who_stops_waiting_takes_nobody_along(self, store: Store) -> None:
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

    async def test_time_that_runs_out_wakes_whoever_waits(self, store: Store) -> None:
        await store.add_approval("q1", make_question(boot=store.boot, expires_in=timedelta(0)), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))
        await wait_for_waiting_callers(store)

        await store.sweep(HOUR)

        assert (await waiting).state is State.EXPIRED

    # ---- time ------------------------------------------------------------------------------------

    async def test_a_question_whose_time_is_over_is_expired_and_cannot_be_answered(
        self, store: Store
    ) -> None:
        await store.add_approval("q1", make_question(boot=store.boot, expires_in=timedelta(0)), MANY)

        with pytest.raises(StateError):
            await store.change_approval("q1", answer_change())
        assert len(await store.sweep(HOUR)) == 1
        swept = await store.approval("q1")

        assert (swept.state, swept.closed_at is None) == (State.EXPIRED, False)
        assert len(await store.sweep(HOUR)) == 0

    async def test_a_yes_whose_time_is_over_has_lapsed_and_cannot_be_used(self, store: Store) -> None:
        await store.add_approval("q1", make_question(boot=store.boot, usable_for=timedelta(0)), MANY)
        await store.change_approval("q1", answer_change())

        with pytest.raises(StateError):
            await store.change_approval("q1", claim_change("claim-1"))
        assert len(await store.sweep(HOUR)) == 1
        assert (await store.approval("q1")).state is State.LAPSED

    @pytest.mark.proves("R-8")
    async def test_the_question_of_a_process_that_is_gone_is_withdrawn(self, store: Store) -> None:
        await store.add_approval("q1", make_question("q1", boot="gone"), MANY)
        await store.add_approval("q2", make_question("q2", boot=store.boot), MANY)
        await store.add_approval("q3", make_question("q3", boot="gone", delivery=Delivery.SUSPEND), MANY)
        await store.add_approval("q4", make_question("q4", boot="gone"), MANY)
        await store.change_approval("q4", answer_change())

        assert len(await store.sweep(HOUR)) == 2
        states = {one.id: one.state for one in await every_approval(store)}

        assert states == {
            "q1": State.WITHDRAWN, "q2": State.PENDING, "q3": State.PENDING, "q4": State.WITHDRAWN,
        }  # fmt: skip
        with pytest.raises(StateError):
            await store.change_approval("q4", claim_change("late"))

    @pytest.mark.proves("R-25")
    async def test_what_ran_in_a_process_that_is_gone_is_unknown_and_never_runs_again(
        self, store: Store
    ) -> None:
        await store.add_approval("q1", make_question(delivery=Delivery.SUSPEND), MANY)
        await store.change_approval("q1", answer_change())
        await store.change_approval("q1", claim_change("claim-1", "gone"))

        await store.sweep(HOUR)

        assert (await store.approval("q1")).state is State.UNKNOWN
        with pytest.raises(StateError):
            await store.change_approval("q1", claim_change("claim-2", store.boot))

    async def test_a_process_is_gone_when_it_was_not_heard_of_within_the_grace(self, store: Store) -> None:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        await store.record_heartbeat()

        assert len(await store.sweep(HOUR)) == 0
        assert len(await store.sweep(GONE)) == 1

    async def test_a_question_waits_for_days_while_its_process_lives(
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
    async def test_a_clock_that_is_set_back_revives_nothing(self, store: Store, clock: SetClock) -> None:
        self.needs_clock()
        await store.add_approval("q1", make_question(boot=store.boot, expires_in=HOUR), MANY)
        clock.advance(2 * HOUR)
        before = await store.moment()

        clock.advance(timedelta(days=-1))

        assert (await store.moment()).at >= before.at
        with pytest.raises(StateError):
            await store.change_approval("q1", answer_change())

    async def test_time_never_goes_back(self, store: Store) -> None:
        moments = [(await store.moment()).at for _ in range(20)]

        assert moments == sorted(moments)
        assert all(moment.utcoffset() == timedelta(0) for moment in moments)
