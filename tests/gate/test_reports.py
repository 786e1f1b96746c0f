"""A result is reported by the id of its call, from any process of the agent that made the call."""

import asyncio

import pytest

from assent.errors import NotFoundError, StateError
from assent.gate.access import Kind, Principal
from assent.gate.approval import Approval, State
from assent.gate.calls import Run, TurnTarget
from assent.gate.gate import TurnOptions
from tests.gate.samples import ADA, ANA, BEN, CHRIS, CLERK, ROBOT, VERA
from tests.gate.scene import ONCE, PUT, READ, GateHarness, ask_person

REMOTE = TurnOptions(claimed=True)
TARGET = TurnTarget("c1", "clerk")
BENS_CLERK = Principal(id="clerk", kind=Kind.AGENT, on_behalf="ben")
HELPER = Principal(id="helper", kind=Kind.AGENT, on_behalf="ana")


async def claim_call(harness: GateHarness, principal: Principal = CLERK) -> Approval:
    turn = await harness.gate.begin(principal, conversation="c1", agent="clerk", options=REMOTE)
    asked = await ask_person(turn, PUT)
    await harness.answer(asked, ONCE)
    assert isinstance(await turn.resume(asked.id), Run)
    return asked


@pytest.mark.parametrize("who", [CLERK, ANA, ROBOT])
@pytest.mark.parametrize(("failed", "state"), [(False, State.DONE), (True, State.FAILED)])
async def test_a_call_is_reported_without_its_claim(
    harness: GateHarness, who: Principal, *, failed: bool, state: State
) -> None:
    asked = await claim_call(harness)
    done = await harness.gate.report_call(who, TARGET, PUT.id, failed=failed, note="said so")

    assert (done.id, done.state, done.note) == (asked.id, state, "said so")


async def test_a_repeated_report_changes_nothing_and_another_result_is_refused(harness: GateHarness) -> None:
    await claim_call(harness)
    first, second = await asyncio.gather(
        *(harness.gate.report_call(CLERK, TARGET, PUT.id, note="one") for _ in range(2))
    )
    third = await harness.gate.report_call(CLERK, TARGET, PUT.id, note="two")
    with pytest.raises(StateError):
        await harness.gate.report_call(CLERK, TARGET, PUT.id, failed=True)

    assert first == second == third
    executed = [one for one in await harness.entries() if one["decision"] == "executed"]
    assert len(executed) == 1


@pytest.mark.proves("T-5")
@pytest.mark.parametrize("who", [BEN, CHRIS, VERA, ADA, HELPER, BENS_CLERK])
async def test_the_call_of_another_agent_or_person_does_not_exist(
    harness: GateHarness, who: Principal
) -> None:
    asked = await claim_call(harness)
    for target in (TARGET, TurnTarget("c1", "helper"), TurnTarget("c2", "clerk")):
        with pytest.raises(NotFoundError):
            await harness.gate.report_call(who, target, PUT.id)

    assert (await harness.store.approval(asked.id)).state is State.RUNNING


async def test_a_call_that_nobody_was_asked_about_does_not_exist(harness: GateHarness) -> None:
    turn = await harness.gate.begin(CLERK, conversation="c1", agent="clerk", options=REMOTE)
    assert isinstance(await turn.submit(READ), Run)
    for call in (READ.id, "other", ""):
        with pytest.raises(NotFoundError):
            await harness.gate.report_call(CLERK, TARGET, call)


@pytest.mark.parametrize("answered", [False, True])
async def test_a_call_that_was_not_claimed_cannot_be_reported(
    harness: GateHarness, *, answered: bool
) -> None:
    turn = await harness.gate.begin(CLERK, conversation="c1", agent="clerk", options=REMOTE)
    asked = await ask_person(turn, PUT)
    if answered:
        await harness.answer(asked, ONCE)
    with pytest.raises(StateError):
        await harness.gate.report_call(CLERK, TARGET, PUT.id)

    assert (await harness.store.approval(asked.id)).state.is_before_run


async def test_a_call_in_a_private_conversation_of_the_agent_is_found(harness: GateHarness) -> None:
    """Another person owns a conversation of this name, so the agent's calls have a private one."""
    await harness.turn(conversation="c1", principal=BEN, agent="other")
    asked = await claim_call(harness)
    done = await harness.gate.report_call(CLERK, TARGET, PUT.id)

    assert asked.call.conversation != "c1"
    assert (done.id, done.state) == (asked.id, State.DONE)
