"""A read that many want at once: all who ask while one runs share the next."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key")
Found = TypeVar("Found")


class _Asked(NamedTuple, Generic[Key, Found]):
    """What somebody wants to know, and where they wait for it."""

    key: Key
    seen: asyncio.Future[Found]


class Together(Generic[Key, Found]):
    """A thousand who ask at once cost two reads, and one who comes alone waits for nobody."""

    def __init__(self, read: Callable[[Sequence[Key]], Awaitable[Found]]) -> None:
        self._read = read
        self._is_busy = False
        self._waiting: list[_Asked[Key, Found]] = []
        self._next: asyncio.Task[None] | None = None

    async def now(self, key: Key) -> Found:
        """What is found for all who asked together, at this moment or later."""
        if self._is_busy:
            # INVARIANT: a read starts after it was asked for, or it could show what was true before.
            seen: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
            self._waiting.append(_Asked(key, seen))
            return await seen
        self._is_busy = True
        try:
            return await self._read([key])
        finally:
            self._turn_over()

    def _turn_over(self) -> None:
        # A read may be over before anybody else has their turn of the loop: those who are woken in one go
        # come in the same turn, and share the next read, too.
        asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        self._is_busy = bool(self._waiting)
        if self._is_busy:
            asked, self._waiting = self._waiting, []
            self._next = asyncio.create_task(self._share(asked))

    async def _share(self, asked: Sequence[_Asked[Key, Found]]) -> None:
        still = [one.seen for one in asked]
        try:
            found = await self._read([one.key for one in asked])
            for seen in still:
                if not seen.done():
                    seen.set_result(found)
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            for seen in still:
                if not seen.done():
                    seen.set_exception(error)
        finally:
            self._turn_over()
