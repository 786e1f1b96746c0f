"""Moves the audit from the outbox of a PostgreSQL database to its table, on a connection of its own."""

import asyncio
from contextlib import suppress

from sqlalchemy.ext.asyncio import AsyncEngine

from assent.stores.ledger import AGAIN, Ledger
from assent.stores.lines import Line
from assent.stores.outbox import AT_ONCE, move

REST = 0.05
"""Seconds between two moves: however much is answered, they are few."""
LOOK = 5.0
"""Seconds after which somebody looks for rows that a dead process left in the outbox."""
_LOCKED = 1000
"""Milliseconds that a move waits for whoever locked the table."""


class Mover:
    """Whoever locks or breaks the table of the audit holds this up, and nobody who answers."""

    def __init__(self, engine: AsyncEngine, ledger: Ledger) -> None:
        self._engine = engine
        self._ledger = ledger
        self._news = asyncio.Event()
        self._line: Line | None = None
        self._turn = asyncio.Lock()
        self._task = asyncio.create_task(self._run())

    def nudge(self) -> None:
        """There may be something in the outbox."""
        if len(self._ledger):
            self._news.set()

    async def moved(self) -> None:
        """Move all that is in the outbox, or come back when that failed once."""
        async with self._turn:
            try:
                while await self._move() == AT_ONCE:
                    pass
                self._ledger.moved()
            except Exception as error:  # noqa: BLE001 - the audit never fails a call
                self._ledger.failed(error)
                await self._drop()

    async def close(self) -> None:
        """Try once more, and end."""
        self._task.cancel()
        await asyncio.wait([self._task])
        if len(self._ledger):
            await self.moved()
        await self._drop()

    async def _run(self) -> None:
        while True:
            await self.moved()
            self._news.clear()
            await asyncio.sleep(AGAIN if self._ledger.spooled else REST)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK):
                    await self._news.wait()

    async def _move(self) -> int:
        line = await self._connected()
        async with line.transaction():
            return await line.run(move)

    async def _connected(self) -> Line:
        if self._line is None:
            self._line = await Line.opened(self._engine)
            await self._line.set("lock_timeout", str(_LOCKED))
        return self._line

    async def _drop(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.hang_up()
