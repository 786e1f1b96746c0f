"""A request reaches the handler of its path and method, and is checked in a fixed order."""

import json
from typing import Any

import pytest

from assent.surfaces.http.app import create_app
from tests.surfaces.http.api_server import ASKED, ApiServer

ID = "0123456789abcdef" * 2
WHAT_IF = {"tool": "note.put", "args": {"key": "a"}}
REQUESTS: list[tuple[str | None, str, str, bytes, int]] = [
    ("ana", "POST", "/v1/decide", json.dumps(WHAT_IF).encode(), 200),
    ("ana", "POST", "/v1/decide", json.dumps(WHAT_IF | {"tool": 1, "more": []}).encode(), 400),
    ("ana", "POST", "/v1/decide", b"", 400),
    ("ana", "POST", "/v1/decide", b"[]", 400),
    ("ana", "POST", "/v1/decide", b"null", 400),
    ("ana", "POST", "/v1/decide", b"{", 400),
    ("ana", "POST", "/v1/decide", b'{"tool": "a", "tool": "b", "args": {}}', 400),
    ("clerk", "POST", "/v1/decide", json.dumps(WHAT_IF).encode(), 403),
    ("clerk", "POST", "/v1/decide", b"[]", 403),
    (None, "POST", "/v1/decide", json.dumps(WHAT_IF).encode(), 403),
    ("ana", "GET", "/v1/decide", b"", 405),
    ("ana", "HEAD", "/v1/me", b"", 405),
    ("ana", "GET", f"/v1/calls/{ID}", b"", 404),
    ("ana", "GET", "/v1/calls/%7Bid:generated%7D", b"", 404),
    ("ana", "GET", "/v1/rules/%7Bid%7D", b"", 405),
    ("clerk", "POST", f"/v1/calls/{ID}/wait", b'{"seconds": 61}', 400),
    ("clerk", "POST", f"/v1/calls/{ID}/wait", b"{}", 404),
    ("clerk", "POST", f"/v1/calls/{ID}/wait/", b"{}", 404),
    ("clerk", "POST", f"/v1/calls/{ID.upper()}/wait", b"{}", 404),
    ("clerk", "POST", f"/v1/calls/{ID}/report", b'{"claim": "no"}', 404),
    ("ana", "POST", f"/v1/approvals/{ID}/answer", b'{"digest": "no", "answer": {"say": "once"}}', 400),
    ("ada", "DELETE", "/v1/rules/hits", b"", 404),
    ("ada", "GET", "/v1/rules/hits", b"", 200),
    ("ada", "GET", "/v1/agents//tools", b"", 404),
    ("ada", "GET", f"/v1/agents/{'x' * 257}/tools", b"", 400),
    ("ada", "GET", "/v1/switch", b"", 200),
    ("vera", "GET", "/v1/people", b"", 403),
    ("vera", "GET", "/v1/me", b"", 200),
    ("vera", "GET", "/v1/audit?limit=0&unknown=1", b"", 400),
    ("vera", "GET", "/v1/approvals?state=pending&state=denied", b"", 200),
]


@pytest.mark.proves("T-35")
@pytest.mark.parametrize(
    "request_", REQUESTS, ids=lambda one: f"{one[0]} {one[1]} {one[2][:40]} {one[3].decode()}"
)
async def test_a_request_is_routed_and_checked(
    in_memory: ApiServer, request_: tuple[str | None, str, str, bytes, int]
) -> None:
    api: ApiServer = in_memory
    *request, status = request_
    reply = await api.send(*request)  # type: ignore[arg-type]

    assert reply.status == status


async def test_all_invalid_fields_are_reported_in_one_reply(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    reply = await api.send(
        "ada",
        "POST",
        f"/v1/agents/{'x' * 257}/tool-overrides",
        {"more": 1},
        headers={"idempotency-key": "two words"},
    )

    assert [one["field"] for one in reply.json["errors"]] == [
        "path.id",
        "header.Idempotency-Key",
        "body.toolName",
        "body.more",
    ]
    assert [one["reason"] for one in reply.json["errors"]][2:] == ["is required", "unknown field"]


async def test_a_repeated_query_parameter_is_refused_by_name(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    reply = await api.send("ada", "GET", "/v1/audit?limit=1&user=ana&user=ben")

    assert (reply.status, reply.json["errors"]) == (
        400,
        [{"field": "query.user", "reason": "must be given once"}],
    )


async def test_the_id_in_the_path_is_used(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    asked = await api.post("clerk", "/v1/calls", {"call": ASKED, "conversation": "c1"})
    found = await api.get("clerk", f"/v1/calls/{asked.json['approval']}")
    other = await api.get("clerk", f"/v1/calls/{ID}")

    assert (found.status, found.json["id"]) == (200, asked.json["approval"])
    assert other.status == 404


async def test_a_path_under_the_base_path_reaches_the_same_route(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    replies = [
        await _reply_status(api, path, root) for path, root in (("/healthz", ""), ("/x/healthz", "/x"))
    ]

    assert replies == [200, 200]


async def test_a_websocket_on_another_path_is_refused(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    headers = {"host": "127.0.0.1:8722", "authorization": f"Bearer {api.tokens['ana']}"}
    sent = await api.connect_socket("/v1/events", headers)

    assert [message["type"] for message in sent] == ["websocket.close"]


async def test_a_client_that_disconnects_during_the_body_causes_no_server_error(
    in_memory: ApiServer, caplog: pytest.LogCaptureFixture
) -> None:
    api: ApiServer = in_memory
    received = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
    sent: list[Any] = []

    async def receive() -> Any:
        return received.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/v1/decide", "headers": [], "query_string": b""}
    await create_app(api.service)(scope, receive, send)

    assert sent[0]["status"] == 400
    assert not caplog.records


async def _reply_status(api: ApiServer, path: str, root: str) -> int:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "headers": [],
        "query_string": b"",
        "root_path": root,
    }
    await create_app(api.service)(scope, receive, send)
    return int(sent[0]["status"])
