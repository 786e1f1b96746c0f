"""A connection on which no request comes is closed; one that is used stays."""

import asyncio
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from assent.surfaces.http import patient
from assent.surfaces.http.patient import Patient
from tests.door.calling import Echo
from tests.door.listening import listening

LIMIT = 0.3
WHOLE = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient, "PATIENCE", LIMIT)


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
    async with listening(Echo(), http=Patient) as address:
        heard = await spoken(address, *pieces, pause=LIMIT / 10)

    assert heard == b""


async def test_who_begins_another_request_and_stops_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient, "PATIENCE", 60)
    async with listening(Echo(), http=Patient, timeout_keep_alive=60) as address:
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(address).port)
        writer.write(WHOLE)
        first = await reader.readuntil(b"\r\n\r\n")
        monkeypatch.setattr(patient, "PATIENCE", LIMIT)
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

    monkeypatch.setattr(patient, "PATIENCE", 2)

    async with listening(slow, http=Patient, timeout_keep_alive=0) as address:
        heard = await spoken(address, WHOLE)

    assert heard.startswith(b"HTTP/1.1 200 OK")
