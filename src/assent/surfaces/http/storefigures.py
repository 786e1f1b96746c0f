"""The figures of a store for `/metrics`, which does not wait for a store that does not answer."""

import asyncio
import time
from typing import NamedTuple

from assent.errors import StoreError
from assent.gate.ports import Store

PATIENCE = 0.5
"""Seconds in which a store that works has answered."""


class StoreFigures(NamedTuple):
    """What only the database knows."""

    pending: int
    """Questions that wait for a person, on all processes."""
    paused: bool


class StoreFiguresReader:
    """Reads the figures; those who ask while a read runs share it, and none of them starts another."""

    def __init__(self) -> None:
        self._read: asyncio.Task[StoreFigures] | None = None
        self._began = 0.0

    async def read(self, store: Store) -> StoreFigures | None:
        """The figures of this moment; None where the store cannot be used, or has not answered in time."""
        if self._read is None or self._read.done():
            self._began = time.monotonic()
            self._read = asyncio.create_task(_figures(store), name="assent store figures")
            # Nobody may be there any more when it fails.
            self._read.add_done_callback(lambda read: read.cancelled() or read.exception())
        # A read that has been running for longer than that is waited for no more.
        left = max(self._began + PATIENCE - time.monotonic(), 0)
        done, _ = await asyncio.wait({self._read}, timeout=left)
        try:
            return self._read.result() if done else None
        except StoreError:
            return None


async def _figures(store: Store) -> StoreFigures:
    pending = await store.count_pending()
    return StoreFigures(pending, (await store.moment()).paused)
