"""Requests during a read share the next read, and never get an older result."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from assent.errors import NotFoundError, StoreError
from assent.gate.approval import Approval
from assent.stores.sql.waiting import SharedLookup, SharedRead
from tests.gate.samples import sample_approval
from tests.waiting import run_ready_tasks


class BlockingReads:
    """Records reads, and holds each one until the test releases it."""

    def __init__(self) -> None:
        self.reads: list[list[str]] = []
        self.going = asyncio.Event()
        self.going.set()

    async def read(self, keys: Sequence[str]) -> int:
        self.reads.append(list(keys))
        number = len(self.reads)
        await asyncio.sleep(0)
        await self.going.wait()
        if "broken" in keys:
            raise OSError("broken")
        return number


async def test_a_single_request_starts_its_own_read() -> None:
    source = BlockingReads()
    together = SharedRead(source.read)

    found = [await together.get("a"), await together.get("b")]

    assert found == [1, 2]
    assert source.reads == [["a"], ["b"]]


async def test_a_request_during_a_read_gets_the_result_of_the_next_read() -> None:
    source = BlockingReads()
    together = SharedRead(source.read)
    source.going.clear()
    first = asyncio.create_task(together.get("a"))
    await run_ready_tasks()
    others = [asyncio.create_task(together.get(key)) for key in "bcd"]
    await run_ready_tasks()
    source.going.set()

    assert await asyncio.gather(first, *others) == [1, 2, 2, 2]
    assert source.reads == [["a"], ["b", "c", "d"]]


async def test_requests_in_the_same_turn_of_the_event_loop_share_a_read() -> None:
    reads: list[list[str]] = []

    async def read_keys(keys: Sequence[str]) -> int:
        reads.append(list(keys))
        return len(reads)

    together = SharedRead(read_keys)
    found = await asyncio.gather(*map(together.get, "abcd"))

    assert (found, reads) == ([1, 2, 2, 2], [["a"], ["b", "c", "d"]])
    assert await together.get("e") == 3


async def test_a_failed_read_fails_only_the_requests_that_shared_it() -> None:
    source = BlockingReads()
    together = SharedRead(source.read)
    keys = ["a", "b", "broken"]

    found = await asyncio.gather(*map(together.get, keys), return_exceptions=True)

    assert [type(one) for one in found] == [int, OSError, OSError]
    assert await together.get("c") == 3


async def test_cancelling_the_first_request_does_not_affect_the_others() -> None:
    source = BlockingReads()
    together = SharedRead(source.read)
    source.going.clear()
    leaving, staying = (asyncio.create_task(together.get(key)) for key in "ab")
    await run_ready_tasks()
    leaving.cancel()
    source.going.set()

    assert await staying == 2
    with pytest.raises(asyncio.CancelledError):
        await leaving


class RecordedTable:
    """A table that records its reads."""

    def __init__(self) -> None:
        self.reads: list[list[str]] = []
        self.fails = False

    async def find(self, ids: Sequence[str]) -> Mapping[str, Approval]:
        self.reads.append(list(ids))
        await asyncio.sleep(0)
        if self.fails:
            raise StoreError("away")
        return {id_: sample_approval(id_) for id_ in ids if id_ != "none"}


async def test_concurrent_lookups_share_a_read() -> None:
    table = RecordedTable()
    looks = SharedLookup(table.find)

    found = await asyncio.gather(*(looks.get(f"q{number}") for number in range(100)))

    assert [one.id for one in found] == [f"q{number}" for number in range(100)]
    assert [len(read) for read in table.reads] == [1, 99]


async def test_an_unknown_id_is_not_found() -> None:
    looks = SharedLookup(RecordedTable().find)

    results = await asyncio.gather(looks.get("q1"), looks.get("none"), return_exceptions=True)

    assert [type(result) for result in results] == [Approval, NotFoundError]


async def test_an_error_reaches_all_lookups_and_the_next_lookup_works() -> None:
    table = RecordedTable()
    table.fails = True
    looks = SharedLookup(table.find)
    results = await asyncio.gather(looks.get("q1"), looks.get("q2"), return_exceptions=True)
    assert [type(result) for result in results] == [StoreError, StoreError]

    table.fails = False

    assert (await looks.get("q1")).id == "q1"


async def test_a_cancelled_lookup_does_not_affect_others() -> None:
    looks = SharedLookup(RecordedTable().find)
    leaving, staying = asyncio.create_task(looks.get("q1")), asyncio.create_task(looks.get("q2"))
    await asyncio.sleep(0)
    leaving.cancel()

    assert (await staying).id == "q2"
    with pytest.raises(asyncio.CancelledError):
        await leaving
