"""The question of a caller that stops waiting is withdrawn, and a late yes is given to nobody."""

import asyncio
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from assent.errors import StateError
from assent.gate.answer import Answer
from assent.gate.approval import Approval, State
from assent.gate.calls import Code, Refuse, Run, Wait
from assent.gate.gate import SILENCE_LIMIT, TurnOptions
from assent.gate.lease import Lease
from assent.gate.preset import Delivery
from tests.gate.conftest import EVERY_STORE, harness_on_store
from tests.gate.samples import ADA, ANA, CLERK, NOW
from tests.gate.scene import ALWAYS, ONCE, PUT, GateHarness, ask_person, open_harness
from tests.stores.promises.given import NO_GRACE
from tests.waiting import wait_for_waiting_callers, wait_until_async

LEASE = timedelta(seconds=30)
MOMENT = timedelta(microseconds=1)
FAR = timedelta(days=1)
WITHDRAWN = "its caller stopped waiting"


@pytest.fixture(params=["memory", "sqlite"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return open_harness(request.param, tmp_path)


@pytest.fixture(params=EVERY_STORE)
def any_harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return harness_on_store(request, tmp_path)


async def ask_with_lease(
    harness: GateHarness, lease: timedelta = LEASE, delivery: Delivery | None = None
) -> Approval:
    options = TurnOptions(claimed=True, lease=lease, delivery=delivery)
    turn = await harness.gate.begin(CLERK, conversation="c1", agent="clerk", options=options)
    return await ask_person(turn, PUT)


async def state_of(harness: GateHarness, asked: Approval) -> State:
    return (await harness.store.approval(asked.id)).state


def test_a_renewed_lease_lasts_its_whole_duration_and_never_becomes_shorter() -> None:
    lease = Lease(LEASE, NOW + LEASE)

    assert lease.renew(at=NOW + MOMENT) == Lease(LEASE, NOW + MOMENT + LEASE)
    assert lease.renew(at=NOW - MOMENT) == lease
    assert (lease.has_lapsed(at=NOW + LEASE - MOMENT), lease.has_lapsed(at=NOW + LEASE)) == (False, True)
    assert lease.renewal_seconds == 10


async def test_a_question_without_renewal_is_withdrawn_when_its_lease_lapses(harness: GateHarness) -> None:
    asked = await ask_with_lease(harness)
    harness.clock.advance(LEASE - MOMENT)
    early = await harness.store.sweep(FAR)
    harness.clock.advance(MOMENT)
    swept = await harness.store.sweep(FAR)
    again = await harness.store.sweep(FAR)

    assert (early, [one.id for one in swept], again) == ([], [asked.id], [])
    assert (swept[0].state, swept[0].note) == (State.WITHDRAWN, WITHDRAWN)
    assert {"verdict": "", "decision": "withdrawn", "stage": "mode"} in await harness.entries()


async def test_every_wait_renews_the_lease(harness: GateHarness) -> None:
    asked = await ask_with_lease(harness)
    turn = await harness.gate.rejoin(CLERK, asked.id)
    for _ in range(4):
        harness.clock.advance(LEASE - MOMENT)
        renewed = await turn.renew_lease(asked.id)
        assert renewed == Lease(LEASE, harness.clock.now + LEASE)
    assert await harness.store.sweep(FAR) == []
    await harness.answer(asked, ONCE)

    assert isinstance(await turn.resume(asked.id), Run)


@pytest.mark.parametrize("answer", [ONCE, ALWAYS])
async def test_a_yes_after_the_lapse_is_refused_and_allows_nothing(
    harness: GateHarness, answer: Answer
) -> None:
    asked = await ask_with_lease(harness)
    harness.clock.advance(LEASE)
    with pytest.raises(StateError) as refused:
        await harness.answer(asked, answer)

    assert refused.value.state == State.WITHDRAWN
    assert [*await harness.store.rules(), *await harness.store.grants()] == []
    late = await (await harness.gate.rejoin(CLERK, asked.id)).resume(asked.id)
    assert isinstance(late, Refuse)
    assert (late.code, late.message) == (Code.WITHDRAWN, f"the question was withdrawn: {WITHDRAWN}")


async def test_an_approved_call_cannot_be_claimed_after_the_lapse(harness: GateHarness) -> None:
    asked = await ask_with_lease(harness)
    turn = await harness.gate.rejoin(CLERK, asked.id)
    await harness.answer(asked, ONCE)
    harness.clock.advance(LEASE)
    renewed = await turn.renew_lease(asked.id)
    late = await turn.resume(asked.id)

    assert renewed is None
    assert isinstance(late, Refuse)
    assert (late.code, await state_of(harness, asked)) == (Code.WITHDRAWN, State.WITHDRAWN)


async def test_a_caller_that_waits_in_this_process_gets_no_late_yes(harness: GateHarness) -> None:
    asked = await ask_with_lease(harness)
    turn = await harness.gate.rejoin(CLERK, asked.id)
    harness.clock.advance(LEASE)
    waiting = asyncio.create_task(turn.wait(asked))
    await harness.store.sweep(FAR)
    outcome = await asyncio.wait_for(waiting, 60)

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.WITHDRAWN


async def test_a_caller_that_waits_in_this_process_renews_its_lease(harness: GateHarness) -> None:
    asked = await ask_with_lease(harness, timedelta(seconds=0.3))
    turn = await harness.gate.rejoin(CLERK, asked.id)
    waiting = asyncio.create_task(turn.wait(asked))
    await wait_for_waiting_callers(harness.store)
    for _ in range(3):
        harness.clock.advance(timedelta(seconds=0.2))
        end = harness.clock.now + timedelta(seconds=0.3)
        await wait_until_async(lambda end=end: _is_leased_until(harness, asked, end))
    await harness.answer(asked, ONCE)

    assert isinstance(await asyncio.wait_for(waiting, 60), Run)


async def test_a_call_that_runs_is_not_affected_by_its_lease(harness: GateHarness) -> None:
    asked = await ask_with_lease(harness)
    await harness.answer(asked, ONCE)
    run = await (await harness.gate.rejoin(CLERK, asked.id)).resume(asked.id)
    assert isinstance(run, Run)
    harness.clock.advance(LEASE)
    await harness.store.record_heartbeat()
    swept = await harness.store.sweep(FAR)
    reported = await harness.gate.report(asked.id, run.claim)

    assert (swept, reported.state) == ([], State.DONE)


async def test_a_repeated_submit_of_a_lapsed_call_is_refused(harness: GateHarness) -> None:
    asked = await ask_with_lease(harness)
    harness.clock.advance(LEASE)
    options = TurnOptions(claimed=True, lease=LEASE)
    turn = await harness.gate.begin(CLERK, conversation="c1", agent="clerk", options=options)
    again = await turn.submit(PUT)

    assert isinstance(again, Refuse)
    assert (again.code, await state_of(harness, asked)) == (Code.WITHDRAWN, State.WITHDRAWN)


@pytest.mark.parametrize("delivery", [Delivery.SUSPEND])
async def test_a_suspended_call_has_no_lease(harness: GateHarness, delivery: Delivery) -> None:
    asked = await ask_with_lease(harness, delivery=delivery)
    harness.clock.advance(LEASE)

    assert asked.lease is None
    assert await harness.store.sweep(FAR) == []


async def test_the_lease_replaces_the_heartbeats_of_a_process_that_is_gone(harness: GateHarness) -> None:
    asked = await ask_with_lease(harness, timedelta(minutes=10))
    harness.clock.advance(SILENCE_LIMIT)
    gone = await harness.store.sweep(NO_GRACE)
    harness.clock.advance(timedelta(minutes=9))
    lapsed = await harness.store.sweep(NO_GRACE)

    assert (gone, [one.id for one in lapsed]) == ([], [asked.id])


async def test_a_pause_of_all_agents_does_not_stop_a_lease(harness: GateHarness) -> None:
    asked = await ask_with_lease(harness)
    await harness.gate.pause(ADA)
    await harness.answer(asked, ONCE)
    turn = await harness.gate.rejoin(CLERK, asked.id)
    harness.clock.advance(timedelta(seconds=20))
    renewed = await turn.renew_lease(asked.id)
    waiting = await turn.resume(asked.id)
    harness.clock.advance(LEASE)
    swept = await harness.store.sweep(FAR)

    assert (renewed is not None, isinstance(waiting, Wait)) == (True, True)
    assert [one.state for one in swept] == [State.WITHDRAWN]


async def test_a_lease_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with open_harness("sqlite", tmp_path) as before:
        asked = await ask_with_lease(before)
        start = before.clock.now
    async with open_harness("sqlite", tmp_path) as after:
        after.clock.now = start + LEASE - MOMENT
        assert await after.store.sweep(NO_GRACE) == []
        renewed = await (await after.gate.rejoin(CLERK, asked.id)).renew_lease(asked.id)
        after.clock.advance(LEASE)
        swept = await after.store.sweep(NO_GRACE)

    assert renewed == Lease(LEASE, start + LEASE - MOMENT + LEASE)
    assert [one.id for one in swept] == [asked.id]


async def test_a_lapse_an_answer_a_renewal_and_two_sweeps_at_once_have_one_end(
    any_harness: GateHarness,
) -> None:
    harness = any_harness
    for number in range(20):
        options = TurnOptions(claimed=True, lease=timedelta(milliseconds=1 + number % 5))
        turn = await harness.gate.begin(CLERK, conversation=f"c-{number}", agent="clerk", options=options)
        asked = await ask_person(turn, PUT)
        harness.clock.advance(timedelta(milliseconds=number % 7))
        waiter = turn.with_nonce("a-nonce-of-this-caller")
        results = await asyncio.gather(
            harness.answer(asked, ONCE),
            waiter.renew_lease(asked.id),
            waiter.resume(asked.id),
            harness.store.sweep(FAR),
            harness.store.sweep(FAR),
            (await harness.gate.rejoin(ANA, asked.id)).resume(asked.id),
            return_exceptions=True,
        )
        ended = [one for swept in results if isinstance(swept, list) for one in swept if one.id == asked.id]
        runs = [one for one in results if isinstance(one, Run)]
        final = await harness.store.approval(asked.id)

        assert len(ended) <= 1
        assert len({run.claim for run in runs}) <= 1
        assert bool(runs) == (final.state is State.RUNNING)
        assert not (runs and isinstance(results[0], StateError))
        if final.state is State.WITHDRAWN:
            assert isinstance(await waiter.resume(asked.id), Refuse)


async def _is_leased_until(harness: GateHarness, asked: Approval, until: datetime) -> bool:
    lease = (await harness.store.approval(asked.id)).lease
    return lease is not None and lease.until == until
