"""The server's Unix socket: for programs of the same user, and only for calls, hooks and decisions.

A connection proves no role: every request needs a token, as over TCP.
"""

import logging
import os
import re
import socket
import stat
import struct
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import cast

from uvicorn import Config
from uvicorn.server import ServerState

from assent.door.middleware import App, Receive, Scope, Send
from assent.door.problem import Problem
from assent.hosts.hook.claude import SOCKET_FILE
from assent.surfaces.http.capacity import LimitedProtocol

_log = logging.getLogger("assent.server")
_SERVED_PATHS = re.compile(r"/v1/(calls|hooks|decide)(/|$)")
_NOT_SERVED = Problem(404, "the local socket serves only /v1/calls, /v1/hooks and /v1/decide")
_CREDENTIALS = struct.Struct("3i")
_CONNECT_SECONDS = 1.0


@contextmanager
def bind_local_socket(directory: str, backlog: int) -> Generator[socket.socket | None]:
    """Listen on a socket that only this user can open; None where that is not possible.

    INVARIANT: the directory is private, so that nobody else can open the socket before its mode is set.
    """
    path = os.path.join(directory, SOCKET_FILE)
    try:
        listener = _bind_and_listen(directory, path, backlog)
    except OSError as error:
        _log.warning("there is no local socket: %s", (error.strerror or str(error)).lower())
        yield None
        return
    made = os.lstat(path)
    with listener:
        try:
            yield listener
        finally:
            with suppress(OSError):
                if os.path.samestat(made, os.lstat(path)):
                    os.unlink(path)


def peer_user(connection: socket.socket) -> int | None:
    """The id of the user on the other side; None where the system cannot tell."""
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(found)
    return int(user)


def peer_process(connection: socket.socket) -> int:
    """The id of the process on the other side; 0 where the system cannot tell."""
    if not hasattr(socket, "SO_PEERCRED"):
        return 0
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return int(_CREDENTIALS.unpack(found)[0])


def is_other_user(connection: socket.socket) -> bool:
    """Whether another user than that of this process is on the other side."""
    return peer_user(connection) not in (None, os.getuid())


class LocalApp:
    """Passes on the requests that the local socket serves, and refuses the others."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.peer = 0
        """The process on the other side of the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and _SERVED_PATHS.match(str(scope.get("path", ""))):
            cast("dict[str, object]", scope.setdefault("state", {}))["peer"] = self.peer
            await self._app(scope, receive, send)
            return
        await send(_NOT_SERVED.response_start())
        await send(_NOT_SERVED.response_end())


def local_protocol(
    limited: type[LimitedProtocol], config: Config, state: ServerState
) -> Callable[[], LimitedProtocol]:
    """Creates the protocol of connections of the local socket; it counts them together with the others."""

    class LocalProtocol(limited):  # type: ignore[valid-type, misc]
        """Refuses other users and WebSockets."""

        def __init__(self) -> None:
            super().__init__(config=config, server_state=state, app_state={})
            self._local = LocalApp(cast("App", config.loaded_app))  # pyright: ignore[reportUnknownMemberType]
            self.app = self._local
            self.ws_protocol_class = None

        def is_refused_peer(self, connection: socket.socket) -> bool:
            self._local.peer = peer_process(connection)
            return is_other_user(connection)

    return LocalProtocol


def _bind_and_listen(directory: str, path: str, backlog: int) -> socket.socket:
    """Bind a new socket, after the file of a server that was killed is removed."""
    _remove_stale_file(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        listener.bind(_short_path(handle, path))
        os.chmod(path, 0o600)
        listener.listen(backlog)
    except OSError:
        listener.close()
        raise
    finally:
        os.close(handle)
    return listener


def _short_path(handle: int, path: str) -> str:
    """A path of the socket that fits into its address, which has about 100 bytes."""
    through = f"/proc/self/fd/{handle}"
    return os.path.join(through, SOCKET_FILE) if os.path.isdir(through) else path


def _remove_stale_file(path: str) -> None:
    """Remove the socket of a server that no longer runs; the socket of a running one stays."""
    try:
        if not stat.S_ISSOCK(os.lstat(path).st_mode):
            raise FileExistsError(0, f"{path} is not a socket")
    except FileNotFoundError:
        return
    handle = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(_CONNECT_SECONDS)
            probe.connect(_short_path(handle, path))
    except ConnectionRefusedError:
        os.unlink(path)
    else:
        raise FileExistsError(0, "another server listens on the socket of this data directory")
    finally:
        os.close(handle)
