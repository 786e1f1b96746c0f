"""Limits of a server: connections, concurrent requests, and time for headers."""

import asyncio
import re
import resource
import socket
from typing import ClassVar, NamedTuple

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from assent.door.middleware import App, Receive, Scope, Send
from assent.door.problem import Problem
from assent.surfaces.http.api.service import OVERLOAD_HEADERS, OVERLOAD_MESSAGE, LongRequestLimit

MAX_DESCRIPTORS = 65_536
"""Number of file descriptors to request from the system."""
RESERVED_DESCRIPTORS = 128
"""File descriptors that are reserved for the database, files and refused connections."""
MAX_REFUSED_CONNECTIONS = 32
"""Maximum number of refused connections that stay open briefly, so that the client can read the reason."""
HEADERS_TIMEOUT = 15.0
"""Seconds in which the complete request line and headers must arrive."""
MAX_BUFFERED_BYTES = 65_536
"""Bytes that are buffered; more bytes are written immediately."""
MAX_REQUESTS = 512
"""Above this number of concurrent requests, only vital ones are accepted; streams do not count."""
MAX_VITAL_REQUESTS = 2 * MAX_REQUESTS
"""Above this number of concurrent requests, all are refused."""
_REFUSED_SECONDS = 1.0
_CONNECTION_LIMIT_PROBLEM = Problem(
    503, "the server has reached its limit of connections: try again in a moment"
)
_REFUSAL_RESPONSE = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n"
    b"content-type: application/problem+json\r\ncontent-length: %d\r\n\r\n%s"
) % (len(_CONNECTION_LIMIT_PROBLEM.body), _CONNECTION_LIMIT_PROBLEM.body)
_STREAM_PATHS = re.compile(r"/v1/(live|events|conversations/[^/]+/(chat|stream))$")
_POLL_PATHS = re.compile(r"/v1/(calls/[0-9a-f]{32}/wait|hooks/claude/[0-9a-f]{32}/wait|hooks/claude)$")
_VITAL_PATHS = re.compile(
    r"/(healthz|readyz|v1/approvals/(answers|[0-9a-f]{32}(/answer)?)|v1/calls/[0-9a-f]{32}/report)$"
)
_OVERLOAD_PROBLEM = Problem(503, OVERLOAD_MESSAGE, OVERLOAD_HEADERS)
_TRY_LATER_CODE = 1013


class Capacity(NamedTuple):
    """The maximum number of connections, and how many of them may be long polls or streams."""

    connections: int
    long_requests: int
    """Fewer than `connections`, so that health checks, decisions and answers are still served."""


