"""A caller that repeats its request with its nonce gets its claim, whatever the first request is still doing."""

import asyncio
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from assent.engine.base.facts import Place
from assent.engine.base.tool import Call
from assent.engine.policy.tiers import Tier
from assent.gate.approval import Approval, State
from assent.gate.calls import Code, Outcome, Refuse, Run, Wait
from assent.gate.turn import Turn
from tests.gate.conftest import EVERY_STORE, a_scene_on
from tests.gate.samples import ADA
from tests.gate.scene import ONCE, PUT, SEND, Scene, ask_person
from tests.waiting import allow_time_for_errors

NONCE = "b7c1f0e2a94d4d21"
OTHER = "0d1e9b3c5a7f4e68"
SAVE = Call(tool="note.save", args={"path": "todo.md", "content": "B\n"}, id="save")


@pytest.fixture(params=EVERY_STORE)
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    return a_scene_on(request, tmp_path)


def synchronize_claims(scene: Scene, parties: int) -> None:
    """Make requests concurrent: all of them read the approval before one of them claims it."""
    place, arrived, everybody = scene.workspace.place, 0, asyncio.Event()

    async def place_together(call: Call) -> Place:
        nonlocal arrived
        arrived += 1
        if arrived == parties:
            everybody.set()
        await everybody.wait()
        return await place(call)

    scene.workspace.place = place_together  # type: ignore[method-assign]


async def ask_and_approve(scene: Scene, turn: Turn) -> Approval:
    question = await ask_person(turn, PUT)
    await scene.answer(question, ONCE)
    return question


def distinct_claims(outcomes: list[Outcome]) -> set[str]:
    return {one.claim for one in outcomes if isinstance(one, Run)}


@pytest.mark.proves("R-36")
async def test_two_requests_with_one_nonce_at_the_same_time_get_the_same_claim(scene: Scene) -> None:
    turn = (await scene.turn()).with_nonce(NONCE)
    question = await ask_and_approve(scene, turn)
    synchronize_claims(scene, 2)

    outcomes = await asyncio.gather(*(turn.resume(question.id) for _ in range(2)))

    assert [type(one) for one in outcomes] == [Run, Run]
    assert len(distinct_claims([*outcomes])) == 1


@pytest.mark.proves("R-36")
async def test_a_repeated_submit_at_the_same_time_as_a_wait_gets_the_same_claim(scene: Scene) -> None:
    turn = (await scene.turn()).with_nonce(NONCE)
    question = await ask_and_approve(scene, turn)
    synchronize_claims(scene, 2)

    outcomes = await asyncio.gather(turn.resume(question.id), turn.submit(PUT))

    assert [type(one) for one in outcomes] == [Run, Run]
    assert len(distinct_claims([*outcomes])) == 1


@pytest.mark.proves("R-36", "R-2", "T-3")
@pytest.mark.parametrize("nonce", [OTHER, ""])
async def test_of_two_requests_with_different_nonces_at_the_same_time_one_runs_the_call(
    scene: Scene, nonce: str
) -> None:
    turn = await scene.turn()
    question = await ask_and_approve(scene, turn)
    synchronize_claims(scene, 2)

    outcomes = await asyncio.gather(
        *(turn.with_nonce(one).resume(question.id) for one in (NONCE, nonce)),
    )

    assert sorted(type(one).__name__ for one in outcomes) == ["Refuse", "Run"]
    (refused,) = [one for one in outcomes if isinstance(one, Refuse)]
    assert refused.code is Code.ALREADY_RUN


@pytest.mark.proves("R-36")
async def test_two_requests_with_one_nonce_after_a_pause_get_the_same_claim(scene: Scene) -> None:
    turn = (await scene.turn(mode="auto")).with_nonce(NONCE)
    await scene.gate.pause(ADA)
    question = await ask_person(turn, PUT)
    await scene.gate.resume(ADA)
    synchronize_claims(scene, 2)

    outcomes = await asyncio.gather(*(turn.resume(question.id) for _ in range(2)))

    assert [type(one) for one in outcomes] == [Run, Run]
    assert len(distinct_claims([*outcomes])) == 1


