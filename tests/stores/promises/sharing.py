"""Tests of closing a store, and of opening the same data twice."""

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
from tests.gate.samples import make_question, sample_grant
from tests.stores.promises.given import (
    ALL_APPROVALS,
    HOUR,
    MANY,
    POLICY_KEY,
    Opening,
    SetClock,
    StorePromises,
    answer_change,
    claim_change,
    list_all_links,
    sample_entry,
    sample_rule,
)
from tests.waiting import wait_for_waiting_callers


class SharingPromises(StorePromises):
    """Tests of closing a store, and of opening the same data twice."""

    # ---- the end ---------------------------------------------------------------------------------

    async def test_closing_the_store_wakes_waiting_callers_with_an_error(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        waiting = [asyncio.create_task(store.wait_for_answer("q1")) for _ in range(3)]
        await wait_for_waiting_callers(store)

        await store.close()

        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(result) for result in results] == [StoreError] * 3

    async def test_a_closed_store_refuses_every_operation(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        await store.close()
        attempts = [
            lambda: store.stored_policy(POLICY_KEY),
            store.moment,
            lambda: store.add_approval("q2", make_question("q2"), MANY),
            lambda: store.change_approval("q1", answer_change()),
            lambda: store.approval("q1"),
            lambda: store.approvals(ALL_APPROVALS),
            lambda: store.wait_for_answer("q1"),
            lambda: store.set_tiers([]),
            store.tiers,
            lambda: store.add_policy([sample_grant()]),
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

    async def test_another_process_sees_stored_data(self, store: Store, other: Store) -> None:
        asked = await store.add_approval("q1", make_question(boot=store.boot), MANY)
        await store.add_policy([sample_grant()], [sample_rule()])
        await store.save_conversation(Conversation(id="c1", owner="ana", preset="assent"))
        store.record(sample_entry(1))
        await store.flush_audit()
        other.record(sample_entry(2))
        await other.flush_audit()

        assert store.boot != other.boot
        assert store.secret == other.secret
        assert await other.approval("q1") == asked
        mine, theirs = await store.stored_policy(POLICY_KEY), await other.stored_policy(POLICY_KEY)
        assert replace(mine, at=theirs.at) == theirs
        assert {link.writer for link in await list_all_links(other)} == {store.boot, other.boot}

    async def test_an_answer_in_another_process_wakes_a_waiting_caller(
        self, store: Store, other: Store
    ) -> None:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        waiting = asyncio.create_task(store.wait_for_answer("q1"))
        await wait_for_waiting_callers(store)

        await other.change_approval("q1", answer_change())

        assert (await asyncio.wait_for(waiting, 60)).state is State.APPROVED

    async def test_a_revocation_by_another_process_takes_effect_immediately(
        self, store: Store, other: Store
    ) -> None:
        await store.add_policy([sample_grant()])
        before = (await store.moment()).version

        await other.revoke("g1", by="ada")

        assert (await store.moment()).version > before
        assert list((await store.stored_policy(POLICY_KEY)).grants) == []

    @pytest.mark.proves("R-5")
    async def test_only_one_of_two_processes_claims_a_call_or_uses_a_grant(
        self, store: Store, other: Store
    ) -> None:
        await store.add_approval("q1", make_question(delivery=Delivery.SUSPEND), MANY)
        await store.change_approval("q1", answer_change())
        await store.add_policy([sample_grant(lifetime=Lifetime.USES, uses=3)])

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

    async def test_all_data_is_kept_when_a_store_is_closed_and_opened_again(
        self, opening: Opening, clock: SetClock
    ) -> None:
        if not self.shared:
            pytest.skip("it ends with its process")
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(opening(clock))
            asked = await store.add_approval("q1", make_question(delivery=Delivery.SUSPEND), MANY)
            await store.add_policy([sample_grant()], [sample_rule()])
            current = await store.stored_policy(POLICY_KEY)
            store.record(sample_entry())

        async with opening(clock) as again:
            assert again.boot != store.boot
            assert await again.approval("q1") == asked
            reread = await again.stored_policy(POLICY_KEY)
            assert replace(reread, at=current.at) == current
            assert [link.entry for link in await list_all_links(again)] == [sample_entry()]
            assert (await again.change_approval("q1", answer_change())).state is State.APPROVED
