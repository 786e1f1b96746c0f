"""A body without a length is cut off where it is too long, and whoever sent it reads why."""

import asyncio

import pytest

from assent.door import body
from assent.door.body import Measured, drained
from assent.door.identity import Doorkeeper
from assent.door.middleware import Door
from assent.door.premises import Premises
from assent.stores.memory.store import MemoryStore
from tests.door.calling import HOST, JSON, OWN, Echo, call


async def test_what_fits_comes_through_whole() -> None:
    echo = Echo()
    door = Door(echo, Doorkeeper(MemoryStore()), Premises(), largest=10)

    answer = await call(door, "POST", JSON, OWN, pieces=[b"12345", b"", b"67890"])

    assert (answer.status, echo.bodies) == (200, [b"1234567890"])


async def test_one_byte_more_is_refused_and_the_app_sees_that_the_client_left() -> None:
    echo = Echo()
    door = Door(echo, Doorkeeper(MemoryStore()), Premises(), largest=10)

    answer = await call(door, "POST", JSON, OWN, pieces=[b"12345", b"67890", b"1"])

    assert (answer.status, answer.json()["title"]) == (413, "Request Entity Too Large")
    assert echo.bodies == [b"1234567890"]
    assert answer.headers["x-content-type-options"] == ["nosniff"]


async def test_an_app_that_answered_already_ends_its_answer() -> None:
    said: list[object] = []
    pieces = [b"123", b"456"]

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    async def send(message: object) -> None:
        said.append(message)

    measured = Measured(receive, send, 4)
    await measured.send({"type": "http.response.start", "status": 200, "headers": []})
    got = [(await measured.receive())["type"] for _ in range(3)]
    await measured.send({"type": "http.response.body", "body": b"ok"})

    assert got == ["http.request", "http.disconnect", "http.disconnect"]
    assert [one["type"] for one in said] == ["http.response.start", "http.response.body"]  # type: ignore[index]


@pytest.mark.proves("R-19")
async def test_a_body_that_comes_too_slowly_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "SLOWEST", 0.1)
    echo = Echo()
    door = Door(echo, Doorkeeper(MemoryStore()), Premises())
    said: list[dict[str, object]] = []

    async def receive() -> dict[str, object]:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"1", "more_body": True}

    async def send(message: dict[str, object]) -> None:
        said.append(message)

    headers = [(name.encode(), value.encode()) for name, value in (HOST, JSON, OWN)]
    scope = {"type": "http", "method": "POST", "path": "/v1/x", "headers": headers, "scheme": "http"}
    async with asyncio.timeout(60):
        await door(scope, receive, send)  # type: ignore[arg-type]

    assert [one.get("status") for one in said] == [408, None]


async def test_who_has_sent_all_may_wait_as_long_as_they_like(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "SLOWEST", 0.05)
    coming = [{"type": "http.request", "body": b"1", "more_body": False}, {"type": "http.disconnect"}]

    async def receive() -> dict[str, object]:
        await asyncio.sleep(0 if len(coming) > 1 else 0.1)
        return coming.pop(0)

    async def send(message: object) -> None:
        raise AssertionError(message)

    measured = body.Measured(receive, send)

    assert [(await measured.receive())["type"] for _ in range(2)] == ["http.request", "http.disconnect"]


async def test_what_still_comes_is_taken_up_to_a_point() -> None:
    taken = 0

    async def receive() -> dict[str, object]:
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": b"x" * 100, "more_body": True}

    await drained(receive, most=1000)

    assert taken == 10
