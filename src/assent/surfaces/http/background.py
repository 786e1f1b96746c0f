"""A resource that loads in the background while the server already listens; its users wait for it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Generic, TypeVar

from assent.errors import UnavailableError

T = TypeVar("T")
_log = logging.getLogger("assent.server")
FIRST_RETRY_SECONDS = 5.0
"""Seconds before the first retry after an error; doubled with each retry."""
MAX_RETRY_SECONDS = 300.0


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
        """Wait for the resource; raises `UnavailableError` if the last attempt to load it failed."""
        return await asyncio.shield(self._ready)

    @asynccontextmanager
    async def load_in_background(self) -> AsyncGenerator[None]:
        """Load the resource in the background, and close it when the context ends."""
        task = asyncio.create_task(self._keep_resource_open(), name=f"assent {self._what}")
        try:
            yield
        finally:
            self._closing.set()
            if not self._is_resource_open():
                task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _keep_resource_open(self) -> None:
        """Load the resource, and keep it open until the context ends; retries after an error."""
        pause = FIRST_RETRY_SECONDS
        while not self._closing.is_set():
            try:
                # In a thread, so that requests are served meanwhile.
                async with await asyncio.to_thread(self._load) as found:
                    self._pending_future().set_result(found)
                    await self._closing.wait()
            except Exception as error:  # noqa: BLE001 - the edge: the gate serves without it
                if self._closing.is_set():
                    _log.error("the %s could not be closed: %s", self._what, error)
                    return
                _log.error("the %s could not be loaded: %s; trying again in %.0f s", self._what, error, pause)
                failed = self._pending_future()
                why = f"the {self._what} could not be loaded (the log has the reason); everything else works"
                failed.set_exception(UnavailableError(why))
                failed.exception()  # Marks the exception as retrieved, so that asyncio does not warn.
                await asyncio.sleep(pause)
                pause = min(2 * pause, MAX_RETRY_SECONDS)

    def _is_resource_open(self) -> bool:
        return self._ready.done() and not self._ready.cancelled() and self._ready.exception() is None

    def _pending_future(self) -> asyncio.Future[T]:
        """The future for the next result; replaces a future that has already failed."""
        if self._ready.done():
            self._ready = asyncio.get_running_loop().create_future()
        return self._ready
