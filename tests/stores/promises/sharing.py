"""Closing tells everybody; opening again, or twice, shows the same."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest

from assent.errors import StoreError
from assent.gate.approval import (
    Approval,
    State,
)
from assent.gate.conversation import Conversation
from assent.gate.preset import Delivery, Lifetime
from assent.gate.store import Store
from tests.gate.samples import a_grant, make_question
from tests.stores.promises.given import (
    ABOUT,
    ANYTHING,
    HOUR,
    MANY,
    GivenStore,
    Opening,
    SetClock,
    a_rule,
    an_entry,
    answer_change,
    claim_change,
    every_link,
)
from tests.waiting import wait_for_waiting_callers


class Sharing(GivenStore):
    """Closing tells everybody; opening again, or twice, shows the same."""

    # ---- the end ---------------------------------------------------------------------------------

    async def test_closing_wakes_whoever_waits_with_an_error(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        waiting = [asyncio.create_task(store.wait_for_answer("q1")) for _ in range(3)]
        await wait_for_waiting_callers(store)

        await store.close()

        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(result) for result in results] == [StoreError] * 3

    async def test_a_closed_store_does_nothing_and_says_so(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        await store.close()
        attempts = [
            lambda: store.stored_policy(ABOUT),
            store.moment,
            lambda: store.add_approval("q2", make_question("q2"), MANY),
            lambda: store.change_approval("q1", answer_change()),
            lambda: store.approval("q1"),
            lambda: store.approvals(ANYTHING),
            lambda: store.wait_for_answer("q1"),
            lambda: store.set_tiers([]),
            store.tiers,
            lambda: store.add_policy([a_grant()]),
            lambda: store.revoke("g1", by="ana"),
            store.grants,
            store.rules,
            lambda: store.use_grants(["g1"]),
            lambda: store.pin_definitions([]),
            lambda: store.save_conversation(Conversation(id="c1", owner="ana", preset="assent")),
            lambda: store.conversation("c1"),
            store.audit,
            store.record_heartbeat,
            store.check_writable,
            lambda: store.sweep(HOUR),
        ]

        for attempt in attempts:
            with pytest.raises(StoreError):
                await attempt()
        await store.flush_audit()
        await store.close()

    # ---- opened twice ----------------------------------------------------------------------------

    async def test_what_one_keeps_the_other_sees(self, store: Store, other: Store) -> None:
        asked = await store.add_approval("q1", make_question(boot=store.boot), MANY)
        await store.add_policy([a_grant()], [a_rule()])
        await store.save_conversation(Conversation(id="c1", owner="ana", preset="assent"))
        store.record(an_entry(1))
        await store.flush_audit()
        other.record(an_entry(2))
        await other.flush_audit()

        assert store.boot != other.boot
        assert store.secret == other.secret
        assert await other.approval("q1") == asked
        mine, theirs = await store.stored_policy(ABOUT), await other.stored_policy(ABOUT)
        assert replace(mine, at=theirs.at) == theirs
        assert {link.writer for link in await every_link(other)} == {store.boot, other.boot}

    async def test_an_answer_given_to_the_other_wakes_whoever_waits(self, store: Store, other: Store) -> None:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))
        await wait_for_waiting_callers(store)

        await other.change_approval("q1", answer_change())

        assert (await asyncio.wait_for(waiting, 60)).state is State.APPROVED

    async def test_what_the_other_revokes_is_gone_here_at_once(self, store: Store, other: Store) -> None:
        await store.add_policy([a_grant()])
        before = (await store.moment()).version

        await other.revoke("g1", by="ada")

        assert (await store.moment()).version > before
        assert list((await store.stored_policy(ABOUT)).grants) == []

    @pytest.mark.proves("R-5")
    async def test_only_one_of_two_takes_a_call_or_uses_a_grant(self, store: Store, other: Store) -> None:
        await store.add_approval("q1", make_question(delivery=Delivery.SUSPEND), MANY)
        await store.change_approval("q1", answer_change())
        await store.add_policy([a_grant(lifetime=Lifetime.USES, uses=3)])

        taken = await asyncio.gather(
            *(
                one.change_approval("q1", claim_change(f"{one.boot}-{n}", one.boot))
                for n in range(5)
                for one in (store, other)
            ),
            return_exceptions=True,
        )
        used = await asyncio.gather(*(one.use_grants(["g1"]) for _ in range(5) for one in (store, other)))

        assert sum(isinstance(one, Approval) for one in taken) == 1
        assert sum(used) == 3

    async def test_nothing_is_lost_when_it_is_closed_and_opened_again(
        self, opening: Opening, clock: SetClock
    ) -> None:
        if not self.shared:
            pytest.skip("it ends with its process")
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(opening(clock))
            asked = await store.add_approval("q1", make_question(delivery=Delivery.SUSPEND), MANY)
            await store.add_policy([a_grant()], [a_rule()])
            current = await store.stored_policy(ABOUT)
            store.record(an_entry())

        async with opening(clock) as again:
            assert again.boot != store.boot
            assert await again.approval("q1") == asked
            reread = await again.stored_policy(ABOUT)
            assert replace(reread, at=current.at) == current
            assert [link.entry for link in await every_link(again)] == [an_entry()]
            assert (await again.change_approval("q1", answer_change())).state is State.APPROVED
