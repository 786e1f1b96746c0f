"""A resource that is loaded in the background once the server listens; its users wait until it is ready."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Generic, TypeVar

from assent.errors import UnavailableError

T = TypeVar("T")
_log = logging.getLogger("assent.server")
FIRST_RETRY = 5.0
"""Seconds until loading is tried again after an error; doubled each time."""
MAX_RETRY = 300.0


class BackgroundResource(Generic[T]):
    """A resource that takes long to load and then stays open while the server runs.

    INVARIANT: an error here never ends the server. It is logged, and loading is tried again.
    """

    def __init__(self, load: Callable[[], AbstractAsyncContextManager[T]], what: str = "chat") -> None:
        self._load = load
        self._what = what
        self._ready: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._closing = asyncio.Event()

    async def get(self) -> T:
        """The resource, once it is open; `UnavailableError` after a failed attempt, until one succeeds."""
        return await asyncio.shield(self._ready)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Load it in the background, and close it at the end."""
        task = asyncio.create_task(self._keep_open(), name=f"assent {self._what}")
        try:
            yield
        finally:
            self._closing.set()
            if not self._is_open():
                task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _keep_open(self) -> None:
        pause = FIRST_RETRY
        while not self._closing.is_set():
            try:
                # On a thread: requests are served meanwhile.
                async with await asyncio.to_thread(self._load) as found:
                    self._future().set_result(found)
                    await self._closing.wait()
            except Exception as error:  # noqa: BLE001 - the edge: the gate serves without it
                if self._closing.is_set():
                    _log.error("the %s could not be closed: %s", self._what, error)
                    return
                _log.error("the %s could not be loaded: %s; trying again in %.0f s", self._what, error, pause)
                failed = self._future()
                why = f"the {self._what} could not be loaded (the log has the reason); everything else works"
                failed.set_exception(UnavailableError(why))
                failed.exception()  # asyncio warns of an exception that nobody read.
                await asyncio.sleep(pause)
                pause = min(2 * pause, MAX_RETRY)

    def _is_open(self) -> bool:
        return self._ready.done() and not self._ready.cancelled() and self._ready.exception() is None

    def _future(self) -> asyncio.Future[T]:
        """The future for the result of an attempt; the result of a failed attempt is replaced."""
        if self._ready.done():
            self._ready = asyncio.get_running_loop().create_future()
        return self._ready
