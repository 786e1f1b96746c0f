"""A read that many want at once: all who asked while the last one ran share the next."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class Together(Generic[T]):
    """A thousand who ask at once cost two reads, and one who comes alone waits for nobody."""

    def __init__(self, read: Callable[[], Awaitable[T]]) -> None:
        self._read = read
        self._is_busy = False
        self._waiting: list[asyncio.Future[T]] = []
        self._next: asyncio.Task[None] | None = None

    async def now(self) -> T:
        """What is true at this moment or later."""
        if self._is_busy:
            # INVARIANT: a read starts after it was asked for, or it could show what was true before.
            seen: asyncio.Future[T] = asyncio.get_running_loop().create_future()
            self._waiting.append(seen)
            return await seen
        self._is_busy = True
        try:
            return await self._read()
        finally:
            self._go_on()

    def _go_on(self) -> None:
        self._is_busy = bool(self._waiting)
        if self._is_busy:
            asked, self._waiting = self._waiting, []
            self._next = asyncio.create_task(self._share(asked))

    async def _share(self, asked: Sequence[asyncio.Future[T]]) -> None:
        try:
            found = await self._read()
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            for seen in asked:
                if not seen.done():
                    seen.set_exception(error)
        else:
            for seen in asked:
                if not seen.done():
                    seen.set_result(found)
        finally:
            self._go_on()
