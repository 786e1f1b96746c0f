"""A remote caller continues its turn on any pod: only for its own calls, and without additional rights."""

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
from assent.stores.sqlite.database import open_sqlite
from tests.gate.samples import ADA, ANA, BEN, CHRIS, CLERK, ROBOT, VERA
from tests.gate.scene import DENY, ONCE, PUT, GateHarness, ask_person, open_harness
from tests.stores.promises.given import SetClock
from tests.waiting import allow_time_for_errors, wait_for_waiting_callers

REMOTE_OPTIONS = TurnOptions(claimed=True)


@pytest.fixture(params=["memory", "sqlite"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return open_harness(request.param, tmp_path)


async def test_the_caller_of_a_call_can_rejoin_its_turn_and_claim_it_once(harness: GateHarness) -> None:
    question = await ask_person(await harness.turn(), PUT)
    turn = await harness.gate.rejoin(CLERK, question.id)
    waiting = await turn.resume(question.id)
    await harness.answer(question, ONCE)
    taken = await turn.resume(question.id)
    again = await (await harness.gate.rejoin(CLERK, question.id)).resume(question.id)

    assert (turn.id, turn.context.principal) == (question.turn, CLERK)
    assert isinstance(waiting, Wait)
    assert isinstance(taken, Run)
    assert isinstance(again, Refuse)


@pytest.mark.proves("T-5", "T-38")
@pytest.mark.parametrize("who", [BEN, CHRIS, VERA, ADA])
async def test_other_principals_cannot_rejoin_the_turn(harness: GateHarness, who: Principal) -> None:
    question = await ask_person(await harness.turn(), PUT)
    await harness.answer(question, ONCE)
    with pytest.raises(NotFoundError):
        await harness.gate.rejoin(who, question.id)

    assert (await harness.store.approval(question.id)).state is State.APPROVED


@pytest.mark.proves("T-31")
async def test_the_turn_of_a_sub_agent_cannot_be_rejoined(harness: GateHarness) -> None:
    parent = await harness.turn()
    child = await harness.turn(agent="helper", parent=parent)
    question = await ask_person(child, PUT)
    with pytest.raises(ConflictError, match="sub-agent"):
        await harness.gate.rejoin(ANA, question.id)

    assert (await harness.store.approval(question.id)).state is State.PENDING


@pytest.mark.proves("R001-10")
async def test_a_rejoined_turn_keeps_its_mode(harness: GateHarness) -> None:
    question = await ask_person(await harness.turn(), PUT)
    await harness.gate.conversations.change(ANA, "c1", ConversationChanges(mode="auto"))
    turn = await harness.gate.rejoin(CLERK, question.id)

    assert turn.context.mode is Mode.DEFAULT
    assert isinstance(await turn.resume(question.id), Wait)


async def test_a_watch_ends_with_the_answer_and_claims_nothing(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUT)
    watching = asyncio.create_task(turn.watch(question.id, 600))
    await wait_for_waiting_callers(harness.store)
    await harness.answer(question, ONCE)
    await asyncio.wait_for(watching, 60)

    assert (await harness.store.approval(question.id)).state is State.APPROVED


async def test_a_watch_that_times_out_or_is_cancelled_withdraws_nothing(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUT)
    await turn.watch(question.id, 0.01)
    watching = asyncio.create_task(turn.watch(question.id, 600))
    await wait_for_waiting_callers(harness.store)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)

    assert (await harness.store.approval(question.id)).state is State.PENDING


async def test_a_watch_ends_when_the_approval_expires(harness: GateHarness) -> None:
    turn = await harness.turn("workbench", conversation="wb")
    question = await ask_person(turn, PUT)
    harness.clock.advance(timedelta(seconds=301))
    await asyncio.wait_for(turn.watch(question.id, 600), 60)

    assert (await harness.store.approval(question.id)).state is State.EXPIRED


async def test_a_watch_during_a_pause_ends_with_the_pause(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUT)
    await harness.gate.pause(ADA)
    await harness.answer(question, ONCE)
    held = await turn.resume(question.id)
    watching = asyncio.create_task(turn.watch(question.id, 600))
    await allow_time_for_errors()
    still = watching.done()
    await harness.gate.resume(ADA)
    await asyncio.wait_for(watching, 60)

    assert (isinstance(held, Wait), still) == (True, False)
    assert isinstance(await turn.resume(question.id), Run)


async def test_a_watch_of_a_paused_call_ends_with_the_pause_or_an_answer(harness: GateHarness) -> None:
    await harness.gate.pause(ADA)
    turn = await harness.turn(mode="auto")
    question = await ask_person(turn, PUT)
    watching = asyncio.create_task(turn.watch(question.id, 600))
    await wait_for_waiting_callers(harness.store)
    await harness.answer(question, DENY)
    await asyncio.wait_for(watching, 60)

    assert isinstance(await turn.resume(question.id), Refuse)


async def test_the_approval_of_another_person_cannot_be_watched(harness: GateHarness) -> None:
    question = await ask_person(await harness.turn(), PUT)
    other = await harness.turn(conversation="c2")
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
async def test_a_mode_that_a_remote_agent_claims_can_only_narrow(
    harness: GateHarness, conversation: str, claimed: str | None, mode: Mode, who: Principal
) -> None:
    await harness.turn()
    await harness.gate.conversations.change(ANA, "c1", ConversationChanges(mode=conversation))
    opening = REMOTE_OPTIONS._replace(mode=claimed)
    turn = await harness.gate.begin(who, conversation="c1", agent="clerk", options=opening)

    assert turn.context.mode is mode


@pytest.mark.proves("T-29")
async def test_a_remote_agent_cannot_choose_the_preset(harness: GateHarness) -> None:
    with pytest.raises(ForbiddenError):
        await harness.gate.begin(
            CLERK, conversation="c7", agent="clerk", options=REMOTE_OPTIONS._replace(preset="tiers")
        )

    assert await harness.store.conversation("c7") is None


@pytest.mark.proves("T-18")
async def test_a_remote_agent_cannot_use_the_conversation_of_another_agent(harness: GateHarness) -> None:
    await harness.turn(agent="helper", conversation="c8", mode="auto")
    turn = await harness.gate.begin(CLERK, conversation="c8", agent="clerk", options=REMOTE_OPTIONS)

    assert turn.context.conversation.id != "c8"
    assert (turn.context.conversation.agent, turn.context.mode) == ("clerk", Mode.DEFAULT)


@pytest.mark.proves("R-1")
async def test_a_repeated_call_belongs_to_the_process_that_it_reached(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    first = GateHarness(await open_sqlite(address), SetClock())
    async with first.gate:
        asked = await ask_person(await first.turn(), PUT)
    second = GateHarness(await open_sqlite(address), SetClock())
    async with second.gate:
        again = await ask_person(await second.turn(), PUT)
        stored = await second.store.approval(asked.id)

        assert (again.id, stored.boot) == (asked.id, second.store.boot)
