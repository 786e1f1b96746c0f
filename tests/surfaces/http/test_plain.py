"""A plain route is served the short way, and says there what it would say the long way."""

import json
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import Match

from assent.door.middleware import Door
from assent.door.premises import Premises
from assent.surfaces.http import app as apps
from assent.surfaces.http.app import ROUTERS, create_app
from assent.surfaces.http.plain import ShortWay, plain_of
from tests.surfaces.http.house import ASKED, HERE, House

MARK = "0123456789abcdef" * 2
OFTEN = (
    "/v1/decide",
    "/v1/calls",
    "/v1/calls/{id:mark}/wait",
    "/v1/calls/{id:mark}/report",
    "/v1/approvals/{id:mark}/answer",
)
ROUTES = [one for router in ROUTERS for one in router.routes if isinstance(one, APIRoute)]
WHAT_IF = {"tool": "note.put", "args": {"key": "a"}}
REQUESTS: list[tuple[str | None, str, str, bytes]] = [
    ("ana", "POST", "/v1/decide", json.dumps(WHAT_IF).encode()),
    ("ana", "POST", "/v1/decide", json.dumps(WHAT_IF | {"tool": 1, "cwd": None, "more": []}).encode()),
    ("ana", "POST", "/v1/decide", b""),
    ("ana", "POST", "/v1/decide", b"[]"),
    ("ana", "POST", "/v1/decide", b"null"),
    ("ana", "POST", "/v1/decide", b"{"),
    ("ana", "POST", "/v1/decide", b'{"tool": "a", "tool": "b", "args": {}}'),
    ("clerk", "POST", "/v1/decide", json.dumps(WHAT_IF).encode()),
    ("clerk", "POST", "/v1/decide", b"[]"),
    (None, "POST", "/v1/decide", json.dumps(WHAT_IF).encode()),
    (None, "POST", "/v1/decide", b"{"),
    (None, "POST", "/v1/decide", b""),
    ("ana", "GET", "/v1/decide", b""),
    ("ana", "GET", f"/v1/calls/{MARK}", b""),
    ("ana", "GET", "/v1/calls/%7Bid:mark%7D", b""),
    ("clerk", "POST", f"/v1/calls/{MARK}/wait", b'{"seconds": 61}'),
    ("clerk", "POST", f"/v1/calls/{MARK}/wait", b"{}"),
    ("clerk", "POST", f"/v1/calls/{MARK}/wait/", b"{}"),
    ("clerk", "POST", f"/v1/calls/{MARK.upper()}/wait", b"{}"),
    ("clerk", "POST", f"/v1/calls/{MARK}/report", b'{"claim": "no"}'),
    ("ana", "POST", f"/v1/approvals/{MARK}/answer", b'{"digest": "no", "answer": {"say": "once"}}'),
    ("ada", "GET", "/v1/switch", b""),
    ("vera", "GET", "/v1/people", b""),
    ("vera", "GET", "/v1/me", b""),
]


class _Long(ShortWay):
    """A short way that knows of no route."""

    def __init__(self, routes: object, long_way: Any) -> None:
        super().__init__((), long_way)


async def _told(house: House, app: FastAPI, request: tuple[str | None, str, str, bytes]) -> object:
    house.asgi = Door(app, house.keeper, Premises(public_url=HERE))
    reply = await house.sends(*request)
    return reply.status, reply.json, dict(reply.headers)


@pytest.mark.parametrize("path", OFTEN)
def test_what_is_used_all_day_is_plain(path: str) -> None:
    found = [one for one in ROUTES if one.path == path and "POST" in (one.methods or ())]

    assert [plain_of(one) is not None for one in found] == [True]


@pytest.mark.parametrize(
    "route", [one for one in ROUTES if plain_of(one) is not None], ids=lambda one: one.path
)
def test_no_route_before_it_would_have_been_meant(route: APIRoute) -> None:
    path = route.path.replace("{id:mark}", MARK)
    for method in route.methods or ():
        scope = {"type": "http", "method": method, "path": path}
        meant = next(one for one in ROUTES if one.matches(scope)[0] is Match.FULL)

        assert meant is route


@pytest.mark.proves("T-35")
@pytest.mark.parametrize(
    "request_", REQUESTS, ids=lambda one: f"{one[0]} {one[1]} {one[2]} {one[3].decode()}"
)
async def test_the_short_way_says_what_the_long_way_says(
    in_memory: House, monkeypatch: pytest.MonkeyPatch, request_: tuple[str | None, str, str, bytes]
) -> None:
    house: House = in_memory
    short = await _told(house, create_app(house.service), request_)
    monkeypatch.setattr(apps, "ShortWay", _Long)
    long = await _told(house, create_app(house.service), request_)

    assert short == long


async def test_an_id_in_the_address_is_the_one_that_is_meant(in_memory: House) -> None:
    house: House = in_memory
    asked = await house.posts("clerk", "/v1/calls", {"call": ASKED, "conversation": "c1"})
    found = await house.gets("clerk", f"/v1/calls/{asked.json['approval']}")
    other = await house.gets("clerk", f"/v1/calls/{MARK}")

    assert (found.status, found.json["id"]) == (200, asked.json["approval"])
    assert other.status == 404


async def test_who_leaves_before_the_body_is_whole_is_no_failure_of_ours(
    in_memory: House, caplog: pytest.LogCaptureFixture
) -> None:
    house: House = in_memory
    said = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
    sent: list[Any] = []

    async def receive() -> Any:
        return said.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/v1/decide", "headers": [], "query_string": b""}
    await create_app(house.service)(scope, receive, send)

    assert sent[0]["status"] == 400
    assert not caplog.records
