"""What takes long to load is opened beside everything else, closed with it, and its failure ends it."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from assent.surfaces.http.late import Late


class Slow:
    """A thing that is loaded when a test lets it be."""

    def __init__(self, error: Exception | None = None) -> None:
        self.may_load = threading.Event()
        self.error = error
        self.steps: list[str] = []

    def load(self) -> AbstractAsyncContextManager[str]:
        assert self.may_load.wait(60)
        self.steps.append("loaded")
        if self.error is not None:
            raise self.error
        return self._open()

    @asynccontextmanager
    async def _open(self) -> AsyncGenerator[str]:
        self.steps.append("open")
        yield "chat"
        self.steps.append("closed")


async def test_who_needs_it_before_it_is_there_waits_for_it() -> None:
    slow, stopped = Slow(), asyncio.Event()
    late = Late(slow.load)
    async with late.opened(failed=stopped.set):
        waiting = asyncio.create_task(late.ready())
        await asyncio.sleep(0)
        before = waiting.done(), list(slow.steps)
        slow.may_load.set()
        found = await waiting, await late.ready()

    assert (before, found) == ((False, []), ("chat", "chat"))
    assert (slow.steps, stopped.is_set()) == (["loaded", "open", "closed"], False)


async def test_what_cannot_be_opened_stops_the_rest_and_is_told_at_the_end() -> None:
    slow, stopped = Slow(RuntimeError("no such model")), asyncio.Event()
    late = Late(slow.load)
    slow.may_load.set()

    async def meanwhile() -> None:
        async with late.opened(failed=stopped.set):
            await asyncio.wait_for(stopped.wait(), 60)
            with pytest.raises(RuntimeError, match="no such model"):
                await late.ready()

    with pytest.raises(RuntimeError, match="no such model"):
        await meanwhile()
    assert slow.steps == ["loaded"]


async def test_what_ends_before_it_was_loaded_never_opens_it() -> None:
    slow, stopped = Slow(), asyncio.Event()
    late = Late(slow.load)
    async with late.opened(failed=stopped.set):
        await asyncio.sleep(0)
    slow.may_load.set()

    assert ("open" in slow.steps, stopped.is_set()) == (False, False)
