"""Whoever waits is woken when the question is no longer pending, and costs one future."""

import asyncio

import pytest

from assent.errors import StoreError
from assent.gate.approval import Approval, State
from assent.stores.sql.waiting import ApprovalWaiters
from tests.gate.samples import an_approval, in_state

PENDING = an_approval()
APPROVED = in_state(State.APPROVED)


async def pending(_: str) -> None:
    """What a look shows while nothing came of it."""


async def test_an_answer_between_listing_and_looking_is_not_missed() -> None:
    wakes = ApprovalWaiters()

    async def look(_: str) -> None:
        wakes.notify([APPROVED])

    assert await wakes.wait("q1", look) is APPROVED
    assert len(wakes) == 0


async def test_one_that_is_answered_already_is_not_waited_for() -> None:
    async def look(_: str) -> Approval:
        return APPROVED

    assert await ApprovalWaiters().wait("q1", look) is APPROVED


async def test_everybody_is_woken_and_those_who_left_are_not() -> None:
    wakes = ApprovalWaiters()
    waiting = [asyncio.create_task(wakes.wait("q1", pending)) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.sleep(0)

    wakes.notify([PENDING, APPROVED])

    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(result) for result in results] == [asyncio.CancelledError, Approval, Approval]
    assert "q1" not in wakes


async def test_the_end_is_told_to_everybody() -> None:
    wakes = ApprovalWaiters()
    waiting = asyncio.create_task(wakes.wait("q1", pending))
    await asyncio.sleep(0)

    wakes.fail(StoreError("closed"))

    with pytest.raises(StoreError):
        await waiting


async def test_the_first_who_waits_is_noticed() -> None:
    nudges: list[int] = []
    wakes = ApprovalWaiters(lambda: nudges.append(1))
    waiting = [asyncio.create_task(wakes.wait(id_, pending)) for id_ in ("q1", "q2")]
    await asyncio.sleep(0)

    wakes.notify([APPROVED, in_state(State.DENIED, id="q2")])

    await asyncio.gather(*waiting)
    assert nudges == [1]
