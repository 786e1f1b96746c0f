"""Tests that every store keeps the lease of a caller, and withdraws its question after the lapse once."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from assent.gate.approval import Approval, State, renew_lease
from assent.gate.lease import Lease
from assent.gate.policy import Moment
from assent.gate.store import ChangeResult, MakeApproval, Store
from tests.gate.samples import sample_approval
from tests.stores.promises.given import HOUR, MANY, NO_GRACE, StorePromises, answer_change

LAPSED = timedelta(0)


def make_leased(id: str = "q1", *, lasts: timedelta = HOUR) -> MakeApproval:
    return lambda moment: sample_approval(id, asked_at=moment.at, lease=Lease(lasts, moment.at + lasts))


def lease_renewal(approval: Approval, moment: Moment) -> ChangeResult:
    return ChangeResult(renew_lease(approval, at=moment.at))


class LeasePromises(StorePromises):
    """Tests that every store keeps leases."""

    async def test_a_lease_is_stored_and_renewed(self, store: Store) -> None:
        asked = await store.add_approval("q1", make_leased(), MANY)
        renewed = await store.change_approval("q1", lease_renewal)

        assert asked.lease is not None
        assert renewed.lease is not None
        assert renewed.lease.until >= asked.lease.until
        assert (await store.approval("q1")).lease == renewed.lease
        assert (await store.excerpt("q1")).approval.lease == renewed.lease

    async def test_a_lapsed_question_is_withdrawn_by_one_sweep(self, store: Store) -> None:
        await store.add_approval("q1", make_leased(lasts=LAPSED), MANY)
        await store.add_approval("q2", make_leased("q2"), MANY)
        swept = await asyncio.gather(*(store.sweep(HOUR) for _ in range(4)))

        assert [one.id for ended in swept for one in ended] == ["q1"]
        assert (await store.approval("q1")).state is State.WITHDRAWN
        assert (await store.approval("q2")).state is State.PENDING

    async def test_an_approved_call_whose_lease_lapsed_is_withdrawn(self, store: Store) -> None:
        await store.add_approval("q1", make_leased(), MANY)
        await store.change_approval("q1", answer_change())
        await store.change_approval("q1", _end_lease)
        swept = await store.sweep(HOUR)

        assert [(one.id, one.state) for one in swept] == [("q1", State.WITHDRAWN)]

    async def test_a_lease_survives_the_process_that_asked(self, store: Store) -> None:
        await store.add_approval("q1", make_leased(), MANY)

        assert await store.sweep(NO_GRACE) == []
        assert (await store.approval("q1")).state is State.PENDING


def _end_lease(approval: Approval, moment: Moment) -> ChangeResult:
    return ChangeResult(replace(approval, lease=Lease(HOUR, moment.at)))
