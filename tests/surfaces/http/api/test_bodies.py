"""A large body is parsed in a thread, and a body with too many values is refused."""

import json

import pytest

from assent.surfaces.http.api.bodies import LARGE_BODY_BYTES, MAX_VALUES
from tests.surfaces.http.api_server import ApiServer


def _call_body(value: object) -> bytes:
    said = {"call": {"tool": "note.put", "args": {"key": value}}, "conversation": "c1"}
    return json.dumps(said, separators=(",", ":")).encode()


@pytest.mark.proves("T-35")
async def test_a_body_with_too_many_values_is_refused_before_the_route(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    body = _call_body([{"a": 0}] * MAX_VALUES)
    before = await api.stored_state()
    reply = await api.post("clerk", "/v1/calls", body)

    assert (reply.status, len(body) > LARGE_BODY_BYTES) == (400, True)
    assert f"more than {MAX_VALUES} values" in reply.json["detail"]
    assert await api.stored_state() == before


@pytest.mark.parametrize("length", [10, LARGE_BODY_BYTES, 5_000_000])
async def test_a_long_text_counts_as_one_value(in_memory: ApiServer, length: int) -> None:
    api: ApiServer = in_memory
    reply = await api.post("clerk", "/v1/calls", _call_body("x" * length))
    kept = await api.store.approval(reply.json["approval"])

    assert reply.json["outcome"] == "wait"
    assert kept.call.args == {"key": "x" * length}


async def test_a_large_body_is_read_as_strictly_as_a_small_one(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    twice = _call_body("x" * LARGE_BODY_BYTES).replace(b'"args":{', b'"args":{"key":1,')
    reply = await api.post("clerk", "/v1/calls", twice)

    assert reply.status == 400
    assert "duplicate key" in reply.json["detail"]
