"""Who asks while a read is under way shares the next one, and never gets an older one."""

import asyncio
from collections.abc import Sequence

import pytest

from assent.stores.sql.waiting import SharedRead


class Source:
    """Counts what it is asked, and holds each read until it is let go."""

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


async def test_one_who_comes_alone_reads_alone() -> None:
    source = Source()
    together = SharedRead(source.read)

    found = [await together.get("a"), await together.get("b")]

    assert found == [1, 2]
    assert source.reads == [["a"], ["b"]]


async def test_who_comes_during_a_read_gets_the_next_one_and_not_what_was_true_before() -> None:
    source = Source()
    together = SharedRead(source.read)
    source.going.clear()
    first = asyncio.create_task(together.get("a"))
    await asyncio.sleep(0)
    others = [asyncio.create_task(together.get(key)) for key in "bcd"]
    await asyncio.sleep(0)
    source.going.set()

    assert await asyncio.gather(first, *others) == [1, 2, 2, 2]
    assert source.reads == [["a"], ["b", "c", "d"]]


async def test_those_who_come_in_one_turn_of_the_loop_share_a_read_that_never_waits() -> None:
    reads: list[list[str]] = []

    async def read(keys: Sequence[str]) -> int:
        reads.append(list(keys))
        return len(reads)

    together = SharedRead(read)
    found = await asyncio.gather(*map(together.get, "abcd"))

    assert (found, reads) == ([1, 2, 2, 2], [["a"], ["b", "c", "d"]])
    assert await together.get("e") == 3


async def test_a_read_that_fails_is_told_to_those_who_shared_it_and_to_nobody_else() -> None:
    source = Source()
    together = SharedRead(source.read)
    keys = ["a", "b", "broken"]

    found = await asyncio.gather(*map(together.get, keys), return_exceptions=True)

    assert [type(one) for one in found] == [int, OSError, OSError]
    assert await together.get("c") == 3


async def test_whoever_reads_for_itself_and_leaves_lets_the_others_go_on() -> None:
    source = Source()
    together = SharedRead(source.read)
    source.going.clear()
    leaving, staying = (asyncio.create_task(together.get(key)) for key in "ab")
    await asyncio.sleep(0)
    leaving.cancel()
    source.going.set()

    assert await staying == 2
    with pytest.raises(asyncio.CancelledError):
        await leaving
