"""A terminal and a watch over real WebSockets of a real server, from the page of a person."""

import asyncio
import os
import urllib.request
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from assent.hosts.workbench.workbench import MAX_SOCKETS
from tests.serving import RunningServer, server
from tests.surfaces.http.sockets import PATIENCE, LiveSocket, origin
from tests.waiting import wait_until_async


@pytest.fixture(scope="module")
def running_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with secrets in its environment."""
    secrets = {"ANTHROPIC_API_KEY": "sk-secret", "ASSENT_PORT": "0"}
    with server(tmp_path_factory.mktemp("terminals"), env=secrets) as running:
        yield running


@pytest.fixture(scope="module")
def page(running_server: RunningServer) -> Mapping[str, str]:
    """The headers of our own page with the session of the owner."""
    return log_in(running_server)


def log_in(running: RunningServer) -> dict[str, str]:
    """Use the log-in link; return the headers that a page of the server sends afterwards."""
    body = b'{"link": "%s"}' % running.login_url.partition("#")[2].encode()
    headers = {"content-type": "application/json", "origin": origin(running)}
    request = urllib.request.Request(f"{running.url}/v1/login", body, headers)
    with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
        cookie = str(reply.headers["set-cookie"]).partition(";")[0]
    return {"Cookie": cookie, "Origin": origin(running)}


def project(running: RunningServer) -> Path:
    """The directory in which the server was started."""
    return running.data.parent.parent / "project"


@asynccontextmanager
async def open_socket(
    running: RunningServer, path: str, headers: Mapping[str, str]
) -> AsyncGenerator[LiveSocket]:
    address = running.url.replace("http", "ws", 1) + path
    patient = {"open_timeout": PATIENCE, "ping_timeout": PATIENCE}
    given = dict(headers)
    async with connect(
        address,
        additional_headers=given,
        proxy=None,
        max_size=None,
        **patient,  # type: ignore[arg-type]
    ) as socket:
        yield LiveSocket(socket)


async def receive_output(socket: LiveSocket, text: str) -> str:
    """Receive output until it contains a text."""
    found = ""
    while text not in found:
        message = await socket.receive()
        found += str(message.get("text", "")) if message["type"] == "output" else ""
    return found


async def open_terminal(socket: LiveSocket, **more: Any) -> str:
    """Open a terminal in the server's own directory; return its id."""
    await socket.send(type="open", **more)
    opened = await socket.receive()
    assert opened["type"] == "opened", opened
    return str(opened["terminal"])


async def test_a_person_uses_a_terminal_on_the_page(
    running_server: RunningServer, page: Mapping[str, str]
) -> None:
    async with open_socket(running_server, "/v1/terminals/stream", page) as socket:
        await open_terminal(socket, columns=90, rows=30)
        await socket.send(type="input", text="pwd; stty size; env; echo e''nd\n")
        shown = await receive_output(socket, "end\r\n")
        await socket.send(type="resize", columns=111, rows=33)
        await socket.send(type="input", text="stty size\n")
        await receive_output(socket, "33 111")
        await socket.send(type="input", text="exit 5\n")
        last = (await socket.receive_until("exited"))[-1]

    assert str(project(running_server)) in shown
    assert "30 90" in shown
    assert "ASSENT_" not in shown
    assert "sk-secret" not in shown
    assert last == {"type": "exited", "status": 5}


async def test_a_page_attaches_again_and_ends_its_terminal(
    running_server: RunningServer, page: Mapping[str, str]
) -> None:
    pids = project(running_server) / "pids"
    async with open_socket(running_server, "/v1/terminals/stream", page) as socket:
        id = await open_terminal(socket)
        await socket.send(type="input", text="echo $$ > pids; echo ke''pt\n")
        await receive_output(socket, "kept")
    async with open_socket(running_server, "/v1/terminals/stream", page) as socket:
        await socket.send(type="attach", terminal=id)
        opened = await socket.receive()
        await receive_output(socket, "kept")
        await socket.send(type="close")
        await socket.receive_until("exited")

    assert opened["terminal"] == id
    pid = int(pids.read_text())
    await wait_until_async(lambda: not Path(f"/proc/{pid}").exists())


