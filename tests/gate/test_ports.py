"""Limits on pending bytes: no agent or user can use up the budget that all share."""

from hypothesis import given
from hypothesis import strategies as st

from assent.gate.ports import DEFAULT_PENDING_BYTES, PendingBytes, over_budget_reason
from tests.gate.samples import sample_approval

MAX_BYTES = PendingBytes(agent=400, user=900, server=2_000)
ASKS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(1, 300)), max_size=60)


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
