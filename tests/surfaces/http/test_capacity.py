"""Connections are limited, closed without a request, and written to once per reply."""

import asyncio
import multiprocessing
import resource
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from assent.surfaces.http import capacity as connections
from assent.surfaces.http.api.service import LongRequestLimit
from assent.surfaces.http.capacity import (
    MAX_BUFFERED_BYTES,
    MAX_REQUESTS,
    MAX_VITAL_REQUESTS,
    BufferedTransport,
    Capacity,
    LimitedProtocol,
    LoadLimit,
    compute_capacity,
    raise_open_files_limit,
)
from tests.door.calling import EchoApp
from tests.door.listening import serve_app
from tests.surfaces.http.routes.test_slow_clients import Message
from tests.waiting import advance_loop_time, run_ready_tasks, wait_until_async

LIMIT = 0.3
WHOLE = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.fixture(autouse=True)
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADERS_TIMEOUT", LIMIT)


async def read_reply(address: str, *pieces: bytes, pause: float = 0.0) -> bytes:
    """Send pieces with pauses; return everything received until the server closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(address).port)

    async def send_heartbeats() -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    speaking, heard = asyncio.create_task(send_heartbeats()), b""
    async with asyncio.timeout(60):
        # A client that was still sending may get a reset instead of a close.
        with suppress(ConnectionResetError):
            heard = await reader.read()
    speaking.cancel()
    await asyncio.gather(speaking, return_exceptions=True)
    writer.close()
    return heard


@pytest.mark.proves("R-19", "T-41")
@pytest.mark.parametrize(
    "pieces",
    [[], [b"GET / HTTP/1.1\r\nHost: here\r\n"], [bytes([one]) for one in WHOLE * 100]],
    ids=["nothing", "half", "letter by letter"],
)
async def test_a_client_that_sends_no_headers_in_time_is_disconnected(pieces: list[bytes]) -> None:
    async with serve_app(EchoApp(), http=LimitedProtocol) as address:
        heard = await read_reply(address, *pieces, pause=LIMIT / 10)

    assert heard == b""


async def test_a_client_that_stops_during_its_second_request_is_disconnected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "HEADERS_TIMEOUT", 60)
    async with serve_app(EchoApp(), http=LimitedProtocol, timeout_keep_alive=60) as address:
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(address).port)
        writer.write(WHOLE)
        first = await reader.readuntil(b"\r\n\r\n")
        monkeypatch.setattr(connections, "HEADERS_TIMEOUT", LIMIT)
        writer.write(b"GET")
        async with asyncio.timeout(50):
            rest = await reader.read()
        writer.close()

    assert first.startswith(b"HTTP/1.1 200 OK")
    assert b"HTTP/1.1" not in rest


async def test_a_slow_request_handler_is_not_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def handle_slowly(scope: object, receive: object, send: object) -> None:
        advance_loop_time(2 * connections.HEADERS_TIMEOUT)
        await run_ready_tasks()
        await EchoApp()(scope, receive, send)

    monkeypatch.setattr(connections, "HEADERS_TIMEOUT", 20)

    async with serve_app(handle_slowly, http=LimitedProtocol, timeout_keep_alive=0) as address:
        heard = await read_reply(address, WHOLE)

    assert heard.startswith(b"HTTP/1.1 200 OK")


class RecordingTransport(asyncio.Transport):
    """A transport that records writes and the close."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.is_closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.is_closed
        self.written.append(bytes(data))

    def close(self) -> None:
        self.is_closed = True

    def abort(self) -> None:
        self.is_closed = True

    def is_closing(self) -> bool:
        return self.is_closed


def buffered_transport() -> tuple[RecordingTransport, BufferedTransport]:
    wire = RecordingTransport()
    return wire, BufferedTransport(wire, asyncio.get_running_loop())


async def test_headers_and_body_are_written_together() -> None:
    wire, transport = buffered_transport()
    for piece in (b"HTTP/1.1 200 OK\r\n\r\n", b"", b"{}"):
        transport.write(piece)
    before = list(wire.written)
    await asyncio.sleep(0)

    assert (before, wire.written) == ([], [b"HTTP/1.1 200 OK\r\n\r\n{}"])


async def test_data_of_the_next_loop_iteration_is_written_separately() -> None:
    wire, transport = buffered_transport()
    for piece in (b"data: 1\n\n", b"data: 2\n\n"):
        transport.write(piece)
        await asyncio.sleep(0)

    assert wire.written == [b"data: 1\n\n", b"data: 2\n\n"]


