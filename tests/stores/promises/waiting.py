"""Whoever waits is woken, by an answer or by time."""

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
from tests.gate.samples import ANA, NO, asking
from tests.stores.promises.given import (
    GONE,
    HOUR,
    MANY,
    GivenStore,
    SetClock,
    answering,
    claiming,
    every_approval,
    settled_down,
)


class Waiting(GivenStore):
    """Whoever waits is woken, by an answer or by time."""

    # ---- waiting ---------------------------------------------------------------------------------

    @pytest.mark.proves("R000-31")
    async def test_whoever_waits_is_woken_by_the_answer_to_their_own_question(self, store: Store) -> None:
        for id in ("q1", "q2"):
            await store.add_approval(id, asking(id), MANY)
        first, second = (asyncio.create_task(store.wait_for_answer(id)) for id in ("q1", "q2"))
        await settled_down()

        await store.change_approval("q2", answering(NO))

        assert (await second).state is State.DENIED
        assert not first.done()
        await store.change_approval("q1", answering())
        assert (await first).state is State.APPROVED

    async def test_whoever_waits_for_what_was_answered_does_not_wait(self, store: Store) -> None:
        await store.add_approval("q1", asking(), MANY)
        await store.change_approval("q1", answering())

        assert (await store.wait_for_answer("q1")).state is State.APPROVED

    async def test_many_can_wait_for_one_answer(self, store: Store) -> None:
        await store.add_approval("q1", asking(), MANY)
        waiting = [asyncio.create_task(store.wait_for_answer("q1")) for _ in range(200)]
        await settled_down()

        await store.change_approval("q1", answering())

        assert {one.state for one in await asyncio.gather(*waiting)} == {State.APPROVED}

    async def test_no_answer_is_missed_however_close_it_is_to_the_waiting(self, store: Store) -> None:
        for number in range(100):
            id = f"q{number}"
            await store.add_approval(id, asking(id), MANY)

            woken, _ = await asyncio.gather(store.wait_for_answer(id), store.change_approval(id, answering()))

            assert woken.state is State.APPROVED

    async def test_putting_it_off_wakes_nobody(self, store: Store) -> None:
        await store.add_approval("q1", asking(), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))
        await settled_down()

        await store.change_approval("q1", lambda one, moment: ChangeResult(postpone(one, ANA, at=moment.at)))
        await settled_down()

        assert not waiting.done()
        await store.change_approval(
            "q1", lambda one, moment: ChangeResult(withdraw(one, "stop", at=moment.at))
        )
        assert (await waiting).state is State.WITHDRAWN

    async def test_who_stops_waiting_takes_nobody_along(self, store: Store) -> None:
        await store.add_approval("q1", asking(), MANY)
        leaving, staying = (asyncio.create_task(store.wait_for_answer("q1")) for _ in range(2))
        await settled_down()

        leaving.cancel()
        with suppress(asyncio.CancelledError):
            await leaving
        await store.change_approval("q1", answering())

        assert (await staying).state is State.APPROVED

    async def test_time_that_runs_out_wakes_whoever_waits(self, store: Store) -> None:
        await store.add_approval("q1", asking(boot=store.boot, expires_in=timedelta(0)), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))
        await settled_down()

        await store.sweep(HOUR)

        assert (await waiting).state is State.EXPIRED

    # ---- time ------------------------------------------------------------------------------------

    async def test_a_question_whose_time_is_over_is_expired_and_cannot_be_answered(
        self, store: Store
    ) -> None:
        await store.add_approval("q1", asking(boot=store.boot, expires_in=timedelta(0)), MANY)

        with pytest.raises(StateError):
            await store.change_approval("q1", answering())
        assert len(await store.sweep(HOUR)) == 1
        swept = await store.approval("q1")

        assert (swept.state, swept.closed_at is None) == (State.EXPIRED, False)
        assert len(await store.sweep(HOUR)) == 0

    async def test_a_yes_whose_time_is_over_has_lapsed_and_cannot_be_used(self, store: Store) -> None:
        await store.add_approval("q1", asking(boot=store.boot, usable_for=timedelta(0)), MANY)
        await store.change_approval("q1", answering())

        with pytest.raises(StateError):
            await store.change_approval("q1", claiming("claim-1"))
        assert len(await store.sweep(HOUR)) == 1
        assert (await store.approval("q1")).state is State.LAPSED

    @pytest.mark.proves("R-8")
    async def test_the_question_of_a_process_that_is_gone_is_withdrawn(self, store: Store) -> None:
        await store.add_approval("q1", asking("q1", boot="gone"), MANY)
        await store.add_approval("q2", asking("q2", boot=store.boot), MANY)
        await store.add_approval("q3", asking("q3", boot="gone", delivery=Delivery.SUSPEND), MANY)
        await store.add_approval("q4", asking("q4", boot="gone"), MANY)
        await store.change_approval("q4", answering())

        assert len(await store.sweep(HOUR)) == 2
        states = {one.id: one.state for one in await every_approval(store)}

        assert states == {
            "q1": State.WITHDRAWN, "q2": State.PENDING, "q3": State.PENDING, "q4": State.WITHDRAWN,
        }  # fmt: skip
        with pytest.raises(StateError):
            await store.change_approval("q4", claiming("late"))

    @pytest.mark.proves("R-25")
    async def test_what_ran_in_a_process_that_is_gone_is_unknown_and_never_runs_again(
        self, store: Store
    ) -> None:
        await store.add_approval("q1", asking(delivery=Delivery.SUSPEND), MANY)
        await store.change_approval("q1", answering())
        await store.change_approval("q1", claiming("claim-1", "gone"))

        await store.sweep(HOUR)

        assert (await store.approval("q1")).state is State.UNKNOWN
        with pytest.raises(StateError):
            await store.change_approval("q1", claiming("claim-2", store.boot))

    async def test_a_process_is_gone_when_it_was_not_heard_of_within_the_grace(self, store: Store) -> None:
        await store.add_approval("q1", asking(boot=store.boot), MANY)
        await store.record_heartbeat()

        assert len(await store.sweep(HOUR)) == 0
        assert len(await store.sweep(GONE)) == 1

    async def test_a_question_waits_for_days_while_its_process_lives(
        self, store: Store, clock: SetClock
    ) -> None:
        self.needs_clock()
        await store.add_approval("q1", asking(boot=store.boot, expires_in=timedelta(days=7)), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))
        for _ in range(6):
            clock.passes(timedelta(days=1))
            await store.record_heartbeat()
            assert len(await store.sweep(HOUR)) == 0

        assert not waiting.done()
        clock.passes(timedelta(days=1))
        await store.record_heartbeat()
        assert len(await store.sweep(HOUR)) == 1
        assert (await waiting).state is State.EXPIRED

    @pytest.mark.proves("T-43", "R-9")
    async def test_a_clock_that_is_set_back_revives_nothing(self, store: Store, clock: SetClock) -> None:
        self.needs_clock()
        await store.add_approval("q1", asking(boot=store.boot, expires_in=HOUR), MANY)
        clock.passes(2 * HOUR)
        before = await store.moment()

        clock.passes(timedelta(days=-1))

        assert (await store.moment()).at >= before.at
        with pytest.raises(StateError):
            await store.change_approval("q1", answering())

    async def test_time_never_goes_back(self, store: Store) -> None:
        moments = [(await store.moment()).at for _ in range(20)]

        assert moments == sorted(moments)
        assert all(moment.utcoffset() == timedelta(0) for moment in moments)
