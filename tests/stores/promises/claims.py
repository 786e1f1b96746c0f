"""A caller finds its claim again by its nonce, until it reports the result."""

import pytest

from assent.errors import StateError
from assent.gate.approval import Approval, State, reclaim, report
from assent.gate.approval import claim as claim_approval
from assent.gate.policy import Moment
from assent.gate.store import ApprovalChange, ChangeResult, Store
from tests.gate.samples import make_question
from tests.stores.promises.given import MANY, StorePromises, answer_change


def claim_with_nonce(claim: str, nonce: str, *, again: bool = False) -> ApprovalChange:
    def claim_change(approval: Approval, moment: Moment) -> ChangeResult:
        move = reclaim if again else claim_approval
        return ChangeResult(move(approval, claim, "boot-2", at=moment.at, nonce=nonce))

    return claim_change


class ClaimPromises(StorePromises):
    """Tests that a claim is returned again for its nonce."""

    @pytest.mark.proves("R-36")
    async def test_a_claim_is_returned_again_for_its_nonce_until_the_report(self, store: Store) -> None:
        await store.add_approval("q1", make_question("q1"), MANY)
        await store.change_approval("q1", answer_change())
        await store.change_approval("q1", claim_with_nonce("k1", "n1"))
        with pytest.raises(StateError):
            await store.change_approval("q1", claim_with_nonce("k2", "n1"))
        with pytest.raises(StateError):
            await store.change_approval("q1", claim_with_nonce("k2", "n2", again=True))
        again = await store.change_approval("q1", claim_with_nonce("k2", "n1", again=True))
        done = await store.change_approval(
            "q1", lambda one, moment: ChangeResult(report(one, "k1", failed=False, note="", at=moment.at))
        )

        assert (again.claim, again.state, again.boot) == ("k1", State.RUNNING, "boot-2")
        assert (done.state, done.claim_nonce) == (State.DONE, "")
        with pytest.raises(StateError):
            await store.change_approval("q1", claim_with_nonce("k2", "n1", again=True))

    async def test_a_call_that_was_claimed_without_a_nonce_is_not_returned_for_an_empty_one(
        self, store: Store
    ) -> None:
        await store.add_approval("q1", make_question("q1"), MANY)
        await store.change_approval("q1", answer_change())
        await store.change_approval("q1", claim_with_nonce("k1", ""))

        with pytest.raises(StateError):
            await store.change_approval("q1", claim_with_nonce("k2", "", again=True))
