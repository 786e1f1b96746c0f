"""Patience with connections: who opens one says soon what they want, or makes room for others."""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from assent.surfaces.http.joined import Joined

PATIENCE = 15.0
"""Seconds for the first line and the headers of a request, however many pieces they come in."""


class Patient(H11Protocol):
    """HTTP as uvicorn speaks it, which by itself would wait for a request for ever."""

    _below: asyncio.Transport
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there: from now on they have so long."""
        self._below = transport
        super().connection_made(Joined(transport, self.loop))
        self._look()

    def data_received(self, data: bytes) -> None:
        """A piece more; it buys no time before the request is whole."""
        super().data_received(data)
        self._look()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """From here on messages are whole by themselves."""
        self.transport = self._below
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """They left."""
        self._stop()
        super().connection_lost(exc)

    def _look(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(PATIENCE, self.transport.close)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