async def test_data_above_the_buffer_limit_is_written_immediately() -> None:
    wire, transport = buffered_transport()
    transport.write(b"head")
    transport.write(b"x" * MAX_BUFFERED_BYTES)

    assert wire.written == [b"head" + b"x" * MAX_BUFFERED_BYTES]
    await asyncio.sleep(0)
    assert len(wire.written) == 1


async def test_buffered_data_is_written_before_the_connection_closes() -> None:
    wire, transport = buffered_transport()
    transport.write(b"reply")
    transport.close()
    await asyncio.sleep(0)

    assert (wire.written, transport.is_closing()) == ([b"reply"], True)


async def test_nothing_is_written_to_a_closed_connection() -> None:
    wire, transport = buffered_transport()
    transport.write(b"reply")
    transport.abort()
    await asyncio.sleep(0)

    assert wire.written == []


def _raised_limits(soft: int, hard: int) -> tuple[int, tuple[int, int]]:
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return raise_open_files_limit(), resource.getrlimit(resource.RLIMIT_NOFILE)


@pytest.mark.proves("R-28")
@pytest.mark.parametrize(("soft", "hard", "found"), [(256, 1024, 1024), (512, 512, 512)])
def test_the_soft_limit_of_open_files_is_raised_to_the_hard_limit(soft: int, hard: int, found: int) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_raised_limits, (soft, hard)) == (found, (found, hard))


def test_capacity_reserves_descriptors_for_the_database_and_connections_for_short_requests() -> None:
    assert compute_capacity(1024, 10_000) == Capacity(896, 672)
    assert compute_capacity(64, 10_000) == Capacity(32, 24)
    assert compute_capacity(65_536, 10_000) == Capacity(10_000, 7_500)


ID = "0" * 32


class DelayedRequests:
    """Requests that the app holds until the test releases them."""

    def __init__(self) -> None:
        self.may_go = asyncio.Event()
        self.inside = 0
        self.app = LoadLimit(self._hold_request, LongRequestLimit(3))
        self.tasks: list[asyncio.Task[list[Message]]] = []

    async def _hold_request(self, scope: Message, receive: object, send: object) -> None:
        self.inside += 1
        await self.may_go.wait()

    async def send(self, path: str, kind: str = "http") -> list[Message]:
        """The messages sent to one request; empty if it was accepted."""
        sent: list[Message] = []

        async def send(message: Message) -> None:
            sent.append(message)

        await self.app({"type": kind, "path": path}, None, send)  # type: ignore[arg-type]
        return sent

    async def hold(self, path: str, count: int) -> None:
        """Send requests that stay open."""
        before = self.inside
        self.tasks += [asyncio.create_task(self.send(path)) for _ in range(count)]
        await wait_until_async(lambda: self.inside >= before + count)

    async def release(self) -> None:
        """Finish all open requests."""
        self.may_go.set()
        await asyncio.gather(*self.tasks)


@pytest.mark.proves("R-28")
async def test_at_the_limit_long_requests_are_refused_and_short_requests_are_served() -> None:
    requests = DelayedRequests()
    await requests.hold("/v1/events", 3)
    start, end = await requests.send("/base/v1/conversations/c1/stream")
    socket = await requests.send("/v1/live", "websocket")
    await requests.hold("/healthz", 1)
    await requests.hold(f"/v1/calls/{ID}/wait", 1)
    await requests.hold(f"/v1/approvals/{ID}/answer", 1)
    await requests.release()

    assert (start["status"], dict(start["headers"])[b"retry-after"]) == (503, b"1")
    assert b"try again" in end["body"]
    assert socket == [{"type": "websocket.close", "code": 1013}]
    assert await requests.send("/v1/events") == []


@pytest.mark.proves("R-28")
async def test_health_checks_and_answers_are_refused_last() -> None:
    requests = DelayedRequests()
    await requests.hold("/v1/calls", MAX_REQUESTS)
    ordinary = await requests.send("/v1/calls")
    await requests.hold("/readyz", MAX_VITAL_REQUESTS - MAX_REQUESTS)
    vital = await requests.send("/v1/approvals/answers")
    await requests.release()

    assert [ordinary[0]["status"], vital[0]["status"]] == [503, 503]
    assert await requests.send("/v1/calls") == []
