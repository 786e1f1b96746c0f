"""The server's local socket: private, for the same user, and for calls, hooks and decisions only."""

import http.client
import os
import socket
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from assent.hosts.hook.claude import SOCKET_FILE
from assent.surfaces.http import local_socket
from assent.surfaces.http.local_socket import (
    LocalApp,
    bind_local_socket,
    peer_process,
    peer_user,
)
from assent.surfaces.http.routes.hooks import shares_files
from tests.serving import RunningServer, start_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    running = start_server(tmp_path_factory.mktemp("local"))
    yield running
    running.close()


class LocalConnection(http.client.HTTPConnection):
    """An HTTP connection over a local socket."""

    def __init__(self, directory: Path) -> None:
        super().__init__("localhost")
        self._directory = directory

    def connect(self) -> None:
        handle = os.open(self._directory, os.O_RDONLY)
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(f"/proc/self/fd/{handle}/{SOCKET_FILE}")
        os.close(handle)


def request_status(server: RunningServer, path: str, *, token: str | None = None, **headers: str) -> int:
    """The status of a request over the local socket."""
    connection = LocalConnection(server.data)
    given = {"Content-Type": "application/json", **headers}
    if token is not None:
        given["Authorization"] = f"Bearer {token}"
    body = '{"tool": "Bash", "args": {"command": "ls"}}'
    connection.request("POST" if body and "decide" in path else "GET", path, body, given)
    status = connection.getresponse().status
    connection.close()
    return status


def test_only_the_user_can_open_the_socket(server: RunningServer) -> None:
    found = os.lstat(server.data / SOCKET_FILE)

    assert stat.S_ISSOCK(found.st_mode)
    assert stat.S_IMODE(found.st_mode) == 0o600
    assert stat.S_IMODE(os.lstat(server.data).st_mode) == 0o700


def test_a_request_needs_a_token_as_over_tcp(server: RunningServer) -> None:
    assert request_status(server, "/v1/decide", token=server.token) == 200
    assert request_status(server, "/v1/decide", token="wrong") == 401


@pytest.mark.parametrize("path", ["/", "/v1/approvals", "/v1/people", "/metrics", "/v1/callsX", "//v1/calls"])
def test_nothing_else_is_served(server: RunningServer, path: str) -> None:
    assert request_status(server, path, token=server.token) == 404


def test_a_websocket_is_not_served(server: RunningServer) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}

    status = request_status(
        server, "/v1/live", token=server.token, **upgrade, **{"Sec-WebSocket-Key": "x" * 22 + "=="}
    )

    assert status == 404


def test_each_end_knows_the_user_of_the_other() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert peer_user(one) == peer_user(other) == os.getuid()


def test_only_a_process_with_the_same_mounts_shares_files(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = socket.socketpair()
    with one, other:
        assert peer_process(one) == os.getpid()
    assert not shares_files(0)
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as child:
        assert shares_files(child.pid)
        monkeypatch.setattr(local_socket.os, "readlink", lambda path: path)
        assert not shares_files(child.pid)


async def test_a_connection_of_another_user_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_socket, "peer_user", lambda _: os.getuid() + 1)
    one, other = socket.socketpair()
    with one, other:
        assert local_socket.is_other_user(one)


def test_the_socket_of_a_killed_server_is_replaced(tmp_path: Path) -> None:
    with bind_local_socket(str(tmp_path), 1) as first:
        assert first is not None
        first.close()
        with bind_local_socket(str(tmp_path), 1) as second:
            assert second is not None
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(tmp_path / SOCKET_FILE))
    assert not (tmp_path / SOCKET_FILE).exists()


def test_the_socket_of_a_running_server_stays(tmp_path: Path) -> None:
    with bind_local_socket(str(tmp_path), 1), bind_local_socket(str(tmp_path), 1) as second:
        assert second is None
        assert (tmp_path / SOCKET_FILE).exists()


def test_a_file_that_is_no_socket_stays(tmp_path: Path) -> None:
    (tmp_path / SOCKET_FILE).write_text("mine", "utf-8")
    with bind_local_socket(str(tmp_path), 1) as listener:
        assert listener is None

    assert (tmp_path / SOCKET_FILE).read_text("utf-8") == "mine"


def test_a_directory_with_a_long_name_has_a_socket_too(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 120)
    deep.mkdir()
    with bind_local_socket(str(deep), 1) as listener:
        assert listener is not None


async def test_requests_outside_are_not_passed_on() -> None:
    passed: list[str] = []

    async def app(scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        passed.append(scope["path"])

    async def send(_: object) -> None: ...

    for path in (
        "/v1/calls",
        "/v1/calls/x/wait",
        "/v1/hooks/claude",
        "/v1/decide",
        "/v1/decided",
        "/v1/rules",
    ):
        await LocalApp(app)({"type": "http", "path": path}, send, send)  # type: ignore[arg-type]

    assert passed == ["/v1/calls", "/v1/calls/x/wait", "/v1/hooks/claude", "/v1/decide"]
