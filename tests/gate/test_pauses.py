"""While all agents are paused, calls that are not reads wait; approvals are kept, and calls continue afterwards."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assent.engine.base.tool import Call
from assent.engine.policy.rule import RuleList
from assent.engine.policy.verdict import Stage
from assent.errors import ForbiddenError
from assent.gate import turn as pauses
from assent.gate.access import Kind, Principal
from assent.gate.approval import Approval, State
from assent.gate.calls import Applied, Code, Refuse, Run, Wait
from assent.gate.preset import Delivery
from assent.gate.turn import Turn
from tests.gate.samples import ADA, ANA, CLERK
from tests.gate.scene import ALWAYS, DENY, DROP, ONCE, PUT, READ, SEND, GateHarness, ask_person, open_harness
from tests.waiting import allow_time_for_errors, wait_for_waiting_callers, wait_until_async


@pytest.fixture(params=["memory", "sqlite"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return open_harness(request.param, tmp_path)


async def start_waiting(harness: GateHarness, turn: Turn, call: Call) -> asyncio.Task[Run | Refuse | Applied]:
    """Start to wait for a call."""
    waiting = asyncio.create_task(turn.check(call))
    await wait_for_pending(harness)
    assert not waiting.done()
    return waiting


async def wait_for_pending(harness: GateHarness, count: int = 1) -> Sequence[Approval]:
    """Wait until at least `count` approvals are pending, and return them."""

    async def find_approvals() -> Sequence[Approval]:
        found = (await harness.gate.pending_approvals(ANA)).approvals
        return found if len(found) >= count else ()

    return await wait_until_async(find_approvals)


async def test_only_an_administrator_can_pause_and_resume(harness: GateHarness) -> None:
    for somebody in (ANA, CLERK, replace(CLERK, administrator=True)):
        with pytest.raises(ForbiddenError):
            await harness.gate.pause(somebody)
        with pytest.raises(ForbiddenError):
            await harness.gate.resume(somebody)

    await harness.gate.pause(ADA)

    pause = await harness.gate.pause_state(ANA)
    assert pause is not None
    assert pause.by == "ada"
    await harness.gate.resume(ADA)
    assert await harness.gate.pause_state(ANA) is None
    with pytest.raises(ForbiddenError):
        await harness.gate.pause_state(CLERK)
    assert [row["decision"] for row in await harness.entries()] == ["paused", "resumed"]


async def test_during_a_pause_reads_run_and_other_calls_wait_in_every_mode(harness: GateHarness) -> None:
    turn = await harness.turn(mode="auto")
    await harness.gate.pause(ADA)

    assert isinstance(await turn.submit(READ), Run)
    question = await ask_person(turn, PUT)

    assert (question.decision.stage, question.decision.because) == (
        Stage.PAUSED,
        "ada paused all agents: only reads continue",
    )
    assert not question.decision.always_offered
    assert question.expires_at is None


async def test_during_a_pause_plan_mode_still_denies_and_locked_stages_are_named_first(
    harness: GateHarness,
) -> None:
    await harness.gate.pause(ADA)
    plan, auto = await harness.turn(mode="plan"), await harness.turn(mode="auto", agent="cook")

    refused = await plan.submit(PUT)
    question = await ask_person(auto, DROP)

    assert isinstance(refused, Refuse)
    assert refused.code is Code.PLAN
    assert question.decision.stage is Stage.DESTRUCTIVE
    assert Stage.PAUSED in {step.stage for step in question.decision.steps}


@pytest.mark.proves("T-14")
async def test_an_approval_during_a_pause_is_kept_but_the_call_is_not_claimed(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, SEND)
    await harness.gate.pause(ADA)

    await harness.answer(question, ONCE)

    assert isinstance(await turn.resume(question.id), Wait)
    assert isinstance(await turn.submit(SEND), Wait)
    assert (await harness.gate.approval(ANA, question.id)).state is State.APPROVED
    await harness.gate.resume(ADA)
    assert isinstance(await turn.resume(question.id), Run)
    assert isinstance(await turn.resume(question.id), Refuse)


async def test_an_approved_call_does_not_lapse_during_a_pause(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, SEND)
    await harness.gate.pause(ADA)
    await harness.answer(question, ONCE)
    harness.clock.advance(timedelta(hours=3))

    assert isinstance(await turn.resume(question.id), Wait)
    await harness.gate.resume(ADA)
    harness.clock.advance(timedelta(minutes=10))

    assert isinstance(await turn.resume(question.id), Run)


async def test_a_waiting_caller_continues_after_the_pause(harness: GateHarness) -> None:
    turn = await harness.turn()
    waiting = await start_waiting(harness, turn, SEND)
    (question,) = await wait_for_pending(harness)
    await harness.gate.pause(ADA)
    await harness.answer(question, ONCE)
    await allow_time_for_errors()

    assert not waiting.done()
    await harness.gate.resume(ADA)

    assert isinstance(await asyncio.wait_for(waiting, 60), Run)


async def test_a_denial_takes_effect_during_a_pause(harness: GateHarness) -> None:
    turn = await harness.turn(mode="auto")
    await harness.gate.pause(ADA)
    waiting = await start_waiting(harness, turn, PUT)
    (question,) = await wait_for_pending(harness)

    await harness.answer(question, DENY)

    refused = await asyncio.wait_for(waiting, 60)
    assert isinstance(refused, Refuse)
    assert refused.code is Code.DENIED


async def test_a_call_that_only_the_pause_delayed_runs_after_it(harness: GateHarness) -> None:
    turn = await harness.turn(mode="auto")
    await harness.gate.pause(ADA)
    waiting = await start_waiting(harness, turn, PUT)

    await harness.gate.resume(ADA)

    run = await asyncio.wait_for(waiting, 60)
    assert isinstance(run, Run)
    taken = await harness.gate.approval(ANA, run.approval)
    assert (taken.state, taken.answer) == (State.RUNNING, None)
    assert (await harness.gate.report(run.approval, run.claim)).state is State.DONE


async def test_an_approved_paused_call_does_not_run_before_the_end_of_the_pause(harness: GateHarness) -> None:
    turn = await harness.turn(mode="auto")
    await harness.gate.pause(ADA)
    waiting = await start_waiting(harness, turn, PUT)
    (question,) = await wait_for_pending(harness)

    await harness.answer(question, ONCE)
    await allow_time_for_errors()

    assert not waiting.done()
    await harness.gate.resume(ADA)
    assert isinstance(await asyncio.wait_for(waiting, 60), Run)


async def test_a_paused_call_that_now_needs_approval_is_asked_after_the_pause(harness: GateHarness) -> None:
    turn = await harness.turn(mode="auto")
    await harness.gate.pause(ADA)
    waiting = await start_waiting(harness, turn, PUT)
    await harness.add_rule(RuleList.ASK, "note.put")

    await harness.gate.resume(ADA)

    async def find_expiring() -> Approval | None:
        (found,) = await wait_for_pending(harness)
        return found if found.expires_at is not None else None

    # An approval expires only after a person was asked.
    question = await wait_until_async(find_expiring)
    assert not waiting.done()
    await harness.answer(question, ONCE)
    assert isinstance(await asyncio.wait_for(waiting, 60), Run)


async def test_a_paused_call_that_is_now_denied_is_refused_after_the_pause(harness: GateHarness) -> None:
    turn = await harness.turn(mode="auto")
    await harness.gate.pause(ADA)
    waiting = await start_waiting(harness, turn, PUT)
    await harness.add_rule(RuleList.DENY, "note.put")

    await harness.gate.resume(ADA)

    refused = await asyncio.wait_for(waiting, 60)
    assert isinstance(refused, Refuse)
    assert "deny rule `note.put`" in refused.message


async def test_a_paused_call_that_also_needs_approval_offers_always_and_waits_for_both(
    harness: GateHarness,
) -> None:
    turn = await harness.turn()
    await harness.gate.pause(ADA)
    question = await ask_person(turn, SEND)

    assert (question.decision.stage, question.decision.always_offered) == (Stage.PAUSED, True)
    await harness.answer(question, ALWAYS)
    assert isinstance(await turn.resume(question.id), Wait)
    await harness.gate.resume(ADA)
    assert isinstance(await turn.resume(question.id), Run)


async def test_a_second_pause_delays_calls_that_continued_after_the_first(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, SEND)
    await harness.gate.pause(ADA)
    await harness.gate.resume(ADA)
    await harness.gate.pause(ADA)
    await harness.answer(question, ONCE)

    assert isinstance(await turn.resume(question.id), Wait)


async def test_a_suspended_call_that_only_the_pause_delayed_is_released(harness: GateHarness) -> None:
    turn = await harness.turn("tiers")
    await harness.gate.pause(ADA)
    question = await ask_person(turn, SEND)
    assert question.delivery is Delivery.SUSPEND

    await harness.gate.resume(ADA)

    released = await harness.gate.approval(ANA, question.id)
    assert released.answer is not None
    assert (released.state, released.answer.by) == (State.APPROVED, "ada")
    assert isinstance(await turn.resume(question.id), Run)


async def test_a_released_call_that_now_needs_approval_does_not_run(harness: GateHarness) -> None:
    turn = await harness.turn("tiers")
    await harness.gate.pause(ADA)
    question = await ask_person(turn, SEND)
    await harness.gate.resume(ADA)
    await harness.add_rule(RuleList.ASK, "mail.send")

    assert isinstance(await turn.resume(question.id), Refuse)
    assert (await harness.gate.approval(ANA, question.id)).state is State.REFUSED


async def test_a_caller_that_is_cancelled_during_a_pause_withdraws_its_approval(harness: GateHarness) -> None:
    turn = await harness.turn(mode="auto")
    await harness.gate.pause(ADA)
    waiting = await start_waiting(harness, turn, PUT)
    (question,) = await wait_for_pending(harness)

    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)

    assert (await harness.gate.approval(ANA, question.id)).state is State.WITHDRAWN


async def test_a_caller_stops_waiting_if_its_approved_call_is_withdrawn_during_a_pause(
    harness: GateHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pauses, "PAUSE_POLL_SECONDS", 0.05)
    turn = await harness.turn()
    waiting = await start_waiting(harness, turn, SEND)
    (question,) = await wait_for_pending(harness)
    await harness.gate.pause(ADA)
    await harness.answer(question, ONCE)

    await harness.gate.withdraw(question.id, "a newer message came")

    refused = await asyncio.wait_for(waiting, 60)
    assert isinstance(refused, Refuse)
    assert refused.code is Code.WITHDRAWN


async def test_a_sub_agent_waits_like_its_parent(harness: GateHarness) -> None:
    parent = await harness.turn(mode="auto")
    child = await harness.turn(agent="helper", parent=parent, mode="auto")
    await harness.gate.pause(ADA)
    waiting = await start_waiting(harness, child, PUT)

    await harness.gate.resume(ADA)

    assert isinstance(await asyncio.wait_for(waiting, 60), Run)


async def test_an_unattended_call_is_refused_during_a_pause_instead_of_waiting(harness: GateHarness) -> None:
    turn = await harness.turn(mode="auto", attended=False)
    await harness.gate.pause(ADA)

    refused = await turn.submit(PUT)

    assert isinstance(refused, Refuse)
    assert refused.code is Code.UNATTENDED


async def test_many_waiting_callers_share_one_poll(harness: GateHarness) -> None:
    turn = await harness.turn(mode="auto")
    await harness.gate.pause(ADA)
    calls = [replace(PUT, id=f"put-{number}") for number in range(30)]
    waiting = [asyncio.create_task(turn.check(call)) for call in calls]
    await wait_for_waiting_callers(harness.store, len(calls))

    looks = [task for task in asyncio.all_tasks() if task.get_name() == "assent pause"]
    await harness.gate.resume(ADA)

    assert len(looks) == 1
    assert all(isinstance(one, Run) for one in await asyncio.wait_for(asyncio.gather(*waiting), 60))


async def test_a_service_can_read_the_pause(harness: GateHarness) -> None:
    robot = Principal(id="robot", kind=Kind.SERVICE, on_behalf="ana")

    assert await harness.gate.pause_state(robot) is None


async def test_a_caller_that_resumes_after_the_pause_does_not_wait(harness: GateHarness) -> None:
    turn = await harness.turn(mode="auto")
    await harness.gate.pause(ADA)
    question = await ask_person(turn, PUT)
    await harness.gate.resume(ADA)
    await asyncio.wait_for(turn.watch(question.id, 600), 60)

    assert isinstance(await turn.resume(question.id), Run)


@pytest.mark.parametrize("preset", ["assent", "chat"], ids=["expires", "never expires"])
async def test_a_caller_that_resumes_a_call_that_is_now_asked_waits_for_the_answer(
    harness: GateHarness, preset: str
) -> None:
    turn = await harness.turn(preset, mode="auto")
    await harness.gate.pause(ADA)
    question = await ask_person(turn, PUT)
    await harness.add_rule(RuleList.ASK, "note.put")
    await harness.gate.resume(ADA)
    for _ in range(2):
        await turn.watch(question.id, 0.05)
        assert isinstance(await turn.resume(question.id), Wait)
    watching = asyncio.create_task(turn.watch(question.id, 600))
    await wait_for_waiting_callers(harness.store)
    assert not watching.done()
    await harness.answer(question, ONCE)
    await asyncio.wait_for(watching, 60)

    assert isinstance(await turn.resume(question.id), Run)
