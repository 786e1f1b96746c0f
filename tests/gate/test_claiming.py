"""A caller that repeats its request with the same nonce gets the same claim, even while its first request runs."""

import asyncio
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from assent.engine.base.tool import Call
from assent.engine.policy.snapshot import Tier
from assent.gate.approval import Approval, State
from assent.gate.calls import Code, Outcome, Refuse, Run, Wait
from assent.gate.turn import Turn
from tests.gate.conftest import EVERY_STORE, harness_on_store
from tests.gate.samples import ADA
from tests.gate.scene import ONCE, PUT, SEND, GateHarness, ask_person
from tests.waiting import allow_time_for_errors

NONCE = "b7c1f0e2a94d4d21"
OTHER_NONCE = "0d1e9b3c5a7f4e68"
SAVE = Call(tool="note.save", args={"path": "todo.md", "content": "B\n"}, id="save")


@pytest.fixture(params=EVERY_STORE)
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return harness_on_store(request, tmp_path)


def synchronize_claims(harness: GateHarness, parties: int) -> None:
    """Make requests concurrent: all of them read the approval before one of them claims it."""
    locate, arrived, everybody = harness.workspace.locate, 0, asyncio.Event()

    async def wait_until_all_locate(*given: object) -> object:
        nonlocal arrived
        arrived += 1
        if arrived == parties:
            everybody.set()
        await everybody.wait()
        return await locate(*given)  # type: ignore[arg-type]

    harness.workspace.locate = wait_until_all_locate  # type: ignore[method-assign,assignment]


async def ask_and_approve(harness: GateHarness, turn: Turn) -> Approval:
    question = await ask_person(turn, PUT)
    await harness.answer(question, ONCE)
    return question


def distinct_claims(outcomes: list[Outcome]) -> set[str]:
    return {one.claim for one in outcomes if isinstance(one, Run)}


@pytest.mark.proves("R-36")
async def test_concurrent_requests_with_one_nonce_get_the_same_claim(harness: GateHarness) -> None:
    turn = (await harness.turn()).with_nonce(NONCE)
    question = await ask_and_approve(harness, turn)
    synchronize_claims(harness, 2)

    outcomes = await asyncio.gather(*(turn.resume(question.id) for _ in range(2)))

    assert [type(one) for one in outcomes] == [Run, Run]
    assert len(distinct_claims([*outcomes])) == 1


@pytest.mark.proves("R-36")
async def test_a_submit_and_a_wait_with_one_nonce_get_the_same_claim(harness: GateHarness) -> None:
    turn = (await harness.turn()).with_nonce(NONCE)
    question = await ask_and_approve(harness, turn)
    synchronize_claims(harness, 2)

    outcomes = await asyncio.gather(turn.resume(question.id), turn.submit(PUT))

    assert [type(one) for one in outcomes] == [Run, Run]
    assert len(distinct_claims([*outcomes])) == 1


@pytest.mark.proves("R-36", "R-2", "T-3")
@pytest.mark.parametrize("nonce", [OTHER_NONCE, ""])
async def test_of_concurrent_requests_with_different_nonces_one_runs_the_call(
    harness: GateHarness, nonce: str
) -> None:
    turn = await harness.turn()
    question = await ask_and_approve(harness, turn)
    synchronize_claims(harness, 2)

    outcomes = await asyncio.gather(
        *(turn.with_nonce(one).resume(question.id) for one in (NONCE, nonce)),
    )

    assert sorted(type(one).__name__ for one in outcomes) == ["Refuse", "Run"]
    (refused,) = [one for one in outcomes if isinstance(one, Refuse)]
    assert refused.code is Code.ALREADY_RUN


@pytest.mark.proves("R-36")
async def test_concurrent_requests_with_one_nonce_get_the_same_claim_after_a_pause(
    harness: GateHarness,
) -> None:
    turn = (await harness.turn(mode="auto")).with_nonce(NONCE)
    await harness.gate.pause(ADA)
    question = await ask_person(turn, PUT)
    await harness.gate.resume(ADA)
    synchronize_claims(harness, 2)

    outcomes = await asyncio.gather(*(turn.resume(question.id) for _ in range(2)))

    assert [type(one) for one in outcomes] == [Run, Run]
    assert len(distinct_claims([*outcomes])) == 1


