"""How much a server accepts: connections, requests in progress, time for headers; it refuses the rest."""

import asyncio
import re
import resource
from typing import ClassVar, NamedTuple

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from assent.door.middleware import App, Receive, Scope, Send
from assent.door.problem import Problem
from assent.surfaces.http.api.service import CLOSING, FULL, LongRequests

MAX_DESCRIPTORS = 65_536
"""File descriptors that are requested, where the system allows that many."""
RESERVED = 128
"""File descriptors for the database, policy files, the audit's spool and refused connections."""
MAX_REFUSED = 32
"""Refused connections that stay open for a moment, so that the client can read why."""
HEADERS_TIMEOUT = 15.0
"""Seconds in which the request line and the headers must arrive, however many pieces they come in."""
MAX_BUFFERED = 65_536
"""Bytes that are held back; more are written at once."""
MAX_REQUESTS = 512
"""Requests in progress above which only vital ones are accepted; long polls and streams are not counted."""
MAX_VITAL = 2 * MAX_REQUESTS
"""Requests in progress above which none is accepted."""
_REFUSED_SECONDS = 1.0
_NO_ROOM = Problem(503, "the server has reached its limit of connections: try again in a moment")
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n"
    b"content-type: application/problem+json\r\ncontent-length: %d\r\n\r\n%s"
) % (len(_NO_ROOM.body), _NO_ROOM.body)
_STREAMS = re.compile(r"/v1/(live|events|conversations/[^/]+/(chat|stream))$")
_POLLS = re.compile(r"/v1/calls/[0-9a-f]{32}/wait$")
_VITAL = re.compile(
    r"/(healthz|readyz|v1/approvals/(answers|[0-9a-f]{32}(/answer)?)|v1/calls/[0-9a-f]{32}/report)$"
)
_PROBLEM = Problem(503, FULL, CLOSING)
_TRY_LATER = 1013


class Capacity(NamedTuple):
    """How many connections a server accepts, and how many of them may be long polls or streams."""

    connections: int
    long_requests: int
    """The rest is for health checks, decisions and answers."""


def raise_limit() -> int:
    """Raise the soft limit of open files as far as is useful; the limit that then holds."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MAX_DESCRIPTORS)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return MAX_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        return soft
    return wanted


def capacity_of(descriptors: int, configured: int) -> Capacity:
    """What a process with this many file descriptors can accept, and at most what its settings allow."""
    connections = min(max(descriptors - RESERVED, descriptors // 2), configured)
    return Capacity(connections, max(connections * 3 // 4, 1))


def protocol_class(limit: int) -> type["LimitedProtocol"]:
    """The protocol of a server that accepts this many connections at a time."""
    return type("Limited", (LimitedProtocol,), {"limit": limit, "refused": set[asyncio.Transport]()})


class LimitedProtocol(H11Protocol):
    """uvicorn's HTTP with a limit of connections and a timeout for the headers, which it does not have."""

    limit: ClassVar[int | None] = None
    """Connections at a time; one more is refused and closed."""
    refused: ClassVar[set[asyncio.Transport]]
    """Refused connections that are still open."""
    _transport: asyncio.Transport
    _timer: asyncio.TimerHandle | None = None
    _is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept or refuse a connection, and start the timeout of its headers."""
        if self.limit is not None and len(self.connections) >= self.limit:
            self._refuse(transport)
            return
        self._transport = transport
        super().connection_made(BufferedTransport(transport, self.loop))
        self._update_timer()

    def data_received(self, data: bytes) -> None:
        """Take data; it does not extend the timeout before the headers are complete."""
        if self._is_refused:
            return
        super().data_received(data)
        self._update_timer()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand over the plain transport: WebSocket frames are written whole."""
        self.transport = self._transport
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """Clean up after a connection."""
        self._stop_timer()
        if self._is_refused:
            self.refused.discard(self._transport)
            return
        super().connection_lost(exc)

    def _refuse(self, transport: asyncio.Transport) -> None:
        """Reply that the limit is reached; only a few clients get the time to read it."""
        self._is_refused = True
        self._transport = transport
        transport.write(_REFUSAL)
        if len(self.refused) >= MAX_REFUSED or not transport.can_write_eof():
            transport.close()
            return
        self.refused.add(transport)
        transport.write_eof()
        self._timer = self.loop.call_later(_REFUSED_SECONDS, transport.close)

    def _update_timer(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop_timer()
        elif self._timer is None and not self.transport.is_closing():
            self._timer = self.loop.call_later(HEADERS_TIMEOUT, self.transport.close)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class BufferedTransport(asyncio.Transport):
    """Writes once per turn of the loop: the headers and the body of a reply leave in one packet."""

    def __init__(self, inner: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self.inner = inner
        self._loop = loop
        self._buffer: list[bytes | bytearray | memoryview] = []
        self._size = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write this, together with what follows in the same turn."""
        if not data:
            return
        if not self._buffer:
            self._loop.call_soon(self.flush)
        self._buffer.append(data)
        self._size += len(data)
        if self._size > MAX_BUFFERED:
            self.flush()

    def flush(self) -> None:
        """Write what is buffered."""
        buffer, self._buffer, self._size = self._buffer, [], 0
        if buffer and not self.inner.is_closing():
            self.inner.write(buffer[0] if len(buffer) == 1 else b"".join(buffer))

    def close(self) -> None:
        """Close after everything is written."""
        self.flush()
        self.inner.close()

    def abort(self) -> None:
        """Close immediately."""
        self.inner.abort()

    def is_closing(self) -> bool:
        """Whether it is closed, or about to be."""
        return self.inner.is_closing()

    def get_extra_info(self, name: str, default: object = None) -> object:
        """Information about the connection."""
        return self.inner.get_extra_info(name, default)

    def pause_reading(self) -> None:
        """Stop reading."""
        self.inner.pause_reading()

    def resume_reading(self) -> None:
        """Read again."""
        self.inner.resume_reading()

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Give what is read to another protocol."""
        self.inner.set_protocol(protocol)


class LoadLimit:
    """Refuses requests before the door reads them, which makes a refusal cheap."""

    def __init__(self, app: App, long_requests: LongRequests) -> None:
        self._app = app
        self._long_requests = long_requests
        self._busy = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        path = str(scope.get("path", ""))
        if _STREAMS.search(path):
            await self._stream(scope, receive, send)
        elif scope["type"] not in ("http", "websocket") or _POLLS.search(path):
            # A poll may return at once; its route knows whether it would wait.
            await self._app(scope, receive, send)
        elif self._busy >= (MAX_VITAL if _VITAL.search(path) else MAX_REQUESTS):
            await _refuse(scope, send)
        else:
            self._busy += 1
            try:
                await self._app(scope, receive, send)
            finally:
                self._busy -= 1

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._long_requests.has_room:
            await _refuse(scope, send)
            return
        with self._long_requests.count():
            await self._app(scope, receive, send)


async def _refuse(scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _TRY_LATER})
        return
    await send(_PROBLEM.start())
    await send(_PROBLEM.end())
