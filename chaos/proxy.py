"""A proxy in front of PostgreSQL that drops notifications, cuts a connection, or blocks all data."""

import asyncio
import struct
import threading
import time
from itertools import count
from types import TracebackType
from typing import Self

from sqlalchemy import make_url

_NOTIFICATION_TYPE = b"A"
"""Type byte of PostgreSQL's notification messages."""


class Proxy:
    """A proxy that runs in its own thread; used as a context manager."""

    def __init__(self, socket: str, *, cut_at: int | None = None, drops_notices: bool = True) -> None:
        self.socket = socket
        """Where the server is; connections that are made later go where it says then."""
        self._cut_at = cut_at
        self._drops_notices = drops_notices and cut_at is None
        self._whole = asyncio.Event()
        self._whole.set()
        self._messages = count(1)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._listening: asyncio.Server | None = None
        self.port = 0
        self.dropped = 0
        self.is_cut = False

    def __enter__(self) -> Self:
        self._thread.start()
        self.port = asyncio.run_coroutine_threadsafe(self._start_listening(), self._loop).result(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close_server(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def proxied_address(self, address: str) -> str:
        """The address of a database through this proxy."""
        url = make_url(address).set(host="127.0.0.1", port=self.port, query={"ssl": "disable"})
        return url.render_as_string(hide_password=False)

    def partition(self, seconds: float) -> None:
        """Hold back all data in both directions for a while."""
        self._loop.call_soon_threadsafe(self._whole.clear)
        try:
            time.sleep(seconds)
        finally:
            self._loop.call_soon_threadsafe(self._whole.set)

    async def _start_listening(self) -> int:
        self._listening = await asyncio.start_server(self._serve_client, "127.0.0.1", 0)
        port: int = self._listening.sockets[0].getsockname()[1]
        return port

    async def _close_server(self) -> None:
        if self._listening is not None:
            self._listening.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve_client(self, client: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        await self._whole.wait()
        try:
            server, forth = await asyncio.open_unix_connection(self.socket)
        except OSError:  # The server is down.
            back.close()
            return
        try:
            await asyncio.gather(self._copy_stream(client, forth), self._copy_filtered(server, back))
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # One side closed: close the other.
        finally:
            forth.close()
            back.close()

    async def _copy_filtered(self, server: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        while True:
            head = await server.readexactly(5)
            body = await server.readexactly(struct.unpack("!I", head[1:])[0] - 4)
            if self._cut_at is not None and next(self._messages) == self._cut_at:
                self.is_cut = True
                raise ConnectionResetError
            await self._whole.wait()
            if self._drops_notices and head[:1] == _NOTIFICATION_TYPE:
                self.dropped += 1
            else:
                client.write(head + body)
                await client.drain()

    async def _copy_stream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            await self._whole.wait()
            writer.write(data)
            await writer.drain()
        writer.close()
