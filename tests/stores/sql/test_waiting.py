"""A change wakes all waiting tasks, and no task misses a change."""

import asyncio

import pytest

from assent.errors import StoreError
from assent.gate.approval import Approval, State
from assent.stores.sql.waiting import ApprovalWaiters, ChangeSignal
from tests.gate.samples import approval_in_state, sample_approval
from tests.waiting import run_ready_tasks, wait_until_async


async def test_one_change_wakes_all_waiting_tasks() -> None:
    stirs = ChangeSignal()
    waiting = [asyncio.create_task(stirs.wait_for_change_after(0)) for _ in range(3)]
    await wait_until_async(lambda: len(stirs) == 3)

    stirs.notify()

    assert await asyncio.gather(*waiting) == [1, 1, 1]
    assert len(stirs) == 0


async def test_a_task_with_an_older_count_does_not_wait() -> None:
    stirs = ChangeSignal()
    stirs.notify()

    assert await asyncio.wait_for(stirs.wait_for_change_after(0), 60) == 1


async def test_only_own_changes_are_published_and_only_the_first_waiter_is_announced() -> None:
    stirs, heard = ChangeSignal(), list[str]()
    stirs.on_publish = lambda: heard.append("spread")
    stirs.on_first_waiter = lambda: heard.append("nudge")
    waiting = [asyncio.create_task(stirs.wait_for_change_after(0)) for _ in range(2)]
    await wait_until_async(lambda: len(stirs) == 2)

    stirs.publish()
    stirs.notify()

    await asyncio.gather(*waiting)
    assert heard == ["nudge", "spread"]


async def test_a_cancelled_task_leaves_nothing_behind() -> None:
    stirs = ChangeSignal()
    waiting = asyncio.create_task(stirs.wait_for_change_after(0))
    await wait_until_async(lambda: len(stirs) == 1)

    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)

    assert len(stirs) == 0


async def test_an_error_reaches_waiting_tasks_and_later_ones() -> None:
    stirs = ChangeSignal()
    waiting = asyncio.create_task(stirs.wait_for_change_after(0))
    await wait_until_async(lambda: len(stirs) == 1)

    stirs.fail(StoreError("closed"))

    for late in (waiting, stirs.wait_for_change_after(0)):
        with pytest.raises(StoreError):
            await late


PENDING = sample_approval()
APPROVED = approval_in_state(State.APPROVED)


async def find_nothing(_: str) -> None:
    """A lookup while the approval is still pending."""


async def test_an_answer_between_registration_and_lookup_is_not_missed() -> None:
    wakes = ApprovalWaiters()

    async def find_approval(_: str) -> None:
        wakes.notify([APPROVED])

    assert await wakes.wait("q1", find_approval) is APPROVED
    assert len(wakes) == 0


async def test_an_answered_approval_is_returned_without_waiting() -> None:
    async def find_approval(_: str) -> Approval:
        return APPROVED

    assert await ApprovalWaiters().wait("q1", find_approval) is APPROVED


async def test_all_waiting_tasks_are_woken_except_cancelled_ones() -> None:
    wakes = ApprovalWaiters()
    waiting = [asyncio.create_task(wakes.wait("q1", find_nothing)) for _ in range(3)]
    await run_ready_tasks()
    waiting[0].cancel()
    await run_ready_tasks()

    wakes.notify([PENDING, APPROVED])

    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(result) for result in results] == [asyncio.CancelledError, Approval, Approval]
    assert "q1" not in wakes


async def test_an_error_reaches_all_waiting_tasks() -> None:
    wakes = ApprovalWaiters()
    waiting = asyncio.create_task(wakes.wait("q1", find_nothing))
    await run_ready_tasks()

    wakes.fail(StoreError("closed"))

    with pytest.raises(StoreError):
        await waiting


async def test_the_first_waiting_task_calls_the_callback() -> None:
    nudges: list[int] = []
    wakes = ApprovalWaiters(lambda: nudges.append(1))
    waiting = [asyncio.create_task(wakes.wait(id_, find_nothing)) for id_ in ("q1", "q2")]
    await run_ready_tasks()

    wakes.notify([APPROVED, approval_in_state(State.DENIED, id="q2")])

    await asyncio.gather(*waiting)
    assert nudges == [1]
