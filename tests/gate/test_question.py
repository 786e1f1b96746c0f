"""A question gets its times from the store, and agents get longer limits for denials than people."""

from dataclasses import replace
from datetime import timedelta

from assent.gate.approval import State
from assent.gate.calls import TurnContext
from assent.gate.lease import Lease
from assent.gate.policy import Moment
from assent.gate.ports import Limits
from assent.gate.preset import Delivery
from assent.gate.question import DENIAL_LIFETIME, limits_for_turn, new_question, with_store_times
from tests.gate.samples import ANA, CLERK, NOW
from tests.gate.scene import PUT, GateHarness

LATER = Moment(NOW + timedelta(hours=1), 1)
MINUTE = timedelta(minutes=1)


async def test_a_question_is_pending_and_names_its_turn(memory_harness: GateHarness) -> None:
    context = await _turn_context(memory_harness)
    decided = await memory_harness.gate.decide(ANA, replace(PUT, agent="clerk", conversation="c1"))
    asked = new_question("q1", context, decided, boot="boot-1")

    assert (asked.id, asked.state, asked.turn, asked.boot) == ("q1", State.PENDING, context.turn_id, "boot-1")
    assert (asked.owner, asked.call_digest, asked.lineage) == ("ana", decided.call_digest, ())


async def test_times_come_from_the_store(memory_harness: GateHarness) -> None:
    context = replace(await _turn_context(memory_harness), lease=MINUTE)
    decided = await memory_harness.gate.decide(ANA, replace(PUT, agent="clerk", conversation="c1"))
    asked = new_question("q1", context, decided, boot="")
    waiting = with_store_times(asked, context, LATER)
    suspended = with_store_times(replace(asked, delivery=Delivery.SUSPEND), context, LATER)

    assert (waiting.asked_at, waiting.lease) == (LATER.at, Lease(MINUTE, LATER.at + MINUTE))
    assert suspended.lease is None


async def test_denials_of_agents_count_longer_than_those_of_people(memory_harness: GateHarness) -> None:
    context = await _turn_context(memory_harness)
    limits = Limits()

    assert limits_for_turn(limits, context) is limits
    assert limits_for_turn(limits, replace(context, principal=CLERK)).denial_window == DENIAL_LIFETIME


async def _turn_context(harness: GateHarness) -> TurnContext:
    return (await harness.turn()).context