async def test_a_yes_that_arrives_while_a_call_goes_on_after_a_pause_is_used(scene: Scene) -> None:
    turn = await scene.turn(mode="auto")
    await scene.gate.pause(ADA)
    question = await ask_person(turn, PUT)
    await scene.gate.resume(ADA)
    place = scene.workspace.place
    said: list[Approval] = []

    async def place_and_answer(call: Call) -> Place:
        """The approval was read before the place: the person answers before the caller continues."""
        if not said:
            said.append(await scene.answer(question, ONCE))
        return await place(call)

    scene.workspace.place = place_and_answer  # type: ignore[method-assign]

    outcome = await turn.resume(question.id)

    assert said
    assert isinstance(outcome, Run)
    assert (await scene.store.approval(question.id)).state is State.RUNNING


async def test_a_call_that_is_released_while_its_caller_decides_again_is_taken(scene: Scene) -> None:
    turn = await scene.turn("tiers")
    await scene.gate.pause(ADA)
    question = await ask_person(turn, SEND)
    await scene.store.resume("ada")
    place = scene.workspace.place
    released: list[str] = []

    async def place_and_release(call: Call) -> Place:
        """The pause ends before the caller continues; its end releases the calls that it delayed."""
        if not released:
            released.append("now")
            await scene.gate.resume(ADA)
        return await place(call)

    scene.workspace.place = place_and_release  # type: ignore[method-assign]

    outcome = await turn.resume(question.id)

    assert released
    assert isinstance(outcome, Run)
    assert (await scene.store.approval(question.id)).state is State.RUNNING


@pytest.mark.proves("R-36")
async def test_a_late_duplicate_of_a_request_does_not_keep_a_call_that_ran_from_being_reported(
    scene: Scene,
) -> None:
    scene.workspace.files["/project/todo.md"] = "a\n"
    turn = (await scene.turn()).with_nonce(NONCE)
    question = await ask_person(turn, SAVE)
    await scene.answer(question, ONCE)
    run = await turn.resume(question.id)
    assert isinstance(run, Run)
    # The caller runs the call, which changes the file, before its first request is done.
    scene.workspace.files["/project/todo.md"] = "B\n"

    late = await turn.resume(question.id)
    between = await scene.store.approval(question.id)
    done = await scene.gate.report(question.id, run.claim, failed=False, note="saved")

    assert isinstance(late, Refuse)
    assert (between.state, between.note) == (
        State.UNKNOWN,
        "not handed out again (the file has changed since it was shown): check whether it ran",
    )
    assert (done.state, done.note) == (State.DONE, "saved")


async def test_a_call_that_is_blocked_while_two_requests_come_for_it_runs_for_neither(scene: Scene) -> None:
    turn = (await scene.turn()).with_nonce(NONCE)
    question = await ask_and_approve(scene, turn)
    await scene.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})

    outcomes = await asyncio.gather(*(turn.resume(question.id) for _ in range(2)))

    assert [type(one) for one in outcomes] == [Refuse, Refuse]
    assert (await scene.store.approval(question.id)).state is State.REFUSED


async def test_who_took_a_call_and_repeats_while_paused_waits_for_the_end_of_the_pause(scene: Scene) -> None:
    turn = (await scene.turn()).with_nonce(NONCE)
    question = await ask_and_approve(scene, turn)
    first = await turn.resume(question.id)
    await scene.gate.pause(ADA)
    watching = asyncio.create_task(turn.watch(question.id, 600))
    while_paused = await turn.resume(question.id)
    await allow_time_for_errors()
    was_waiting = not watching.done()
    await scene.gate.resume(ADA)
    await asyncio.wait_for(watching, 60)

    assert isinstance(first, Run)
    assert (isinstance(while_paused, Wait), was_waiting) == (True, True)
    assert distinct_claims([first, await turn.resume(question.id)]) == {first.claim}
