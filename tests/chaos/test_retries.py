"""A store that tries a step again because it did not hear whether it was done: one step, one entry."""

import pytest

from assent.errors import StateError, StoreError
from assent.gate.approval import Approval, State
from assent.gate.store import ApprovalChange
from assent.stores.memory.store import MemoryStore
from tests.gate.scene import DENY, ONCE, PUT, Scene, asked
from tests.stores.promises.given import SetClock


class HardOfHearing(MemoryStore):
    """A store whose every commit works, is not heard, and is tried again, as after a broken connection."""

    async def change_approval(self, id: str, change: ApprovalChange) -> Approval:
        await super().change_approval(id, change)
        return await super().change_approval(id, change)


@pytest.mark.proves("R-3", "R-16", "T-40")
async def test_a_step_that_is_tried_again_is_recorded_once() -> None:
    clock = SetClock()
    scene = Scene(HardOfHearing(clock=clock), clock)
    turn = await scene.turn()
    question = await asked(turn, PUT)
    await scene.answer(question, ONCE)
    run = await turn.resume(question.id)
    await scene.gate.report(run.approval, run.claim)  # type: ignore[union-attr]

    decisions = [entry["decision"] for entry in await scene.entries()]

    assert decisions == ["", "approved", "claimed", "executed"]


class Deaf(MemoryStore):
    """A store that does what it is told, and says now and then that it could not."""

    deaf = False
    failing = False

    async def change_approval(self, id: str, change: ApprovalChange) -> Approval:
        if self.failing:
            raise StoreError("nothing was changed")
        done = await super().change_approval(id, change)
        if self.deaf:
            raise StoreError("whether it was done is unknown")
        return done


async def _repeated(scene: Scene, store: Deaf) -> list[object]:
    """The decisions on record when an answer and a report are each given once in vain, and once more."""
    turn = await scene.turn()
    question = await asked(turn, PUT)
    with pytest.raises(StoreError):
        await scene.answer(question, ONCE)
    store.deaf = store.failing = False
    assert (await scene.answer(question, ONCE)).state is State.APPROVED
    assert (await scene.answer(question, ONCE)).state is State.APPROVED
    return [entry["decision"] for entry in await scene.entries()]


@pytest.mark.proves("R-16", "T-40")
async def test_an_answer_that_was_kept_unheard_is_recorded_once_when_it_is_repeated() -> None:
    clock = SetClock()
    store = Deaf(clock=clock)
    store.deaf = True

    assert await _repeated(Scene(store, clock), store) == ["", "approved"]


@pytest.mark.proves("R-16", "T-40")
async def test_an_answer_that_was_not_kept_is_recorded_once_when_it_is_repeated() -> None:
    clock = SetClock()
    store = Deaf(clock=clock)
    store.failing = True

    assert await _repeated(Scene(store, clock), store) == ["", "approved"]


@pytest.mark.proves("R-16", "T-40")
async def test_an_answer_that_was_kept_unheard_is_recorded_as_whoever_gave_it() -> None:
    clock = SetClock()
    store = Deaf(clock=clock)
    scene = Scene(store, clock)
    question = await asked(await scene.turn(), PUT)
    store.deaf = True
    with pytest.raises(StoreError):
        await scene.answer(question, ONCE)
    store.deaf = False

    with pytest.raises(StateError):
        await scene.answer(question, DENY)

    assert [entry["decision"] for entry in await scene.entries()] == ["", "approved"]
