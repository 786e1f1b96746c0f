"""What is opened late: after the server listens, beside its work; whoever needs it sooner waits for it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Generic, TypeVar

from assent.errors import UnavailableError

T = TypeVar("T")
_log = logging.getLogger("assent.server")
SOONEST = 5.0
"""Seconds until something that could not be opened is tried again; twice as many each time."""
LATEST = 300.0


class Late(Generic[T]):
    """Something that takes most of a second to load, and is open from then on while the server runs.

    INVARIANT: nothing that goes wrong here ends the server. It is reported, and tried again.
    """

    def __init__(self, load: Callable[[], AbstractAsyncContextManager[T]], what: str = "chat") -> None:
        self._load = load
        self._what = what
        self._ready: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._over = asyncio.Event()

    async def ready(self) -> T:
        """The thing itself, once it is open; `UnavailableError` after a try that failed, until one works."""
        return await asyncio.shield(self._ready)

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[None]:
        """Open it beside what is done meanwhile, and close it after that."""
        task = asyncio.create_task(self._kept_open(), name=f"assent {self._what}")
        try:
            yield
        finally:
            self._over.set()
            if not self._is_open():
                task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _kept_open(self) -> None:
        pause = SOONEST
        while not self._over.is_set():
            try:
                # On a thread: who comes meanwhile is served.
                async with await asyncio.to_thread(self._load) as found:
                    self._settle().set_result(found)
                    await self._over.wait()
            except Exception as error:  # noqa: BLE001 - the edge: the gate serves without it
                if self._over.is_set():
                    _log.error("the %s could not be closed: %s", self._what, error)
                    return
                _log.error("the %s could not be loaded: %s; trying again in %.0f s", self._what, error, pause)
                failed = self._settle()
                why = f"the {self._what} could not be loaded, the log says why; everything else works"
                failed.set_exception(UnavailableError(why))
                failed.exception()  # Nobody needs to have waited for it.
                await asyncio.sleep(pause)
                pause = min(2 * pause, LATEST)

    def _is_open(self) -> bool:
        return self._ready.done() and not self._ready.cancelled() and self._ready.exception() is None

    def _settle(self) -> asyncio.Future[T]:
        """The future that whoever waits looks at; a try that failed is over once another one is told of."""
        if self._ready.done():
            self._ready = asyncio.get_running_loop().create_future()
        return self._ready