async def test_an_answer_that_arrives_while_a_call_continues_after_a_pause_is_used(
    harness: GateHarness,
) -> None:
    turn = await harness.turn(mode="auto")
    await harness.gate.pause(ADA)
    question = await ask_person(turn, PUT)
    await harness.gate.resume(ADA)
    locate = harness.workspace.locate
    said: list[Approval] = []

    async def answer_while_locating(*given: object) -> object:
        """The approval was read before this call of `locate`; the person answers before the caller continues."""
        if not said:
            said.append(await harness.answer(question, ONCE))
        return await locate(*given)  # type: ignore[arg-type]

    harness.workspace.locate = answer_while_locating  # type: ignore[method-assign,assignment]

    outcome = await turn.resume(question.id)

    assert said
    assert isinstance(outcome, Run)
    assert (await harness.store.approval(question.id)).state is State.RUNNING


async def test_a_call_that_is_released_during_its_second_decision_is_claimed(harness: GateHarness) -> None:
    turn = await harness.turn("tiers")
    await harness.gate.pause(ADA)
    question = await ask_person(turn, SEND)
    await harness.store.resume("ada")
    locate = harness.workspace.locate
    released: list[str] = []

    async def release_while_locating(*given: object) -> object:
        """The pause ends before the caller continues; its end releases the calls that it delayed."""
        if not released:
            released.append("now")
            await harness.gate.resume(ADA)
        return await locate(*given)  # type: ignore[arg-type]

    harness.workspace.locate = release_while_locating  # type: ignore[method-assign,assignment]

    outcome = await turn.resume(question.id)

    assert released
    assert isinstance(outcome, Run)
    assert (await harness.store.approval(question.id)).state is State.RUNNING


@pytest.mark.proves("R-36")
async def test_a_late_duplicate_request_does_not_prevent_the_report_of_a_call_that_ran(
    harness: GateHarness,
) -> None:
    harness.workspace.files["/project/todo.md"] = "a\n"
    turn = (await harness.turn()).with_nonce(NONCE)
    question = await ask_person(turn, SAVE)
    await harness.answer(question, ONCE)
    run = await turn.resume(question.id)
    assert isinstance(run, Run)
    # The caller runs the call, which changes the file, before its first request returns.
    harness.workspace.files["/project/todo.md"] = "B\n"

    late = await turn.resume(question.id)
    between = await harness.store.approval(question.id)
    done = await harness.gate.report(question.id, run.claim, failed=False, note="saved")

    assert isinstance(late, Refuse)
    assert (between.state, between.note) == (
        State.UNKNOWN,
        "not handed out again (the file has changed since it was shown): check whether it ran",
    )
    assert (done.state, done.note) == (State.DONE, "saved")


async def test_a_call_that_is_blocked_during_two_concurrent_requests_runs_for_neither(
    harness: GateHarness,
) -> None:
    turn = (await harness.turn()).with_nonce(NONCE)
    question = await ask_and_approve(harness, turn)
    await harness.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})

    outcomes = await asyncio.gather(*(turn.resume(question.id) for _ in range(2)))

    assert [type(one) for one in outcomes] == [Refuse, Refuse]
    assert (await harness.store.approval(question.id)).state is State.REFUSED


async def test_a_caller_that_repeats_its_claim_during_a_pause_waits_for_its_end(harness: GateHarness) -> None:
    turn = (await harness.turn()).with_nonce(NONCE)
    question = await ask_and_approve(harness, turn)
    first = await turn.resume(question.id)
    await harness.gate.pause(ADA)
    watching = asyncio.create_task(turn.watch(question.id, 600))
    while_paused = await turn.resume(question.id)
    await allow_time_for_errors()
    was_waiting = not watching.done()
    await harness.gate.resume(ADA)
    await asyncio.wait_for(watching, 60)

    assert isinstance(first, Run)
    assert (isinstance(while_paused, Wait), was_waiting) == (True, True)
    assert distinct_claims([first, await turn.resume(question.id)]) == {first.claim}
