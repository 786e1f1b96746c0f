"""`/v1/conversations/{id}/chat`: streamed, re-attached, stopped and read again; only by whoever owns it."""

import json
from typing import Any

import pytest

from assent.hosts.chat.request import MODE_FIELDS
from tests.surfaces.http.house import Answered, House

HELLO = {"message": {"role": "user", "parts": [{"type": "text", "text": "hello"}]}}


async def opened(house: House) -> str:
    return str((await house.posts("ana", "/v1/conversations", {"preset": "chat"})).json["id"])


def chunks(reply: Answered) -> list[dict[str, Any]]:
    """What a stream held; it ends as the AI SDK expects."""
    events = [one.removeprefix("data: ") for one in str(reply.json).split("\n\n") if one.startswith("data: ")]
    assert events.pop() == "[DONE]"
    return [json.loads(one) for one in events]


async def test_an_answer_is_streamed_and_kept(house: House) -> None:
    id = await opened(house)
    reply = await house.posts("ana", f"/v1/conversations/{id}/chat", HELLO)
    kept = await house.gets("ana", f"/v1/conversations/{id}/messages")

    assert reply.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert [one["type"] for one in chunks(reply)][:3] == ["start", "start-step", "text-start"]
    assert [one["role"] for one in kept.json["items"]] == ["user", "assistant"]
    assert kept.json["items"][1]["id"] == chunks(reply)[0]["messageId"]


async def test_where_nothing_runs_there_is_nothing_to_look_at(house: House) -> None:
    id = await opened(house)

    assert (await house.gets("ana", f"/v1/conversations/{id}/stream")).status == 204
    assert (await house.posts("ana", f"/v1/conversations/{id}/stop")).status == 204


@pytest.mark.parametrize("body", [{}, {"messages": []}, {"message": {"role": "system", "parts": []}}])
async def test_what_is_no_message_is_refused(house: House, body: object) -> None:
    id = await opened(house)

    assert (await house.posts("ana", f"/v1/conversations/{id}/chat", body)).status == 422


@pytest.mark.proves("R001-11", "R001-35")
async def test_only_its_owner_talks(house: House) -> None:
    id = await opened(house)
    path = f"/v1/conversations/{id}/chat"

    assert (await house.posts("ben", path, HELLO)).status == 404
    assert (await house.posts("clerk", path, HELLO)).status == 403
    assert (await house.posts("robot", path, HELLO)).status == 403


async def test_the_rehearsal_says_that_it_is_one(house: House) -> None:
    found = await house.gets("ana", "/v1/models")

    assert found.json == {"items": [{"name": "rehearsal", "model": "rehearsal", "rehearsal": True}]}


async def test_a_client_that_nobody_knows_is_refused(house: House) -> None:
    id = await opened(house)

    assert (await house.posts("ana", f"/v1/conversations/{id}/chat?sdk=5", HELLO)).status == 400


WRITES = {
    "message": {
        "role": "user",
        "parts": [{"type": "text", "text": '/call write_file {"path": "a.txt", "content": "x"}'}],
    }
}


@pytest.mark.proves("T-47")
@pytest.mark.parametrize("name", MODE_FIELDS)
@pytest.mark.parametrize("own", ["default", "auto"])
async def test_a_message_runs_in_the_mode_that_it_names(in_memory: House, own: str, name: str) -> None:
    house: House = in_memory
    id = (await house.posts("ana", "/v1/conversations", {"preset": "chat", "mode": own})).json["id"]
    path = f"/v1/conversations/{id}/chat"
    planned = await house.posts("ana", path, {**WRITES, name: "plan"})

    assert "blocked_in_plan_mode" in str(planned.json)
    assert (await house.gets("ana", f"/v1/conversations/{id}")).json["mode"] == own


