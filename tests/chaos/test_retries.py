"""A store repeats a step whose response was lost: one step, one audit row."""

import pytest

from assent.errors import StateError, StoreError
from assent.gate.approval import Approval, State
from assent.gate.store import ApprovalChange
from assent.stores.memory.store import MemoryStore
from tests.gate.scene import DENY, ONCE, PUT, GateHarness, ask_person
from tests.stores.promises.given import SetClock


class RepeatingStore(MemoryStore):
    """A store that executes every change twice, as after a lost response."""

    async def change_approval(self, id: str, change: ApprovalChange) -> Approval:
        await super().change_approval(id, change)
        return await super().change_approval(id, change)


@pytest.mark.proves("R-3", "R-16", "T-40")
async def test_a_repeated_step_is_recorded_once_in_the_audit() -> None:
    clock = SetClock()
    scene = GateHarness(RepeatingStore(clock=clock), clock)
    turn = await scene.turn()
    question = await ask_person(turn, PUT)
    await scene.answer(question, ONCE)
    run = await turn.resume(question.id)
    await scene.gate.report(run.approval, run.claim)  # type: ignore[union-attr]

    decisions = [entry["decision"] for entry in await scene.entries()]

    assert decisions == ["", "approved", "claimed", "executed"]


class LostReplyStore(MemoryStore):
    """A store that makes the change and then raises an error, as if the response were lost."""

    loses_replies = False
    failing = False

    async def change_approval(self, id: str, change: ApprovalChange) -> Approval:
        if self.failing:
            raise StoreError("nothing was changed")
        done = await super().change_approval(id, change)
        if self.loses_replies:
            raise StoreError("whether it was done is unknown")
        return done


async def _answer_twice(scene: GateHarness, store: LostReplyStore) -> list[object]:
    """The recorded decisions after an answer that failed once and was repeated."""
    turn = await scene.turn()
    question = await ask_person(turn, PUT)
    with pytest.raises(StoreError):
        await scene.answer(question, ONCE)
    store.loses_replies = store.failing = False
    assert (await scene.answer(question, ONCE)).state is State.APPROVED
    assert (await scene.answer(question, ONCE)).state is State.APPROVED
    return [entry["decision"] for entry in await scene.entries()]


@pytest.mark.proves("R-16", "T-40")
async def test_a_stored_answer_whose_reply_was_lost_is_recorded_once_when_repeated() -> None:
    clock = SetClock()
    store = LostReplyStore(clock=clock)
    store.loses_replies = True

    assert await _answer_twice(GateHarness(store, clock), store) == ["", "approved"]


@pytest.mark.proves("R-16", "T-40")
async def test_an_answer_that_was_not_stored_is_recorded_once_when_repeated() -> None:
    clock = SetClock()
    store = LostReplyStore(clock=clock)
    store.failing = True

    assert await _answer_twice(GateHarness(store, clock), store) == ["", "approved"]


@pytest.mark.proves("R-16", "T-40")
async def test_a_stored_answer_whose_reply_was_lost_is_recorded_with_its_author() -> None:
    clock = SetClock()
    store = LostReplyStore(clock=clock)
    scene = GateHarness(store, clock)
    question = await ask_person(await scene.turn(), PUT)
    store.loses_replies = True
    with pytest.raises(StoreError):
        await scene.answer(question, ONCE)
    store.loses_replies = False

    with pytest.raises(StateError):
        await scene.answer(question, DENY)

    assert [entry["decision"] for entry in await scene.entries()] == ["", "approved"]
