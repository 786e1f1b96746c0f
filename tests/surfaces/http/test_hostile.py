"""Sixty hostile payloads in every input: each is refused or stored exactly."""

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest

from tests.gate.payloads import KEPT, REFUSED, TEXTS
from tests.stores.promises.given import HOSTILE_IDS
from tests.surfaces.http.api_server import ApiServer
from tests.surfaces.http.routes_table import ENDPOINTS, ID, Endpoint

WITH_BODY = [endpoint for endpoint in ENDPOINTS if endpoint.is_change and endpoint.body is not None]
WITH_ID = [endpoint for endpoint in ENDPOINTS if "{id}" in endpoint.path]
LARGE = 1_000_000
"""Payloads from this index on are tested only as arguments, not in every field."""
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


def endpoint_test_id(endpoint: Endpoint) -> str:
    return f"{endpoint.method} {endpoint.path}"


def _encode(value: object) -> bytes | None:
    """The payload as JSON bytes; None if it cannot be encoded."""
    try:
        return json.dumps(value).encode("utf-8", "surrogatepass")
    except (TypeError, ValueError, RecursionError):
        return None


PAYLOADS = [(name, text) for name, value in (*REFUSED, *KEPT) if (text := _encode(value)) is not None]
SMALL = [(name, text) for name, text in PAYLOADS if len(text) < LARGE]


def replace_each_value(body: object, payload: bytes) -> Iterator[bytes]:
    """Copies of a body, each with one value replaced by the payload."""
    mark = "\u2603 here"
    for changed in _replace_each(body, mark):
        yield (
            json.dumps(changed, ensure_ascii=False)
            .encode()
            .replace(json.dumps(mark, ensure_ascii=False).encode(), payload)
        )


def _replace_each(body: object, mark: str) -> Iterator[object]:
    yield mark
    if isinstance(body, dict):
        for name, value in cast("dict[str, object]", body).items():
            yield from ({**body, name: one} for one in _replace_each(value, mark))
    elif isinstance(body, list):
        for at, value in enumerate(cast("list[object]", body)):
            yield from ([*body[:at], one, *body[at + 1 :]] for one in _replace_each(value, mark))


HOOK = "/v1/hooks/claude"
"""Its replies are for a hook process, so that invalid JSON is refused by an exit status; see `test_hooks.py`."""


def test_there_are_sixty_hostile_payloads() -> None:
    assert len(PAYLOADS) + len(TEXTS) >= 60


@pytest.mark.proves("R-18", "T-35")
@pytest.mark.parametrize("endpoint", [one for one in WITH_BODY if one.path != HOOK], ids=endpoint_test_id)
async def test_invalid_json_is_refused_on_every_route(in_memory: ApiServer, endpoint: Endpoint) -> None:
    api: ApiServer = in_memory
    before = await api.stored_state()
    replies = {
        name: await api.send("ada", endpoint.method, endpoint.path_with_id(ID), text) for name, text in TEXTS
    }

    assert {name: one.status for name, one in replies.items()} == dict.fromkeys(replies, 400)
    assert {one.headers["content-type"] for one in replies.values()} == {"application/problem+json"}
    assert await api.stored_state() == before


@pytest.mark.proves("R-18")
@pytest.mark.parametrize("endpoint", WITH_BODY, ids=endpoint_test_id)
async def test_no_hostile_payload_in_a_field_causes_a_server_error(
    in_memory: ApiServer, endpoint: Endpoint
) -> None:
    api: ApiServer = in_memory
    broken = []
    for name, payload in SMALL:
        for body in replace_each_value(endpoint.body, payload):
            reply = await api.send("ada", endpoint.method, endpoint.path_with_id(ID), body)
            if reply.status >= 500:
                broken.append((name, body[:200]))

    assert broken == []
    assert (await api.get("ada", "/readyz")).status == 200


@pytest.mark.proves("R-18")
@pytest.mark.parametrize(("name", "payload"), PAYLOADS, ids=[name for name, _ in PAYLOADS])
async def test_arguments_are_stored_exactly_or_refused(api: ApiServer, name: str, payload: bytes) -> None:
    body = (
        b'{"call": {"tool": "note.put", "id": "x", "args": {"value": '
        + payload
        + b'}}, "conversation": "c1"}'
    )
    reply = await api.send("clerk", "POST", "/v1/calls", body)

    assert reply.status in (200, 400, 413, 422), reply
    if reply.status == 200:
        shown = await api.get("ana", f"/v1/approvals/{reply.json['approval']}")
        assert shown.json["call"]["args"] == {"value": json.loads(payload)}


@pytest.mark.proves("R-18", "T-42")
@pytest.mark.parametrize("endpoint", WITH_ID, ids=endpoint_test_id)
async def test_no_hostile_id_in_a_path_causes_a_server_error(api: ApiServer, endpoint: Endpoint) -> None:
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
    statuses = {
        id: (await api.send("ada", endpoint.method, _unescaped_address(endpoint, id), endpoint.body)).status
        for id in ids
    }

    assert {id: status for id, status in statuses.items() if status >= 500} == {}


@pytest.mark.proves("R-18", "T-42")
@pytest.mark.parametrize(
    "path", ["/v1/approvals", "/v1/audit", "/v1/audit/export", "/v1/conversations", "/v1/grants"]
)
async def test_no_hostile_query_causes_a_server_error(api: ApiServer, path: str) -> None:
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
        (name, value): (await api.get("ada", path, **{name: value})).status
        for name in QUERIES
        for value in values
    }

    assert {asked: status for asked, status in statuses.items() if status >= 500} == {}


def _unescaped_address(endpoint: Endpoint, id: str) -> str:
    """A path with the id, escaped once."""
    return endpoint.path_with_id(id.replace(" ", "%20").replace("?", "%3F").replace("#", "%23"))


@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-16", "application/json, text/plain", "json", ""]
)
async def test_a_body_that_is_not_json_is_refused(in_memory: ApiServer, kind: str) -> None:
    api: ApiServer = in_memory
    more: dict[str, Any] = {"headers": {"content-type": kind}}
    reply = await api.send("ada", "POST", "/v1/switch", {"paused": True}, **more)

    assert reply.status == 415
