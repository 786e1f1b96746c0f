"""WebSocket clients for tests of the live channel."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect

from tests.serving import RunningServer

PATIENCE = 60


class LiveSocket:
    """A socket and its messages, without pings."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.cursor: str | None = None

    async def send(self, **message: object) -> None:
        await self.socket.send(json.dumps(message))

    async def receive(self) -> dict[str, Any]:
        while True:
            async with asyncio.timeout(PATIENCE):
                message: dict[str, Any] = json.loads(await self.socket.recv())
            self.cursor = message.get("cursor", self.cursor)
            if message["type"] != "ping":
                return message

    async def receive_until(self, kind: str) -> list[dict[str, Any]]:
        """Receive all messages up to the first one of this type."""
        found = [await self.receive()]
        while found[-1]["type"] != kind:
            found.append(await self.receive())
        return found

    async def wait_for_close_code(self) -> int | None:
        """Wait until the server closes the socket; return the close code."""
        async with asyncio.timeout(PATIENCE):
            await self.socket.wait_closed()
        return self.socket.close_code


@asynccontextmanager
async def open_socket(server: RunningServer, **options: Any) -> AsyncGenerator[LiveSocket]:
    """Open a socket without sending anything."""
    address = server.url.replace("http", "ws", 1) + "/v1/live"
    headers = options.pop("headers", {"Authorization": f"Bearer {server.token}"})
    patient = {"open_timeout": PATIENCE, "ping_timeout": PATIENCE, **options}
    async with connect(address, additional_headers=headers, proxy=None, **patient) as socket:
        yield LiveSocket(socket)


@asynccontextmanager
async def open_live_socket(
    server: RunningServer, after: str | None = None, **more: object
) -> AsyncGenerator[LiveSocket]:
    """A socket that receives the events after a cursor, or all new ones."""
    async with open_socket(server) as socket:
        await socket.send(type="resume", after=after, **more)
        yield socket


def origin(server: RunningServer) -> str:
    """The Origin of the server's own pages."""
    parts = urlsplit(server.url)
    return f"{parts.scheme}://{parts.netloc}"
