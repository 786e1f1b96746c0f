"""Lists show large approvals as excerpts, and the bytes of pending approvals are limited."""

from dataclasses import replace

import pytest

from assent.errors import PendingBytesError
from assent.gate.approval import MAX_EXCERPT_BYTES, MAX_WHOLE_BYTES, State
from assent.gate.question import Limits, PendingBytes
from assent.gate.store import ApprovalFilter, MakeApproval, Store
from assent.wire.excerpt import excerpt_to_json, to_compact_json
from tests.gate.samples import CALL, NO, make_question
from tests.stores.promises.given import ALL_APPROVALS, HOUR, MANY, NO_GRACE, StorePromises, answer_change

LARGE_SIZE = 50_000
BYTE_LIMITS = Limits(pending=1000, bytes=PendingBytes(agent=100_000, user=300_000, server=900_000))


def large_question(
    id: str, *, size: int = LARGE_SIZE, agent: str = "clerk", **changes: object
) -> MakeApproval:
    """An approval whose arguments have `size` bytes."""
    text = f"first {'x' * (size - 100)} last"
    call = replace(CALL, args={"command": text}, agent=agent, id=id)
    return make_question(id, call=call, **changes)


async def fill_budget(store: Store, agent: str, limits: Limits, *, owner: str = "ana") -> str:
    """Ask for an agent until its budget is used up; return the error."""
    for number in range(100):
        id = f"{owner}.{agent}.{number}"
        try:
            await store.add_approval(id, large_question(id, agent=agent, owner=owner, size=9_000), limits)
        except PendingBytesError as error:
            return str(error)
    raise AssertionError(agent)


class BudgetPromises(StorePromises):
    """Tests of excerpts, and of limits on pending bytes."""

    @pytest.mark.proves("R-27", "T-2")
    async def test_a_list_shows_small_approvals_completely_and_large_ones_as_excerpts(
        self, store: Store
    ) -> None:
        await store.add_approval("q1", make_question("q1"), MANY)
        await store.add_approval("q2", large_question("q2", size=2_000_000), MANY)

        small, clipped = (await store.excerpts(ALL_APPROVALS)).excerpts
        text = str(clipped.approval.call.args["command"])

        assert (small.approval, small.clipped) == (await store.approval("q1"), False)
        assert small.size <= MAX_WHOLE_BYTES
        assert clipped.clipped
        assert clipped.size > 2_000_000 - 100
        assert (text[:6], text[-5:]) == ("first ", " last")
        assert len(to_compact_json(excerpt_to_json(clipped))) < MAX_EXCERPT_BYTES
        assert await store.excerpt("q2") == clipped

    async def test_an_excerpt_contains_the_state_of_its_approval(self, store: Store) -> None:
        await store.add_approval("q1", large_question("q1"), MANY)
        await store.change_approval("q1", answer_change())

        assert (await store.excerpts(ApprovalFilter(states=frozenset({State.PENDING})))).excerpts == ()
        assert (await store.excerpt("q1")).approval.state is State.APPROVED

    async def test_an_excerpt_contains_no_scrubbed_arguments(self, store: Store) -> None:
        await store.add_approval("q1", large_question("q1"), MANY)
        await store.change_approval("q1", answer_change(NO))
        await store.sweep(HOUR, keep=NO_GRACE)

        left = await store.excerpt("q1")

        assert (left.approval.state, left.approval.call.args, left.clipped) == (State.DENIED, {}, False)

    async def test_pages_of_excerpts_continue_each_other(self, store: Store) -> None:
        for number in range(5):
            await store.add_approval(f"q{number}", large_question(f"q{number}"), MANY)

        first = await store.excerpts(ALL_APPROVALS, limit=3)
        rest = await store.excerpts(ALL_APPROVALS, limit=3, after=first.after)

        found = [one.approval.id for one in (*first.excerpts, *rest.excerpts)]
        assert found == [f"q{number}" for number in range(5)]
        assert rest.after == ""

    @pytest.mark.proves("R-27")
    async def test_the_pending_bytes_of_an_agent_are_limited(self, store: Store) -> None:
        await store.add_approval("q1", large_question("q1"), BYTE_LIMITS)

        with pytest.raises(PendingBytesError, match=r"agent `clerk` has 0\.1 MB of open questions"):
            await store.add_approval("q2", large_question("q2"), BYTE_LIMITS)
        await store.change_approval("q1", answer_change())
        await store.add_approval("q2", large_question("q2"), BYTE_LIMITS)

    @pytest.mark.proves("R-27")
    async def test_an_agent_at_its_limit_does_not_use_up_the_bytes_of_another(self, store: Store) -> None:
        for number in range(8):
            await fill_budget(store, f"greedy-{number}", BYTE_LIMITS)

        await store.add_approval("q1", make_question("q1"), BYTE_LIMITS)

        assert (await store.approval("q1")).state is State.PENDING

    async def test_sub_agents_share_the_byte_limit_of_their_root_agent(self, store: Store) -> None:
        await store.add_approval("q1", large_question("q1"), BYTE_LIMITS)

        with pytest.raises(PendingBytesError, match="agent `clerk`"):
            await store.add_approval(
                "q2", large_question("q2", agent="helper", lineage=("scout", "clerk")), BYTE_LIMITS
            )
        await store.add_approval("q3", large_question("q3", agent="helper"), BYTE_LIMITS)

    async def test_a_user_at_the_limit_does_not_use_up_the_bytes_of_another(self, store: Store) -> None:
        limits = BYTE_LIMITS._replace(bytes=PendingBytes(agent=300_000, user=900_000, server=120_000))
        for user in ("ana", "ben"):
            assert f"user `{user}`" in await fill_budget(store, "clerk", limits, owner=user)

        await store.add_approval("q1", make_question("q1", owner="eve"), limits)

        assert (await store.approval("q1")).owner == "eve"
