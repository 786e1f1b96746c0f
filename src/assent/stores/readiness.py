"""Readiness: a store is ready when it has just committed something, and proves it when it has not."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from assent.errors import AssentError, StoreError

_log = logging.getLogger("assent.store")
RECENT = 1.0
"""Seconds for which a commit is proof enough, and the least time between two probes."""
PATIENCE = 2.0
"""Seconds after which a probe that has not come back counts as failed."""


class Commits:
    """When this process last committed, and the fault of its last try, if that failed."""

    def __init__(self) -> None:
        self._last = float("-inf")
        self.fault: AssentError | None = None

    def succeeded(self) -> None:
        """Note that a commit was made just now."""
        self._last, self.fault = time.monotonic(), None

    def failed(self, fault: AssentError) -> None:
        """Note why a commit was not made."""
        self.fault = fault

    @property
    def is_recent(self) -> bool:
        """Whether the last commit is proof that the next one will work."""
        return time.monotonic() - self._last < RECENT


class WriteProbe:
    """Commits something small where nothing else was committed of late; once a second, whoever asks."""

    def __init__(self, write: Callable[[], Awaitable[object]], commits: Commits, where: str) -> None:
        self._write = write
        self._commits = commits
        self._where = where
        self._began = float("-inf")
        self._probe: asyncio.Task[None] | None = None

    async def check(self) -> None:
        """Come back if a write is committed; otherwise raise what prevents it."""
        if self._commits.is_recent:
            return
        probe = self._current()
        await asyncio.wait({probe}, timeout=PATIENCE)
        if not probe.done():
            raise self._commits.fault or StoreError(
                f"cannot use {self._where}: no write was committed within {PATIENCE:.0f} seconds",
                reason=f"no write was committed within {PATIENCE:.0f} seconds",
            )
        probe.result()

    def _current(self) -> asyncio.Task[None]:
        """The probe that runs or has just run, or a new one."""
        now = time.monotonic()
        if self._probe is None or (self._probe.done() and now - self._began >= RECENT):
            self._began, self._probe = now, asyncio.create_task(self._commit(), name="assent write probe")
            # Those who asked may all be gone by the time it fails.
            self._probe.add_done_callback(lambda probe: probe.cancelled() or probe.exception())
        return self._probe

    async def _commit(self) -> None:
        try:
            await self._write()
        except StoreError as error:
            _log.error("the store takes no writes: %s", error)
            raise
