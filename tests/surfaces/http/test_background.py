"""A background resource is loaded while the server runs; its failure does not stop the server."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from assent.errors import UnavailableError
from assent.surfaces.http.background import BackgroundResource
from tests.waiting import run_ready_tasks, wait_until_async


class SlowChat:
    """A resource whose loading the test controls."""

    def __init__(self, error: Exception | None = None) -> None:
        self.may_load = threading.Event()
        self.error = error
        self.steps: list[str] = []

    def load(self) -> AbstractAsyncContextManager[str]:
        assert self.may_load.wait(60)
        self.steps.append("loaded")
        if self.error is not None:
            raise self.error
        return self._open_slowly()

    @asynccontextmanager
    async def _open_slowly(self) -> AsyncGenerator[str]:
        self.steps.append("open")
        yield "chat"
        self.steps.append("closed")


async def test_a_user_waits_until_the_resource_is_loaded() -> None:
    slow = SlowChat()
    resource = BackgroundResource(slow.load)
    async with resource.load_in_background():
        waiting = asyncio.create_task(resource.get())
        await run_ready_tasks()
        before = waiting.done(), list(slow.steps)
        slow.may_load.set()
        found = await waiting, await resource.get()

    assert (before, found) == ((False, []), ("chat", "chat"))
    assert slow.steps == ["loaded", "open", "closed"]


@pytest.mark.proves("R-37")
async def test_a_failed_load_is_reported_to_users_and_retried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("assent.surfaces.http.background.FIRST_RETRY_SECONDS", 0.01)
    slow = SlowChat(ImportError("too many open files"))
    resource = BackgroundResource(slow.load)
    slow.may_load.set()
    async with resource.load_in_background():
        with pytest.raises(UnavailableError, match="could not be loaded"):
            await resource.get()
        slow.error = None
        await wait_until_async(lambda: "open" in slow.steps)
        found = await resource.get()

    assert found == "chat"
    assert slow.steps[-2:] == ["open", "closed"]


async def test_an_error_while_closing_does_not_stop_the_server(caplog: pytest.LogCaptureFixture) -> None:
    @asynccontextmanager
    async def open_and_fail_to_close() -> AsyncGenerator[str]:
        yield "chat"
        raise RuntimeError("still busy")

    resource = BackgroundResource(open_and_fail_to_close)
    async with resource.load_in_background():
        await resource.get()

    assert "could not be closed" in caplog.text


async def test_a_stop_during_loading_never_opens_the_resource() -> None:
    slow = SlowChat()
    resource = BackgroundResource(slow.load)
    async with resource.load_in_background():
        await run_ready_tasks()
    slow.may_load.set()

    assert "open" not in slow.steps
