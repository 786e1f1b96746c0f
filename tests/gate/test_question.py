"""A question gets its times from the store, has limits, and is allowed with others of its kind only."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.errors import InputError
from assent.gate.approval import Approval, State
from assent.gate.calls import TurnContext
from assent.gate.lease import Lease
from assent.gate.policy import Moment
from assent.gate.preset import Delivery
from assent.gate.question import (
    DEFAULT_PENDING_BYTES,
    DENIAL_LIFETIME,
    Limits,
    PendingBytes,
    check_can_batch,
    check_same_kind,
    limits_for_turn,
    new_question,
    over_budget_reason,
    with_store_times,
)
from tests.gate.samples import ANA, CLERK, DECISION, NOW, sample_approval
from tests.gate.scene import PUT, GateHarness

MAX_BYTES = PendingBytes(agent=400, user=900, server=2_000)
ASKS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(1, 300)), max_size=60)
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


@given(ASKS)
def test_no_agent_or_user_can_use_up_a_shared_budget(asks: list[tuple[int, int, int]]) -> None:
    held: dict[tuple[int, int], int] = {}
    for user, agent, size in asks:
        now = PendingBytes(
            held.get((user, agent), 0),
            sum(size for (owner, _), size in held.items() if owner == user),
            sum(held.values()),
        )
        if over_budget_reason(sample_approval(), size, now, MAX_BYTES) is None:
            held[user, agent] = held.get((user, agent), 0) + size

        assert held.get((user, agent), 0) <= MAX_BYTES.agent
        assert sum(size for (owner, _), size in held.items() if owner == user) < MAX_BYTES.user
        assert sum(held.values()) < MAX_BYTES.server


def test_the_largest_call_fits_if_little_is_pending() -> None:
    assert over_budget_reason(sample_approval(), 10_000_000, PendingBytes(), DEFAULT_PENDING_BYTES) is None


def test_the_message_names_the_agent_or_user_the_bytes_and_the_remedy() -> None:
    why = over_budget_reason(
        sample_approval(), 10_000_000, PendingBytes(30_000_000, 30_000_000, 30_000_000), DEFAULT_PENDING_BYTES
    )

    assert why == (
        "agent `clerk` has 30.0 MB of open questions, and this one has 10.0 MB,"
        " more than the 32.0 MB allowed; wait until some are answered"
    )


@pytest.mark.proves("T-49")
def test_only_calls_of_one_kind_can_be_allowed_together() -> None:
    check_same_kind([_with_batch_key("a"), _with_batch_key("a"), _with_batch_key("")])
    with pytest.raises(InputError, match="of one kind"):
        check_same_kind([_with_batch_key("a"), _with_batch_key("b")])


@pytest.mark.proves("T-49")
def test_a_call_without_a_batch_key_must_be_answered_alone() -> None:
    check_can_batch(_with_batch_key("a"))
    with pytest.raises(InputError, match="alone"):
        check_can_batch(_with_batch_key(""))


def _with_batch_key(key: str) -> Approval:
    return sample_approval(decision=DECISION._replace(batch_key=key))


async def _turn_context(harness: GateHarness) -> TurnContext:
    return (await harness.turn()).context
