"""Sixty payloads that have broken something somewhere, on every way in: a refusal, or kept exactly."""

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest

from tests.gate.payloads import KEPT, REFUSED, TEXTS
from tests.stores.promises.given import HOSTILE_IDS
from tests.surfaces.http.house import House
from tests.surfaces.http.routes_table import ID, WAYS, Way

WITH_BODY = [way for way in WAYS if way.changes and way.body is not None]
WITH_ID = [way for way in WAYS if "{id}" in way.path]
LARGE = 1_000_000
"""Payloads from here on are tried where arguments go, and not at every field of every body."""
QUERIES = (
    "q",
    "after",
    "limit",
    "state",
    "agent",
    "conversation",
    "tool",
    "since",
    "user",
    "toolName",
    "format",
)


def _names(way: Way) -> str:
    return f"{way.method} {way.path}"


def _spelled(value: object) -> bytes | None:
    """What a careless client would send; None for what no client can spell."""
    try:
        return json.dumps(value).encode("utf-8", "surrogatepass")
    except (TypeError, ValueError, RecursionError):
        return None


PAYLOADS = [(name, text) for name, value in (*REFUSED, *KEPT) if (text := _spelled(value)) is not None]
SMALL = [(name, text) for name, text in PAYLOADS if len(text) < LARGE]


def spoiled(body: object, payload: bytes) -> Iterator[bytes]:
    """The body with each of its values in turn replaced by a payload."""
    mark = "\u2603 here"
    for changed in _replaced(body, mark):
        yield (
            json.dumps(changed, ensure_ascii=False)
            .encode()
            .replace(json.dumps(mark, ensure_ascii=False).encode(), payload)
        )


def _replaced(body: object, mark: str) -> Iterator[object]:
    yield mark
    if isinstance(body, dict):
        for name, value in cast("dict[str, object]", body).items():
            yield from ({**body, name: one} for one in _replaced(value, mark))
    elif isinstance(body, list):
        for at, value in enumerate(cast("list[object]", body)):
            yield from ([*body[:at], one, *body[at + 1 :]] for one in _replaced(value, mark))


def test_there_are_sixty_of_them() -> None:
    assert len(PAYLOADS) + len(TEXTS) >= 60


@pytest.mark.proves("R-18", "T-35")
@pytest.mark.parametrize("way", WITH_BODY, ids=_names)
async def test_what_is_no_json_of_ours_is_refused_everywhere(in_memory: House, way: Way) -> None:
    house: House = in_memory
    before = await house.everything()
    replies = {name: await house.sends("ada", way.method, way.to(ID), text) for name, text in TEXTS}

    assert {name: one.status for name, one in replies.items()} == dict.fromkeys(replies, 400)
    assert {one.headers["content-type"] for one in replies.values()} == {"application/problem+json"}
    assert await house.everything() == before


@pytest.mark.proves("R-18")
@pytest.mark.parametrize("way", WITH_BODY, ids=_names)
async def test_no_payload_in_any_field_breaks_anything(in_memory: House, way: Way) -> None:
    house: House = in_memory
    broken = []
    for name, payload in SMALL:
        for body in spoiled(way.body, payload):
            reply = await house.sends("ada", way.method, way.to(ID), body)
            if reply.status >= 500:
                broken.append((name, body[:200]))

    assert broken == []
    assert (await house.gets("ada", "/readyz")).status == 200


@pytest.mark.proves("R-18")
@pytest.mark.parametrize(("name", "payload"), PAYLOADS, ids=[name for name, _ in PAYLOADS])
async def test_arguments_are_kept_exactly_or_refused(house: House, name: str, payload: bytes) -> None:
    body = (
        b'{"call": {"tool": "note.put", "id": "x", "args": {"value": '
        + payload
        + b'}}, "conversation": "c1"}'
    )
    reply = await house.sends("clerk", "POST", "/v1/calls", body)

    assert reply.status in (200, 400, 413, 422), reply
    if reply.status == 200:
        shown = await house.gets("ana", f"/v1/approvals/{reply.json['approval']}")
        assert shown.json["call"]["args"] == {"value": json.loads(payload)}


@pytest.mark.proves("R-18", "T-42")
@pytest.mark.parametrize("way", WITH_ID, ids=_names)
async def test_no_id_in_an_address_breaks_anything(house: House, way: Way) -> None:
    ids = [
        *HOSTILE_IDS,
        "%00",
        "%ff%fe",
        "..",
        "%2e%2e%2f",
        "%0d%0aX: y",
        "a" * 5000,
        "%ed%a0%80",
        "%e2%80%ae",
    ]
    statuses = {id: (await house.sends("ada", way.method, _to(way, id), way.body)).status for id in ids}

    assert {id: status for id, status in statuses.items() if status >= 500} == {}


@pytest.mark.proves("R-18", "T-42")
@pytest.mark.parametrize(
    "path", ["/v1/approvals", "/v1/audit", "/v1/audit/export", "/v1/conversations", "/v1/grants"]
)
async def test_nothing_behind_a_question_mark_breaks_anything(house: House, path: str) -> None:
    values = [
        "\0",
        "'; DROP TABLE audit; --",
        "%",
        "_",
        "\\",
        "9" * 400,
        "-1",
        "NaN",
        "🙂",
        "\ufffe",
        "[]",
        "2001-13-45",
    ]
    statuses = {
        (name, value): (await house.gets("ada", path, **{name: value})).status
        for name in QUERIES
        for value in values
    }

    assert {asked: status for asked, status in statuses.items() if status >= 500} == {}


def _to(way: Way, id: str) -> str:
    """An address with an id that is not escaped twice."""
    return way.to(id.replace(" ", "%20").replace("?", "%3F").replace("#", "%23"))


@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-16", "application/json, text/plain", "json", ""]
)
async def test_another_kind_of_body_is_refused(in_memory: House, kind: str) -> None:
    house: House = in_memory
    more: dict[str, Any] = {"headers": {"content-type": kind}}
    reply = await house.sends("ada", "POST", "/v1/switch", {"paused": True}, **more)

    assert reply.status == 415
