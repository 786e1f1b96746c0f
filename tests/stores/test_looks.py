"""Looks that come while one is under way share the next one."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from assent.errors import NotFoundError, StoreError
from assent.gate.approval import Approval
from assent.stores.sql.waiting import SharedLookup
from tests.gate.samples import an_approval


class Table:
    """A table that says what was asked of it."""

    def __init__(self) -> None:
        self.reads: list[list[str]] = []
        self.fails = False

    async def find(self, ids: Sequence[str]) -> Mapping[str, Approval]:
        self.reads.append(list(ids))
        await asyncio.sleep(0)
        if self.fails:
            raise StoreError("away")
        return {id_: an_approval(id_) for id_ in ids if id_ != "none"}


async def test_those_who_come_meanwhile_share_a_read() -> None:
    table = Table()
    looks = SharedLookup(table.find)

    found = await asyncio.gather(*(looks.get(f"q{number}") for number in range(100)))

    assert [one.id for one in found] == [f"q{number}" for number in range(100)]
    assert [len(read) for read in table.reads] == [1, 99]


async def test_one_that_is_not_there_is_not_found() -> None:
    looks = SharedLookup(Table().find)

    results = await asyncio.gather(looks.get("q1"), looks.get("none"), return_exceptions=True)

    assert [type(result) for result in results] == [Approval, NotFoundError]


async def test_a_fault_is_told_to_all_and_passes() -> None:
    table = Table()
    table.fails = True
    looks = SharedLookup(table.find)
    results = await asyncio.gather(looks.get("q1"), looks.get("q2"), return_exceptions=True)
    assert [type(result) for result in results] == [StoreError, StoreError]

    table.fails = False

    assert (await looks.get("q1")).id == "q1"


async def test_who_leaves_before_the_look_ends_disturbs_nobody() -> None:
    looks = SharedLookup(Table().find)
    leaving, staying = asyncio.create_task(looks.get("q1")), asyncio.create_task(looks.get("q2"))
    await asyncio.sleep(0)
    leaving.cancel()

    assert (await staying).id == "q2"
    with pytest.raises(asyncio.CancelledError):
        await leaving
