"""How far something is that takes longer than a second, for a person at a terminal."""

import asyncio
import sys
import time
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 1.0
"""Seconds that need no explanation."""
_PAUSE = 0.5


class Progress:
    """A line on standard error that is gone when the work is done."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._rows = 0
        self._shown = False

    def tell(self, rows: int) -> None:
        """So many more rows are done."""
        self._rows += rows

    async def over(self, work: Awaitable[T]) -> T:
        """What comes of the work."""
        if not sys.stderr.isatty():
            return await work
        showing = asyncio.create_task(self._show())
        try:
            return await work
        finally:
            showing.cancel()
            with suppress(asyncio.CancelledError):
                await showing
            if self._shown:
                _write("\r\x1b[K")

    async def _show(self) -> None:
        started = time.monotonic()
        await asyncio.sleep(PATIENCE)
        while True:
            self._shown = True
            rows = f"{self._rows:,} rows, " if self._rows else ""
            _write(f"\r\x1b[K{self._doing}: {rows}{time.monotonic() - started:.0f} s")
            await asyncio.sleep(_PAUSE)


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
