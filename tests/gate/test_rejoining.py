"""A caller far away comes back for the answer: on any pod, for its own calls, and without trust of its own."""

import asyncio
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from pathlib import Path

import pytest

from assent.engine.policy.modes import Mode
from assent.errors import ConflictError, ForbiddenError, NotFoundError
from assent.gate.access import Principal
from assent.gate.approval import State
from assent.gate.calls import Refuse, Run, Wait
from assent.gate.conversations import ConversationChanges
from assent.gate.gate import TurnOptions
from tests.gate.samples import ADA, ANA, BEN, CHRIS, CLERK, ROBOT, VERA
from tests.gate.scene import DENY, ONCE, PUT, Scene, a_scene, ask_person
from tests.waiting import allow_time_for_errors, wait_for_waiting_callers

CLAIMED = TurnOptions(claimed=True)


@pytest.fixture(params=["memory", "sqlite"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    return a_scene(request.param, tmp_path)


async def test_whoever_made_a_call_comes_back_for_it_and_takes_it_once(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUT)
    turn = await scene.gate.rejoin(CLERK, question.id)
    waiting = await turn.resume(question.id)
    await scene.answer(question, ONCE)
    taken = await turn.resume(question.id)
    again = await (await scene.gate.rejoin(CLERK, question.id)).resume(question.id)

    assert (turn.id, turn.context.principal) == (question.turn, CLERK)
    assert isinstance(waiting, Wait)
    assert isinstance(taken, Run)
    assert isinstance(again, Refuse)


@pytest.mark.proves("T-5", "T-38")
@pytest.mark.parametrize("who", [BEN, CHRIS, VERA, ADA])
async def test_nobody_else_comes_back_for_it(scene: Scene, who: Principal) -> None:
    question = await ask_person(await scene.turn(), PUT)
    await scene.answer(question, ONCE)
    with pytest.raises(NotFoundError):
        await scene.gate.rejoin(who, question.id)

    assert (await scene.store.approval(question.id)).state is State.APPROVED


@pytest.mark.proves("T-31")
async def test_a_sub_agents_call_goes_on_where_its_parent_is_known(scene: Scene) -> None:
    parent = await scene.turn()
    child = await scene.turn(agent="helper", parent=parent)
    question = await ask_person(child, PUT)
    with pytest.raises(ConflictError, match="sub-agent"):
        await scene.gate.rejoin(ANA, question.id)

    assert (await scene.store.approval(question.id)).state is State.PENDING


@pytest.mark.proves("R001-10")
async def test_a_turn_that_is_rejoined_keeps_the_mode_it_began_in(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUT)
    await scene.gate.conversations.change(ANA, "c1", ConversationChanges(mode="auto"))
    turn = await scene.gate.rejoin(CLERK, question.id)

    assert turn.context.mode is Mode.DEFAULT
    assert isinstance(await turn.resume(question.id), Wait)


async def test_a_watch_ends_with_the_answer_and_takes_nothing(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUT)
    watching = asyncio.create_task(turn.watch(question.id, 600))
    await wait_for_waiting_callers(scene.store)
    await scene.answer(question, ONCE)
    await asyncio.wait_for(watching, 60)

    assert (await scene.store.approval(question.id)).state is State.APPROVED


async def test_a_watch_that_was_in_vain_or_broken_off_gives_nothing_up(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUT)
    await turn.watch(question.id, 0.01)
    watching = asyncio.create_task(turn.watch(question.id, 600))
    await wait_for_waiting_callers(scene.store)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)

    assert (await scene.store.approval(question.id)).state is State.PENDING


async def test_a_watch_ends_when_there_is_no_more_time_to_answer(scene: Scene) -> None:
    turn = await scene.turn("workbench", conversation="wb")
    question = await ask_person(turn, PUT)
    scene.clock.advance(timedelta(seconds=301))
    await asyncio.wait_for(turn.watch(question.id, 600), 60)

    assert (await scene.store.approval(question.id)).state is State.EXPIRED


async def test_a_watch_during_a_pause_ends_with_the_pause(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUT)
    await scene.gate.pause(ADA)
    await scene.answer(question, ONCE)
    held = await turn.resume(question.id)
    watching = asyncio.create_task(turn.watch(question.id, 600))
    await allow_time_for_errors()
    still = watching.done()
    await scene.gate.resume(ADA)
    await asyncio.wait_for(watching, 60)

    assert (isinstance(held, Wait), still) == (True, False)
    assert isinstance(await turn.resume(question.id), Run)


async def test_a_call_that_only_a_pause_holds_is_watched_until_its_end_or_an_answer(scene: Scene) -> None:
    await scene.gate.pause(ADA)
    turn = await scene.turn(mode="auto")
    question = await ask_person(turn, PUT)
    watching = asyncio.create_task(turn.watch(question.id, 600))
    await wait_for_waiting_callers(scene.store)
    await scene.answer(question, DENY)
    await asyncio.wait_for(watching, 60)

    assert isinstance(await turn.resume(question.id), Refuse)


async def test_somebody_elses_question_is_not_watched(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUT)
    other = await scene.turn(conversation="c2")
    with pytest.raises(NotFoundError):
        await other.watch(question.id, 1)


@pytest.mark.proves("T-29")
@pytest.mark.parametrize(
    ("conversation", "claimed", "mode"),
    [
        ("default", "auto", Mode.DEFAULT),
        ("default", "accept_edits", Mode.DEFAULT),
        ("default", "plan", Mode.PLAN),
        ("auto", "auto", Mode.AUTO),
        ("auto", "default", Mode.DEFAULT),
        ("auto", None, Mode.AUTO),
        ("plan", "auto", Mode.PLAN),
    ],
)
@pytest.mark.parametrize("who", [CLERK, ROBOT])
async def test_a_mode_that_is_only_claimed_narrows_and_never_widens(
    scene: Scene, conversation: str, claimed: str | None, mode: Mode, who: Principal
) -> None:
    await scene.turn()
    await scene.gate.conversations.change(ANA, "c1", ConversationChanges(mode=conversation))
    opening = CLAIMED._replace(mode=claimed)
    turn = await scene.gate.begin(who, conversation="c1", agent="clerk", options=opening)

    assert turn.context.mode is mode


@pytest.mark.proves("T-29")
async def test_a_preset_is_not_claimed(scene: Scene) -> None:
    with pytest.raises(ForbiddenError):
        await scene.gate.begin(
            CLERK, conversation="c7", agent="clerk", options=CLAIMED._replace(preset="tiers")
        )

    assert await scene.store.conversation("c7") is None


@pytest.mark.proves("T-18")
async def test_another_agents_conversation_is_not_claimed(scene: Scene) -> None:
    await scene.turn(agent="helper", conversation="c8", mode="auto")
    turn = await scene.gate.begin(CLERK, conversation="c8", agent="clerk", options=CLAIMED)

    assert turn.context.conversation.id != "c8"
    assert (turn.context.conversation.agent, turn.context.mode) == ("clerk", Mode.DEFAULT)
