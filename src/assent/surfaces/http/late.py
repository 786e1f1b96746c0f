"""What is opened late: after the server listens, beside its work; whoever needs it sooner waits for it."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Generic, TypeVar

T = TypeVar("T")


class Late(Generic[T]):
    """Something that takes most of a second to load, and is open from then on while the server runs."""

    def __init__(self, load: Callable[[], AbstractAsyncContextManager[T]]) -> None:
        self._load = load
        self._ready: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._over = asyncio.Event()

    async def ready(self) -> T:
        """The thing itself, once it is open; what kept it from opening, where something did."""
        return await asyncio.shield(self._ready)

    @asynccontextmanager
    async def opened(self, failed: Callable[[], None]) -> AsyncGenerator[None]:
        """Open it beside what is done meanwhile, and close it after that.

        Where that fails `failed` is called at once, and the error raised at the end.
        """
        task = asyncio.create_task(self._held(failed), name="assent late")
        try:
            yield
        finally:
            self._over.set()
            if not self._ready.done():
                task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _held(self, failed: Callable[[], None]) -> None:
        try:
            # On a thread: who comes meanwhile is served.
            async with await asyncio.to_thread(self._load) as found:
                self._ready.set_result(found)
                await self._over.wait()
        except Exception as error:
            if not self._ready.done():
                self._ready.set_exception(error)
                self._ready.exception()  # It is raised at the end, too: nobody needs to have waited for it.
            failed()
            raise
