"""Live channels for tests: a socket that was let in, and what it hears."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect

from tests.serving import Running

PATIENCE = 60


class Listening:
    """One socket and its messages; pings are left out."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.cursor: str | None = None

    async def said(self, **message: object) -> None:
        await self.socket.send(json.dumps(message))

    async def heard(self) -> dict[str, Any]:
        while True:
            async with asyncio.timeout(PATIENCE):
                message: dict[str, Any] = json.loads(await self.socket.recv())
            self.cursor = message.get("cursor", self.cursor)
            if message["type"] != "ping":
                return message

    async def until(self, kind: str) -> list[dict[str, Any]]:
        """Everything up to the first message of a kind."""
        found = [await self.heard()]
        while found[-1]["type"] != kind:
            found.append(await self.heard())
        return found

    async def closed(self) -> int | None:
        """The code with which the server ends it."""
        async with asyncio.timeout(PATIENCE):
            await self.socket.wait_closed()
        return self.socket.close_code


@asynccontextmanager
async def connected(server: Running, **options: Any) -> AsyncGenerator[Listening]:
    """A socket that has said nothing yet."""
    address = server.url.replace("http", "ws", 1) + "/v1/live"
    headers = options.pop("headers", {"Authorization": f"Bearer {server.token}"})
    patient = {"open_timeout": PATIENCE, "ping_timeout": PATIENCE, **options}
    async with connect(address, additional_headers=headers, proxy=None, **patient) as socket:
        yield Listening(socket)


@asynccontextmanager
async def listening(server: Running, after: str | None = None, **more: object) -> AsyncGenerator[Listening]:
    """A socket that listens from a cursor on, or from now."""
    async with connected(server) as socket:
        await socket.said(type="resume", after=after, **more)
        yield socket


def origin(server: Running) -> str:
    """The Origin of the server's own pages."""
    parts = urlsplit(server.url)
    return f"{parts.scheme}://{parts.netloc}"
