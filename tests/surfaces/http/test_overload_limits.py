"""Over its capacity a server refuses at once, and what is vital last."""

import asyncio

import pytest

from assent.surfaces.http.api.service import LongRequests
from assent.surfaces.http.overload import MAX_REQUESTS, MAX_VITAL, LoadLimit
from tests.surfaces.http.routes.test_slow_clients import Message

ID = "0" * 32


class Crowd:
    """Requests that stay for as long as a test likes."""

    def __init__(self) -> None:
        self.may_go = asyncio.Event()
        self.inside = 0
        self.app = LoadLimit(self._held, LongRequests(3))
        self.tasks: list[asyncio.Task[list[Message]]] = []

    async def _held(self, scope: Message, receive: object, send: object) -> None:
        self.inside += 1
        await self.may_go.wait()

    async def ask(self, path: str, kind: str = "http") -> list[Message]:
        """What is sent to one request; nothing, where it was let in."""
        sent: list[Message] = []

        async def send(message: Message) -> None:
            sent.append(message)

        await self.app({"type": kind, "path": path}, None, send)  # type: ignore[arg-type]
        return sent

    async def stay(self, path: str, count: int) -> None:
        """Let requests come that stay."""
        before = self.inside
        self.tasks += [asyncio.create_task(self.ask(path)) for _ in range(count)]
        while self.inside < before + count:
            await asyncio.sleep(0)

    async def leave(self) -> None:
        """Let all of them go."""
        self.may_go.set()
        await asyncio.gather(*self.tasks)


@pytest.mark.proves("R-28")
async def test_who_would_wait_for_long_is_refused_where_others_wait_and_short_requests_are_not() -> None:
    crowd = Crowd()
    await crowd.stay("/v1/events", 3)
    start, end = await crowd.ask("/base/v1/conversations/c1/stream")
    socket = await crowd.ask("/v1/live", "websocket")
    await crowd.stay("/healthz", 1)
    await crowd.stay(f"/v1/calls/{ID}/wait", 1)
    await crowd.stay(f"/v1/approvals/{ID}/answer", 1)
    await crowd.leave()

    assert (start["status"], dict(start["headers"])[b"retry-after"]) == (503, b"1")
    assert b"try again" in end["body"]
    assert socket == [{"type": "websocket.close", "code": 1013}]
    assert await crowd.ask("/v1/events") == []


@pytest.mark.proves("R-28")
async def test_the_last_requests_that_are_refused_are_health_checks_and_answers() -> None:
    crowd = Crowd()
    await crowd.stay("/v1/calls", MAX_REQUESTS)
    ordinary = await crowd.ask("/v1/calls")
    await crowd.stay("/readyz", MAX_VITAL - MAX_REQUESTS)
    vital = await crowd.ask("/v1/approvals/answers")
    await crowd.leave()

    assert [ordinary[0]["status"], vital[0]["status"]] == [503, 503]
    assert await crowd.ask("/v1/calls") == []