@pytest.mark.proves("T-47")
@pytest.mark.parametrize(
    "named",
    [
        *({"mode": word} for word in ("paln", "PLAN", "yolo", "accept_edits", "acceptEdits")),
        {"mode": "plan", "permission_mode": "auto"},
        {"mode": "plan", "permissionMode": "default"},
    ],
)
async def test_a_mode_that_cannot_be_honoured_is_refused(in_memory: House, named: dict[str, str]) -> None:
    house: House = in_memory
    id = await opened(house)
    reply = await house.posts("ana", f"/v1/conversations/{id}/chat", {**WRITES, **named})

    assert reply.status == 422
    assert "mode" in reply.json["detail"]
    assert (await house.gets("ana", f"/v1/conversations/{id}/messages")).json["items"] == []


def saying(text: str, id: object = "m1", **more: object) -> dict[str, object]:
    return {"message": {"id": id, "role": "user", "parts": [{"type": "text", "text": text}]}, **more}


async def runs(house: House, id: str) -> int:
    return (
        len((await house.gets("ana", f"/v1/conversations/{id}/messages", replaced=True)).json["items"]) // 2
    )


@pytest.mark.proves("T-53")
async def test_the_same_message_again_is_answered_the_same_and_other_content_is_a_conflict(
    house: House,
) -> None:
    id = await opened(house)
    path = f"/v1/conversations/{id}/chat"
    first = await house.posts("ana", path, saying("hello"))
    second = await house.posts("ana", path, saying("hello"))
    other = await house.posts("ana", path, saying("goodbye"))

    assert chunks(second) == chunks(first)
    assert (other.status, await runs(house, id)) == (409, 1)


@pytest.mark.proves("T-53")
@pytest.mark.parametrize("id", ["", "a\u0007b", 7, "x" * 257])
async def test_an_id_that_is_none_is_refused(house: House, id: object) -> None:
    conversation = await opened(house)
    path = f"/v1/conversations/{conversation}/chat"

    assert (await house.posts("ana", path, saying("hello", id))).status == 422
    assert (await house.posts("ana", path, saying("hello", messageId=id))).status == 422


@pytest.mark.proves("T-53")
async def test_the_same_key_again_is_one_run_for_its_sender(house: House) -> None:
    id = await opened(house)
    path, key = f"/v1/conversations/{id}/chat", {"idempotency-key": "k1"}
    first = await house.posts("ana", path, HELLO, headers=key)
    second = await house.posts("ana", path, HELLO, headers=key)
    other = await house.posts("ana", path, saying("goodbye"), headers=key)
    invalid = await house.posts("ana", path, HELLO, headers={"idempotency-key": "a b"})

    assert chunks(second) == chunks(first)
    assert (other.status, invalid.status, await runs(house, id)) == (409, 400, 1)


async def test_an_edit_and_a_new_try_name_a_message_of_this_conversation(house: House) -> None:
    id = await opened(house)
    path = f"/v1/conversations/{id}/chat"
    await house.posts("ana", path, saying("hello"))
    edited = await house.posts("ana", path, saying("goodbye", messageId="m1"))
    again = await house.posts("ana", path, saying("goodbye", trigger="regenerate-message"))
    stranger = await house.posts("ana", path, saying("goodbye", "m9", messageId="m9"))
    nonsense = await house.posts("ana", path, saying("goodbye", trigger="delete-message"))
    shown = (await house.gets("ana", f"/v1/conversations/{id}/messages")).json["items"]

    assert (edited.status, again.status, stranger.status, nonsense.status) == (200, 200, 404, 422)
    assert [one["parts"][0].get("text") for one in shown if one["role"] == "user"] == ["goodbye"]
    assert await runs(house, id) == 3


async def test_a_client_reconnects_where_the_sdk_looks_for_its_stream(house: House) -> None:
    id = await opened(house)
    other = await opened(house)

    assert (await house.gets("ana", f"/v1/conversations/{id}/chat/{id}/stream")).status == 204
    assert (await house.gets("ana", f"/v1/conversations/{id}/chat/{other}/stream")).status == 404
    assert (await house.gets("ben", f"/v1/conversations/{id}/chat/{id}/stream")).status == 404
