"""While every agent is paused, what is not a read waits; a yes is kept, and calls go on afterwards."""

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
from tests.gate.scene import ALWAYS, DENY, DROP, ONCE, PUT, READ, SEND, Scene, a_scene, ask_person
from tests.waiting import allow_time_for_errors, wait_for_waiting_callers, wait_until_async


@pytest.fixture(params=["memory", "sqlite"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    return a_scene(request.param, tmp_path)


async def start_waiting(scene: Scene, turn: Turn, call: Call) -> asyncio.Task[Run | Refuse | Applied]:
    """Start to wait for a call."""
    waiting = asyncio.create_task(turn.check(call))
    await wait_for_pending(scene)
    assert not waiting.done()
    return waiting


async def wait_for_pending(scene: Scene, count: int = 1) -> Sequence[Approval]:
    """Wait until at least `count` approvals are pending, and return them."""

    async def find() -> Sequence[Approval]:
        found = (await scene.gate.pending(ANA)).approvals
        return found if len(found) >= count else ()

    return await wait_until_async(find)


async def test_only_an_administrator_turns_the_switch(scene: Scene) -> None:
    for somebody in (ANA, CLERK, replace(CLERK, administrator=True)):
        with pytest.raises(ForbiddenError):
            await scene.gate.pause(somebody)
        with pytest.raises(ForbiddenError):
            await scene.gate.resume(somebody)

    await scene.gate.pause(ADA)

    pause = await scene.gate.pause_state(ANA)
    assert pause is not None
    assert pause.by == "ada"
    await scene.gate.resume(ADA)
    assert await scene.gate.pause_state(ANA) is None
    with pytest.raises(ForbiddenError):
        await scene.gate.pause_state(CLERK)
    assert [row["decision"] for row in await scene.entries()] == ["paused", "resumed"]


async def test_while_paused_reads_go_on_and_the_rest_waits_in_every_mode(scene: Scene) -> None:
    turn = await scene.turn(mode="auto")
    await scene.gate.pause(ADA)

    assert isinstance(await turn.submit(READ), Run)
    question = await ask_person(turn, PUT)

    assert (question.decision.stage, question.decision.because) == (
        Stage.PAUSED,
        "ada paused all agents: only reads continue",
    )
    assert not question.decision.always_offered
    assert question.expires_at is None


async def test_plan_still_denies_and_what_always_asks_says_so_first(scene: Scene) -> None:
    await scene.gate.pause(ADA)
    plan, auto = await scene.turn(mode="plan"), await scene.turn(mode="auto", agent="cook")

    refused = await plan.submit(PUT)
    question = await ask_person(auto, DROP)

    assert isinstance(refused, Refuse)
    assert refused.code is Code.PLAN
    assert question.decision.stage is Stage.DESTRUCTIVE
    assert Stage.PAUSED in {step.stage for step in question.decision.steps}


@pytest.mark.proves("T-14")
async def test_a_yes_while_paused_is_kept_and_nothing_is_taken(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, SEND)
    await scene.gate.pause(ADA)

    await scene.answer(question, ONCE)

    assert isinstance(await turn.resume(question.id), Wait)
    assert isinstance(await turn.submit(SEND), Wait)
    assert (await scene.gate.approval(ANA, question.id)).state is State.APPROVED
    await scene.gate.resume(ADA)
    assert isinstance(await turn.resume(question.id), Run)
    assert isinstance(await turn.resume(question.id), Refuse)


async def test_a_yes_does_not_lapse_over_a_long_pause(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, SEND)
    await scene.gate.pause(ADA)
    await scene.answer(question, ONCE)
    scene.clock.advance(timedelta(hours=3))

    assert isinstance(await turn.resume(question.id), Wait)
    await scene.gate.resume(ADA)
    scene.clock.advance(timedelta(minutes=10))

    assert isinstance(await turn.resume(question.id), Run)


async def test_whoever_waits_goes_on_when_the_pause_is_over(scene: Scene) -> None:
    turn = await scene.turn()
    waiting = await start_waiting(scene, turn, SEND)
    (question,) = await wait_for_pending(scene)
    await scene.gate.pause(ADA)
    await scene.answer(question, ONCE)
    await allow_time_for_errors()

    assert not waiting.done()
    await scene.gate.resume(ADA)

    assert isinstance(await asyncio.wait_for(waiting, 60), Run)


async def test_a_denial_works_while_paused(scene: Scene) -> None:
    turn = await scene.turn(mode="auto")
    await scene.gate.pause(ADA)
    waiting = await start_waiting(scene, turn, PUT)
    (question,) = await wait_for_pending(scene)

    await scene.answer(question, DENY)

    refused = await asyncio.wait_for(waiting, 60)
    assert isinstance(refused, Refuse)
    assert refused.code is Code.DENIED


async def test_what_only_the_pause_held_runs_when_it_is_over(scene: Scene) -> None:
    turn = await scene.turn(mode="auto")
    await scene.gate.pause(ADA)
    waiting = await start_waiting(scene, turn, PUT)

    await scene.gate.resume(ADA)

    run = await asyncio.wait_for(waiting, 60)
    assert isinstance(run, Run)
    taken = await scene.gate.approval(ANA, run.approval)
    assert (taken.state, taken.answer) == (State.RUNNING, None)
    assert (await scene.gate.report(run.approval, run.claim)).state is State.DONE


async def test_a_yes_to_what_the_pause_held_does_not_run_it_before_its_end(scene: Scene) -> None:
    turn = await scene.turn(mode="auto")
    await scene.gate.pause(ADA)
    waiting = await start_waiting(scene, turn, PUT)
    (question,) = await wait_for_pending(scene)

    await scene.answer(question, ONCE)
    await allow_time_for_errors()

    assert not waiting.done()
    await scene.gate.resume(ADA)
    assert isinstance(await asyncio.wait_for(waiting, 60), Run)


async def test_what_would_be_asked_by_now_is_asked_when_the_pause_is_over(scene: Scene) -> None:
    turn = await scene.turn(mode="auto")
    await scene.gate.pause(ADA)
    waiting = await start_waiting(scene, turn, PUT)
    await scene.add_rule(RuleList.ASK, "note.put")

    await scene.gate.resume(ADA)

    async def find_expiring() -> Approval | None:
        (found,) = await wait_for_pending(scene)
        return found if found.expires_at is not None else None

    # An approval expires only after a person was asked.
    question = await wait_until_async(find_expiring)
    assert not waiting.done()
    await scene.answer(question, ONCE)
    assert isinstance(await asyncio.wait_for(waiting, 60), Run)


async def test_what_is_denied_by_now_is_refused_when_the_pause_is_over(scene: Scene) -> None:
    turn = await scene.turn(mode="auto")
    await scene.gate.pause(ADA)
    waiting = await start_waiting(scene, turn, PUT)
    await scene.add_rule(RuleList.DENY, "note.put")

    await scene.gate.resume(ADA)

    refused = await asyncio.wait_for(waiting, 60)
    assert isinstance(refused, Refuse)
    assert "deny rule `note.put`" in refused.message


async def test_a_question_that_others_ask_too_offers_always_and_waits_for_both(scene: Scene) -> None:
    turn = await scene.turn()
    await scene.gate.pause(ADA)
    question = await ask_person(turn, SEND)

    assert (question.decision.stage, question.decision.always_offered) == (Stage.PAUSED, True)
    await scene.answer(question, ALWAYS)
    assert isinstance(await turn.resume(question.id), Wait)
    await scene.gate.resume(ADA)
    assert isinstance(await turn.resume(question.id), Run)


async def test_a_second_pause_holds_what_the_first_let_go_on(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, SEND)
    await scene.gate.pause(ADA)
    await scene.gate.resume(ADA)
    await scene.gate.pause(ADA)
    await scene.answer(question, ONCE)

    assert isinstance(await turn.resume(question.id), Wait)


async def test_a_suspended_call_that_only_the_pause_held_is_released(scene: Scene) -> None:
    turn = await scene.turn("tiers")
    await scene.gate.pause(ADA)
    question = await ask_person(turn, SEND)
    assert question.delivery is Delivery.SUSPEND

    await scene.gate.resume(ADA)

    released = await scene.gate.approval(ANA, question.id)
    assert released.answer is not None
    assert (released.state, released.answer.by) == (State.APPROVED, "ada")
    assert isinstance(await turn.resume(question.id), Run)


async def test_a_released_call_that_would_be_asked_by_now_does_not_run(scene: Scene) -> None:
    turn = await scene.turn("tiers")
    await scene.gate.pause(ADA)
    question = await ask_person(turn, SEND)
    await scene.gate.resume(ADA)
    await scene.add_rule(RuleList.ASK, "mail.send")

    assert isinstance(await turn.resume(question.id), Refuse)
    assert (await scene.gate.approval(ANA, question.id)).state is State.REFUSED


async def test_a_caller_who_gives_up_while_paused_takes_the_question_back(scene: Scene) -> None:
    turn = await scene.turn(mode="auto")
    await scene.gate.pause(ADA)
    waiting = await start_waiting(scene, turn, PUT)
    (question,) = await wait_for_pending(scene)

    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)

    assert (await scene.gate.approval(ANA, question.id)).state is State.WITHDRAWN


async def test_a_kept_yes_that_is_taken_back_lets_its_caller_go(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pauses, "PAUSE_POLL_SECONDS", 0.05)
    turn = await scene.turn()
    waiting = await start_waiting(scene, turn, SEND)
    (question,) = await wait_for_pending(scene)
    await scene.gate.pause(ADA)
    await scene.answer(question, ONCE)

    await scene.gate.withdraw(question.id, "a newer message came")

    refused = await asyncio.wait_for(waiting, 60)
    assert isinstance(refused, Refuse)
    assert refused.code is Code.WITHDRAWN


async def test_a_sub_agent_waits_like_its_parent(scene: Scene) -> None:
    parent = await scene.turn(mode="auto")
    child = await scene.turn(agent="helper", parent=parent, mode="auto")
    await scene.gate.pause(ADA)
    waiting = await start_waiting(scene, child, PUT)

    await scene.gate.resume(ADA)

    assert isinstance(await asyncio.wait_for(waiting, 60), Run)


async def test_who_cannot_be_asked_is_refused_and_not_left_waiting(scene: Scene) -> None:
    turn = await scene.turn(mode="auto", attended=False)
    await scene.gate.pause(ADA)

    refused = await turn.submit(PUT)

    assert isinstance(refused, Refuse)
    assert refused.code is Code.UNATTENDED


async def test_many_who_wait_share_one_look(scene: Scene) -> None:
    turn = await scene.turn(mode="auto")
    await scene.gate.pause(ADA)
    calls = [replace(PUT, id=f"put-{number}") for number in range(30)]
    waiting = [asyncio.create_task(turn.check(call)) for call in calls]
    await wait_for_waiting_callers(scene.store, len(calls))

    looks = [task for task in asyncio.all_tasks() if task.get_name() == "assent pause"]
    await scene.gate.resume(ADA)

    assert len(looks) == 1
    assert all(isinstance(one, Run) for one in await asyncio.wait_for(asyncio.gather(*waiting), 60))


async def test_a_service_sees_the_switch(scene: Scene) -> None:
    robot = Principal(id="robot", kind=Kind.SERVICE, on_behalf="ana")

    assert await scene.gate.pause_state(robot) is None


async def test_who_comes_for_a_call_after_the_pause_waits_for_nobody(scene: Scene) -> None:
    turn = await scene.turn(mode="auto")
    await scene.gate.pause(ADA)
    question = await ask_person(turn, PUT)
    await scene.gate.resume(ADA)
    await asyncio.wait_for(turn.watch(question.id, 600), 60)

    assert isinstance(await turn.resume(question.id), Run)


@pytest.mark.parametrize("preset", ["assent", "chat"], ids=["expires", "never expires"])
async def test_who_comes_for_a_call_that_a_person_is_asked_about_by_now_waits_for_them(
    scene: Scene, preset: str
) -> None:
    turn = await scene.turn(preset, mode="auto")
    await scene.gate.pause(ADA)
    question = await ask_person(turn, PUT)
    await scene.add_rule(RuleList.ASK, "note.put")
    await scene.gate.resume(ADA)
    for _ in range(2):
        await turn.watch(question.id, 0.05)
        assert isinstance(await turn.resume(question.id), Wait)
    watching = asyncio.create_task(turn.watch(question.id, 600))
    await wait_for_waiting_callers(scene.store)
    assert not watching.done()
    await scene.answer(question, ONCE)
    await asyncio.wait_for(watching, 60)

    assert isinstance(await turn.resume(question.id), Run)
