"""`/v1/decide`: what would happen, without it happening."""

import pytest

from tests.surfaces.http.house import House


async def test_a_call_that_is_only_thought_of_leaves_no_trace(house: House) -> None:
    await house.store.flush_audit()
    before = await house.gets("ada", "/v1/audit")
    reply = await house.posts(
        "ana", "/v1/decide", {"tool": "note.put", "args": {"key": "a"}, "conversation": "x"}
    )
    await house.store.flush_audit()

    assert (reply.status, reply.json["verdict"], reply.json["stage"]) == (200, "ask", "mode")
    assert (await house.gets("ada", "/v1/audit")).json == before.json
    assert (await house.gets("ada", "/v1/approvals")).json["items"] == []
    assert await house.store.conversation("x") is None


@pytest.mark.parametrize(
    ("mode", "verdict"), [("plan", "deny"), ("default", "ask"), ("auto", "run"), ("autonomous", "run")]
)
async def test_a_mode_may_be_tried(in_memory: House, mode: str, verdict: str) -> None:
    house: House = in_memory
    reply = await house.posts("ana", "/v1/decide", {"tool": "note.put", "args": {}, "mode": mode})

    assert reply.json["verdict"] == verdict


async def test_somebody_elses_conversation_cannot_be_tried(in_memory: House) -> None:
    house: House = in_memory
    await house.asks()
    reply = await house.posts("ben", "/v1/decide", {"tool": "note.put", "args": {}, "conversation": "c1"})

    assert reply.status == 404
