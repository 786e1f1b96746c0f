"""A server for hook processes that replies with given bytes."""

import os
import socket
import threading
from contextlib import suppress
from pathlib import Path


class ScriptedServer:
    """A server on a local socket that answers each connection with the next of its replies, then closes it."""

    def __init__(self, directory: Path, *replies: bytes | None, only: bytes = b"") -> None:
        """With `only`, requests without these bytes are closed and use no reply."""
        self._only = only
        self.requests: list[bytes] = []
        self._replies = list(replies)
        self._held: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        handle = os.open(directory, os.O_RDONLY)
        self._listener.bind(f"/proc/self/fd/{handle}/assent.sock")  # the whole path may be too long
        os.close(handle)
        self._listener.listen()
        threading.Thread(target=self._serve_replies, daemon=True).start()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # ends the thread, which waits for a connection
        self._listener.close()
        for one in self._held:
            one.close()

    def _serve_replies(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self._handle_connection(connection)

    def _handle_connection(self, connection: socket.socket) -> None:
        request = _read_request(connection)
        if request is None or self._only not in request:
            connection.close()
            return
        self.requests.append(request)
        reply = self._replies.pop(0) if self._replies else b""
        if reply is None:
            self._held.append(connection)  # It accepts, and never replies.
            return
        with suppress(OSError):
            connection.sendall(reply)
        connection.close()


def _read_request(connection: socket.socket) -> bytes | None:
    """The whole request; None if its process ended before it was sent."""
    data = b""
    while b"\r\n\r\n" not in data:
        if not (piece := connection.recv(65536)):
            return None
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        int(line.partition(b":")[2])
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length")
    )
    while len(body) < length:
        if not (piece := connection.recv(65536)):
            return None
        body += piece
    return head + b"\r\n\r\n" + body
