"""A body that is measured while it comes, so that one without a length is cut off where it is too long."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

from assent.door.problem import Problem
from assent.door.visit import LARGEST, too_large

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
SLOWEST = 120.0
"""Seconds in which a body comes, whoever sends it and however much it is."""
_PATIENCE = 5.0
"""Seconds for which what is too long is still taken in."""


_LATE = Problem(408, f"a body comes within {SLOWEST:.0f} seconds", {"connection": "close"})


class Measured:
    """Stands between a server and an app: over a limit the client is told, and the app hears it left."""

    def __init__(self, receive: Receive, send: Send, largest: int = LARGEST) -> None:
        self._receive = receive
        self._send = send
        self._largest = largest
        self._seen = 0
        self._until: float | None = asyncio.get_running_loop().time() + SLOWEST
        """By when the body has to be there; None once it is."""
        self._started = False
        self._is_over = False

    async def receive(self) -> Message:
        """The next piece of the body, if there is room for it."""
        if self._is_over:
            return {"type": "http.disconnect"}
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            return await self._cut_off(_LATE)
        if not message.get("more_body", False):
            self._until = None
        self._seen += len(message.get("body", b""))
        if self._seen <= self._largest:
            return message
        if not self._started:
            await drained(self._receive)
        return await self._cut_off(too_large(self._largest))

    async def _cut_off(self, problem: Problem) -> Message:
        """Tell the client, unless the app has begun to; for the app they are gone."""
        self._is_over = True
        if not self._started:
            await self._send(problem.start())
            await self._send(problem.end())
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Send on, unless the client was told already."""
        if not self._is_over or self._started:
            self._started = True
            await self._send(message)


async def drained(receive: Receive, most: int = 2 * LARGEST) -> None:
    """Take what still comes, within reason: who is cut off while sending never reads why."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            seen = 0
            is_more = True
            while is_more and seen < most:
                message = await receive()
                seen += len(message.get("body", b""))
                is_more = message.get("more_body", False)
