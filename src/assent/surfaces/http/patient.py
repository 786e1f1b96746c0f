"""Patience with connections: who opens one says soon what they want, or makes room for others."""

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from assent.door.problem import Problem
from assent.surfaces.http.joined import Joined

MOST_TURNED_AWAY = 32
_TO_READ = 1.0
"""Seconds to read that there is no room."""
PATIENCE = 15.0
"""Seconds for the first line and the headers of a request, however many pieces they come in."""


def limited(most: int) -> type["Patient"]:
    """The protocol of a server that takes this many connections at a time."""
    return type("Limited", (Patient,), {"most": most, "turned_away": set[asyncio.Transport]()})


_NO_ROOM = Problem(503, "the server has as many connections as it can hold: try again in a moment")
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n"
    b"content-type: application/problem+json\r\ncontent-length: %d\r\n\r\n%s"
) % (len(_NO_ROOM.body), _NO_ROOM.body)


class Patient(H11Protocol):
    """HTTP as uvicorn speaks it, which by itself would wait for a request for ever."""

    most: ClassVar[int | None] = None
    """Connections at a time; one more is told so, and closed."""
    turned_away: ClassVar[set[asyncio.Transport]]
    """Connections that are being told."""
    _below: asyncio.Transport
    _deadline: asyncio.TimerHandle | None = None
    _is_turned_away = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there: from now on they have so long."""
        if self.most is not None and len(self.connections) >= self.most:
            self._turn_away(transport)
            return
        self._below = transport
        super().connection_made(Joined(transport, self.loop))
        self._look()

    def data_received(self, data: bytes) -> None:
        """A piece more; it buys no time before the request is whole."""
        if self._is_turned_away:
            return
        super().data_received(data)
        self._look()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """From here on messages are whole by themselves."""
        self.transport = self._below
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """They left."""
        self._stop()
        if self._is_turned_away:
            self.turned_away.discard(self._below)
            return
        super().connection_lost(exc)

    def _turn_away(self, transport: asyncio.Transport) -> None:
        """Say that there is no room; a few are given the time to read it, however many come."""
        self._is_turned_away = True
        self._below = transport
        transport.write(_FULL)
        if len(self.turned_away) >= MOST_TURNED_AWAY or not transport.can_write_eof():
            transport.close()
            return
        self.turned_away.add(transport)
        transport.write_eof()
        self._deadline = self.loop.call_later(_TO_READ, transport.close)

    def _look(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(PATIENCE, self.transport.close)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
