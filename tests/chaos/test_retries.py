"""A store that tries a step again because it did not hear whether it was done: one step, one entry."""

import pytest

from assent.gate.approval import Approval
from assent.gate.ports import Change
from assent.stores.memory import MemoryStore
from tests.gate.scene import ONCE, PUT, Scene, asked
from tests.stores.promises.given import SetClock


class HardOfHearing(MemoryStore):
    """A store whose every commit works, is not heard, and is tried again, as after a broken connection."""

    async def change(self, id: str, change: Change) -> Approval:
        await super().change(id, change)
        return await super().change(id, change)


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

    assert decisions == ["", "approved", "executed"]