async def test_terminals_end_with_the_server(tmp_path: Path) -> None:
    with server(tmp_path) as running:
        async with open_socket(running, "/v1/terminals/stream", log_in(running)) as socket:
            await open_terminal(socket)
            command = "trap '' HUP; setsid sleep 3600 & echo $! > pids; echo $$ >> pids; echo do''ne\n"
            await socket.send(type="input", text=command)
            await receive_output(socket, "done")
            status = await asyncio.to_thread(running.stop)

    assert status == 0
    pids = (project(running) / "pids").read_text().split()
    assert [one for one in pids if os.path.exists(f"/proc/{one}")] == []


@pytest.mark.parametrize("path", ["/v1/terminals/stream", "/v1/files/watch"])
@pytest.mark.proves("T-15")
async def test_no_token_and_no_other_origin_opens_a_socket_of_the_workbench(
    running_server: RunningServer, page: Mapping[str, str], path: str
) -> None:
    token = {"Authorization": f"Bearer {running_server.token}"}
    refused: list[dict[str, str]] = [
        {**page, "Origin": "http://127.0.0.1:1"},
        {**page, "Origin": "null"},
        {"Cookie": page["Cookie"]},
        {"Origin": page["Origin"]},
        token,
        {**page, **token},
    ]
    for headers in refused:
        with pytest.raises(InvalidStatus) as found:
            async with open_socket(running_server, path, headers):
                pass

        assert found.value.response.status_code == 403


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ({"type": "input", "text": "x"}, 4400),
        ({"type": "open", "columns": 1}, 4400),
        ({"type": "open", "columns": True}, 4400),
        ({"type": "open", "more": 1}, 4400),
        ({"type": "open", "path": 1}, 4400),
    ],
)
async def test_a_malformed_first_frame_closes_the_socket(
    running_server: RunningServer, page: Mapping[str, str], frame: Mapping[str, object], code: int
) -> None:
    async with open_socket(running_server, "/v1/terminals/stream", page) as socket:
        await socket.send(**frame)

        assert await socket.wait_for_close_code() == code


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        ({"type": "open", "path": "/../.."}, "outside"),
        ({"type": "open", "path": "/none"}, "absent"),
        ({"type": "open", "root": "none"}, "absent"),
        ({"type": "attach", "terminal": "0" * 32}, "absent"),
    ],
)
async def test_a_terminal_that_cannot_be_opened_says_why(
    running_server: RunningServer, page: Mapping[str, str], frame: Mapping[str, object], reason: str
) -> None:
    async with open_socket(running_server, "/v1/terminals/stream", page) as socket:
        await socket.send(**frame)
        message = await socket.receive()

    assert (message["type"], message["reason"]) == ("error", reason)


async def test_the_sockets_of_a_person_are_limited(
    running_server: RunningServer, page: Mapping[str, str]
) -> None:
    async with AsyncExitStack() as opened:
        for _ in range(MAX_SOCKETS):
            socket = await opened.enter_async_context(open_socket(running_server, "/v1/files/watch", page))
            await socket.send(type="watch", directories=[])
            assert await socket.receive() == {"type": "watching"}
        async with open_socket(running_server, "/v1/files/watch", page) as refused:
            assert await refused.wait_for_close_code() == 4429
            assert "close a page" in (refused.socket.close_reason or "")

    # A socket that was closed makes room for another one.
    async with open_socket(running_server, "/v1/files/watch", page) as socket:
        await socket.send(type="watch", directories=[])
        assert await socket.receive() == {"type": "watching"}


async def test_a_page_is_told_which_directories_changed(
    running_server: RunningServer, page: Mapping[str, str]
) -> None:
    source = project(running_server) / "watched"
    source.mkdir()
    (source / "a.ts").write_text("old")
    async with open_socket(running_server, "/v1/files/watch", page) as socket:
        await socket.send(type="watch", directories=[{"root": "", "path": "/watched"}])
        watching = await socket.receive()
        (source / "a.ts").write_text("new text")
        changed = await socket.receive()
        (source / "a.ts").unlink()
        source.rmdir()
        gone = await socket.receive()
        while gone["state"] != "gone":
            gone = await socket.receive()
        await socket.send(type="watch", directories=[{"root": "none", "path": "/"}])
        refused = await socket.receive()

    where = {"type": "changed", "root": "project", "path": "/watched"}
    assert watching == {"type": "watching"}
    assert changed == {**where, "state": "changed"}
    assert gone == {**where, "state": "gone"}
    assert (refused["type"], refused["reason"]) == ("error", "absent")