def raise_open_files_limit() -> int:
    """Raise the soft limit of open files if possible; returns the resulting limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MAX_DESCRIPTORS)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return MAX_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        return soft
    return wanted


def compute_capacity(descriptors: int, configured: int) -> Capacity:
    """The capacity of a process with this many file descriptors, limited by the configured connections."""
    connections = min(max(descriptors - RESERVED_DESCRIPTORS, descriptors // 2), configured)
    return Capacity(connections, max(connections * 3 // 4, 1))


def limited_protocol_class(limit: int) -> type["LimitedProtocol"]:
    """A protocol class for uvicorn with this connection limit."""
    return type("Limited", (LimitedProtocol,), {"limit": limit, "refused": set[asyncio.Transport]()})


class LimitedProtocol(H11Protocol):
    """uvicorn's HTTP protocol with two additions: a connection limit and a timeout for headers."""

    limit: ClassVar[int | None] = None
    """Maximum number of open connections; further ones are refused."""
    refused: ClassVar[set[asyncio.Transport]]
    """Refused connections that are still open."""
    _transport: asyncio.Transport
    _timer: asyncio.TimerHandle | None = None
    _is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept or refuse a connection, and start the timeout of its headers."""
        if self.is_refused_peer(transport.get_extra_info("socket")):
            self._is_refused = True
            self._transport = transport
            transport.abort()
            return
        if self.limit is not None and len(self.connections) >= self.limit:
            self._refuse_connection(transport)
            return
        self._transport = transport
        super().connection_made(BufferedTransport(transport, self.loop))
        self._update_headers_timer()

    def is_refused_peer(self, connection: socket.socket) -> bool:  # noqa: ARG002 - for the local socket
        """Whether the other side may not connect at all."""
        return False

    def data_received(self, data: bytes) -> None:
        """Process data; incomplete headers do not extend the timeout."""
        if self._is_refused:
            return
        super().data_received(data)
        self._update_headers_timer()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Use the unbuffered transport for a WebSocket, whose frames are complete already."""
        self.transport = self._transport
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """Clean up after a connection."""
        self._stop_headers_timer()
        if self._is_refused:
            self.refused.discard(self._transport)
            return
        super().connection_lost(exc)

    def _refuse_connection(self, transport: asyncio.Transport) -> None:
        """Send a 503 response and close; only a few such connections stay open briefly."""
        self._is_refused = True
        self._transport = transport
        transport.write(_REFUSAL_RESPONSE)
        if len(self.refused) >= MAX_REFUSED_CONNECTIONS or not transport.can_write_eof():
            transport.close()
            return
        self.refused.add(transport)
        transport.write_eof()
        self._timer = self.loop.call_later(_REFUSED_SECONDS, transport.close)

    def _update_headers_timer(self) -> None:
        """Start the headers timeout while headers are expected; stop it when they are complete."""
        if self.conn.their_state is not h11.IDLE:
            self._stop_headers_timer()
        elif self._timer is None and not self.transport.is_closing():
            self._timer = self.loop.call_later(HEADERS_TIMEOUT, self.transport.close)

    def _stop_headers_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class BufferedTransport(asyncio.Transport):
    """Writes once per iteration of the event loop, so that headers and body are sent in one packet."""

    def __init__(self, inner: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self.inner = inner
        self._loop = loop
        self._buffer: list[bytes | bytearray | memoryview] = []
        self._size = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Buffer data until the end of this iteration of the event loop."""
        if not data:
            return
        if not self._buffer:
            self._loop.call_soon(self.flush)
        self._buffer.append(data)
        self._size += len(data)
        if self._size > MAX_BUFFERED_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write all buffered data."""
        buffer, self._buffer, self._size = self._buffer, [], 0
        if buffer and not self.inner.is_closing():
            self.inner.write(buffer[0] if len(buffer) == 1 else b"".join(buffer))

    def close(self) -> None:
        """Write all buffered data, then close."""
        self.flush()
        self.inner.close()

    def abort(self) -> None:
        """Close immediately, without writing buffered data."""
        self.inner.abort()

    def is_closing(self) -> bool:
        """Whether the connection is closed or closing."""
        return self.inner.is_closing()

    def get_extra_info(self, name: str, default: object = None) -> object:
        """Information about the connection, such as the peer's address."""
        return self.inner.get_extra_info(name, default)

    def pause_reading(self) -> None:
        """Stop reading from the connection."""
        self.inner.pause_reading()

    def resume_reading(self) -> None:
        """Resume reading from the connection."""
        self.inner.resume_reading()

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Pass received data to another protocol."""
        self.inner.set_protocol(protocol)


class LoadLimit:
    """Middleware that refuses requests above the limits, before the door checks them."""

    def __init__(self, app: App, long_requests: LongRequestLimit) -> None:
        self._app = app
        self._long_requests = long_requests
        self._busy = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        path = str(scope.get("path", ""))
        if _STREAM_PATHS.search(path):
            await self._serve_stream(scope, receive, send)
        elif scope["type"] not in ("http", "websocket") or _POLL_PATHS.search(path):
            # A long poll may return immediately, so its route checks the limit.
            await self._app(scope, receive, send)
        elif self._busy >= (MAX_VITAL_REQUESTS if _VITAL_PATHS.search(path) else MAX_REQUESTS):
            await _refuse_request(scope, send)
        else:
            self._busy += 1
            try:
                await self._app(scope, receive, send)
            finally:
                self._busy -= 1

    async def _serve_stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._long_requests.can_start_request:
            await _refuse_request(scope, send)
            return
        with self._long_requests.count_open_request():
            await self._app(scope, receive, send)


async def _refuse_request(scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _TRY_LATER_CODE})
        return
    await send(_OVERLOAD_PROBLEM.response_start())
    await send(_OVERLOAD_PROBLEM.response_end())
