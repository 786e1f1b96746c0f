"""Stirs: a sign, without words, that something happened; whoever is roused goes and looks."""

import asyncio
from collections.abc import Callable

from assent.errors import AssentError


class Stirs:
    """A number that grows, and those who wait for it to; however many wait, one stir rouses them all."""

    def __init__(self) -> None:
        self.count = 0
        self.nudge: Callable[[], None] = lambda: None
        """Called when somebody begins to wait where nobody did."""
        self.spread: Callable[[], None] = lambda: None
        """Called for what happened in this process, so that others hear of it."""
        self._waiting: set[asyncio.Future[None]] = set()
        self._error: AssentError | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def happened(self) -> None:
        """Something happened here."""
        self.stir()
        self.spread()

    def stir(self) -> None:
        """Something happened, here or elsewhere."""
        self.count += 1
        waiting, self._waiting = self._waiting, set()
        for roused in waiting:
            if not roused.done():
                roused.set_result(None)

    async def after(self, since: int) -> int:
        """Come back when the count is another one."""
        if self._error is not None:
            raise self._error
        if self.count == since:
            await self._roused()
        return self.count

    def fail(self, error: AssentError) -> None:
        """Tell everybody that nothing will happen here any more."""
        self._error = error
        for roused in self._waiting:
            if not roused.done():
                roused.set_exception(error)
                roused.exception()

    async def _roused(self) -> None:
        roused: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        is_first = not self._waiting
        self._waiting.add(roused)
        if is_first:
            self.nudge()
        try:
            await roused
        finally:
            self._waiting.discard(roused)
