"""Connections are limited, closed when no request comes, and written to in whole replies."""

import asyncio
import multiprocessing
import resource
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from assent.surfaces.http import connections
from assent.surfaces.http.connections import (
    MAX_BUFFERED,
    BufferedTransport,
    Capacity,
    LimitedProtocol,
    capacity_of,
    raise_limit,
)
from tests.door.calling import Echo
from tests.door.listening import listening

LIMIT = 0.3
WHOLE = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADERS_TIMEOUT", LIMIT)


async def spoken(address: str, *pieces: bytes, pause: float = 0.0) -> bytes:
    """What is heard until the server ends a connection, on which somebody speaks slowly."""
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(address).port)

    async def speak() -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    speaking, heard = asyncio.create_task(speak()), b""
    async with asyncio.timeout(60):
        # Who was still speaking when they were cut off may be told so in a harsher way.
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
async def test_who_does_not_say_what_they_want_is_cut_off(pieces: list[bytes]) -> None:
    async with listening(Echo(), http=LimitedProtocol) as address:
        heard = await spoken(address, *pieces, pause=LIMIT / 10)

    assert heard == b""


async def test_who_begins_another_request_and_stops_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADERS_TIMEOUT", 60)
    async with listening(Echo(), http=LimitedProtocol, timeout_keep_alive=60) as address:
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


async def test_a_request_that_takes_long_is_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    async def slow(scope: object, receive: object, send: object) -> None:
        await asyncio.sleep(2.5)
        await Echo()(scope, receive, send)

    monkeypatch.setattr(connections, "HEADERS_TIMEOUT", 2)

    async with listening(slow, http=LimitedProtocol, timeout_keep_alive=0) as address:
        heard = await spoken(address, WHOLE)

    assert heard.startswith(b"HTTP/1.1 200 OK")


class Wire(asyncio.Transport):
    """A transport that keeps what is written to it, and where it was closed."""

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


def buffered() -> tuple[Wire, BufferedTransport]:
    wire = Wire()
    return wire, BufferedTransport(wire, asyncio.get_running_loop())


async def test_head_and_body_leave_in_one_piece() -> None:
    wire, transport = buffered()
    for piece in (b"HTTP/1.1 200 OK\r\n\r\n", b"", b"{}"):
        transport.write(piece)
    before = list(wire.written)
    await asyncio.sleep(0)

    assert (before, wire.written) == ([], [b"HTTP/1.1 200 OK\r\n\r\n{}"])


async def test_what_comes_in_another_turn_leaves_by_itself() -> None:
    wire, transport = buffered()
    for piece in (b"data: 1\n\n", b"data: 2\n\n"):
        transport.write(piece)
        await asyncio.sleep(0)

    assert wire.written == [b"data: 1\n\n", b"data: 2\n\n"]


async def test_more_than_is_held_back_leaves_at_once() -> None:
    wire, transport = buffered()
    transport.write(b"head")
    transport.write(b"x" * MAX_BUFFERED)

    assert wire.written == [b"head" + b"x" * MAX_BUFFERED]
    await asyncio.sleep(0)
    assert len(wire.written) == 1


async def test_a_reply_leaves_before_its_connection_is_closed() -> None:
    wire, transport = buffered()
    transport.write(b"reply")
    transport.close()
    await asyncio.sleep(0)

    assert (wire.written, transport.is_closing()) == ([b"reply"], True)


async def test_nothing_is_written_where_the_other_side_is_gone() -> None:
    wire, transport = buffered()
    transport.write(b"reply")
    transport.abort()
    await asyncio.sleep(0)

    assert wire.written == []


def _raised(soft: int, hard: int) -> tuple[int, tuple[int, int]]:
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return raise_limit(), resource.getrlimit(resource.RLIMIT_NOFILE)


@pytest.mark.proves("R-28")
@pytest.mark.parametrize(("soft", "hard", "found"), [(256, 1024, 1024), (512, 512, 512)])
def test_the_soft_limit_is_raised_to_the_hard_one(soft: int, hard: int, found: int) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_raised, (soft, hard)) == (found, (found, hard))


def test_some_descriptors_are_kept_for_the_database_and_some_connections_for_short_requests() -> None:
    assert capacity_of(1024, 10_000) == Capacity(896, 672)
    assert capacity_of(64, 10_000) == Capacity(32, 24)
    assert capacity_of(65_536, 10_000) == Capacity(10_000, 7_500)
