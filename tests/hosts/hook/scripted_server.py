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
        if self._only not in request:
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


def _read_request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        int(line.partition(b":")[2])
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length")
    )
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body
