"""The figures of a store for `/metrics`, which does not wait for a store that does not reply."""

import asyncio
import time
from typing import NamedTuple

from assent.errors import StoreError
from assent.gate.gate import Gate

TIMEOUT = 0.5
"""Seconds in which a working store replies."""


class StoreFigures(NamedTuple):
    """What only the database knows."""

    pending: int
    """Questions that wait for a person, on all processes."""
    paused: bool


class StoreFiguresReader:
    """Reads the figures; requests during a read share it, and none of them starts another."""

    def __init__(self) -> None:
        self._read: asyncio.Task[StoreFigures] | None = None
        self._began = 0.0

    async def read(self, gate: Gate) -> StoreFigures | None:
        """The current figures; None if the store cannot be used, or did not reply in time."""
        if self._read is None or self._read.done():
            self._began = time.monotonic()
            self._read = asyncio.create_task(_figures(gate), name="assent store figures")
            # Its error is retrieved even if no request waits for it any more.
            self._read.add_done_callback(lambda read: read.cancelled() or read.exception())
        # A read that already runs for longer than the timeout is not waited for.
        left = max(self._began + TIMEOUT - time.monotonic(), 0)
        done, _ = await asyncio.wait({self._read}, timeout=left)
        try:
            return self._read.result() if done else None
        except StoreError:
            return None


async def _figures(gate: Gate) -> StoreFigures:
    return StoreFigures(await gate.count_pending(), await gate.is_paused())
