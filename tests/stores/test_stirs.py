"""A stir rouses all who wait, and none of them waits for one that has been."""

import asyncio

import pytest

from assent.errors import StoreError
from assent.stores.sql.waiting import ChangeSignal
from tests.stores.promises.given import settled_down


async def test_one_stir_rouses_all_who_wait() -> None:
    stirs = ChangeSignal()
    waiting = [asyncio.create_task(stirs.wait_after(0)) for _ in range(3)]
    await settled_down()

    stirs.notify()

    assert await asyncio.gather(*waiting) == [1, 1, 1]
    assert len(stirs) == 0


async def test_whoever_saw_an_older_number_does_not_wait() -> None:
    stirs = ChangeSignal()
    stirs.notify()

    assert await asyncio.wait_for(stirs.wait_after(0), 60) == 1


async def test_only_what_happens_here_is_spread_and_only_the_first_who_waits_nudges() -> None:
    stirs, heard = ChangeSignal(), list[str]()
    stirs.on_publish = lambda: heard.append("spread")
    stirs.on_first_waiter = lambda: heard.append("nudge")
    waiting = [asyncio.create_task(stirs.wait_after(0)) for _ in range(2)]
    await settled_down()

    stirs.publish()
    stirs.notify()

    await asyncio.gather(*waiting)
    assert heard == ["nudge", "spread"]


async def test_who_gives_up_leaves_nothing_behind() -> None:
    stirs = ChangeSignal()
    waiting = asyncio.create_task(stirs.wait_after(0))
    await settled_down()

    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)

    assert len(stirs) == 0


async def test_the_end_is_told_to_who_waits_and_to_who_comes_later() -> None:
    stirs = ChangeSignal()
    waiting = asyncio.create_task(stirs.wait_after(0))
    await settled_down()

    stirs.fail(StoreError("closed"))

    for late in (waiting, stirs.wait_after(0)):
        with pytest.raises(StoreError):
            await late
