"""`/v1/conversations`: begin, change and chat in conversations."""

import asyncio
import json
from typing import Any

import pytest

from assent.hosts.chat.request import MODE_FIELDS
from tests.gate.samples import SECOND
from tests.surfaces.http.api_server import ASKED, ApiServer, Reply

CONVERSATIONS = "/v1/conversations"


async def test_a_conversation_starts_in_the_first_mode_of_its_preset(api: ApiServer) -> None:
    begun = await api.post("ana", CONVERSATIONS, {"title": "tax", "agent": "clerk", "preset": "propose"})
    looked = await api.get("ana", f"{CONVERSATIONS}/{begun.json['id']}")

    assert begun.status == 201
    assert {name: begun.json[name] for name in ("owner", "agent", "preset", "mode", "title", "model")} == {
        "owner": "ana",
        "agent": "clerk",
        "preset": "propose",
        "mode": "approve",
        "title": "tax",
        "model": "",
    }
    assert looked.json == begun.json


@pytest.mark.proves("R001-10", "R001-11")
async def test_the_owner_can_change_the_mode_for_the_next_turn(api: ApiServer) -> None:
    await api.post("clerk", "/v1/calls", {"call": ASKED, "conversation": "c1"})
    strangers = await api.send("ben", "PATCH", f"{CONVERSATIONS}/c1", {"mode": "auto"})
    approvers = await api.send("chris", "PATCH", f"{CONVERSATIONS}/c1", {"mode": "auto"})
    services = await api.send("robot", "PATCH", f"{CONVERSATIONS}/c1", {"mode": "auto"})
    mine = await api.send("ana", "PATCH", f"{CONVERSATIONS}/c1", {"mode": "autonomous"})
    other = {**ASKED, "id": "another"}
    run = await api.post("clerk", "/v1/calls", {"call": other, "conversation": "c1"})

    assert (strangers.status, approvers.status, services.status) == (404, 404, 403)
    assert (mine.json["mode"], run.json["outcome"]) == ("autonomous", "run")


@pytest.mark.parametrize("mode", ["yolo", "AUTO", ""])
async def test_an_unknown_mode_changes_nothing(in_memory: ApiServer, mode: str) -> None:
    api: ApiServer = in_memory
    id = (await api.post("ana", CONVERSATIONS, {})).json["id"]
    reply = await api.send("ana", "PATCH", f"{CONVERSATIONS}/{id}", {"mode": mode})

    assert reply.status == 422
    assert (await api.get("ana", f"{CONVERSATIONS}/{id}")).json["mode"] == "default"


async def test_an_unknown_preset_begins_no_conversation(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    reply = await api.post("ana", CONVERSATIONS, {"preset": "nonsense"})

    assert reply.status == 422
    assert (await api.get("ana", CONVERSATIONS)).json["items"] == []


async def test_people_list_their_own_conversations_newest_first(api: ApiServer) -> None:
    ids = []
    for number in range(3):
        ids.append((await api.post("ana", CONVERSATIONS, {"title": str(number)})).json["id"])
        api.scene.clock.advance(SECOND)
    await api.post("ben", CONVERSATIONS, {})
    first = (await api.get("ana", CONVERSATIONS, limit=2)).json
    rest = (await api.get("ana", CONVERSATIONS, limit=2, after=first["next"])).json

    assert [one["id"] for one in first["items"] + rest["items"]] == ids[::-1]
    assert rest["next"] is None


async def test_changing_the_title_does_not_restore_an_old_mode(api: ApiServer) -> None:
    id = (await api.post("ana", CONVERSATIONS, {"mode": "auto"})).json["id"]
    path = f"{CONVERSATIONS}/{id}"
    for _ in range(5):
        await asyncio.gather(
            api.send("ana", "PATCH", path, {"mode": "plan"}),
            api.send("ana", "PATCH", path, {"title": "t"}),
            api.send("ana", "PATCH", path, {"model": "m"}),
        )
        found = (await api.get("ana", path)).json
        await api.send("ana", "PATCH", path, {"mode": "auto", "title": "", "model": ""})

        assert (found["mode"], found["title"], found["model"]) == ("plan", "t", "m")


@pytest.mark.proves("T-47")
async def test_a_mode_change_is_a_row_of_the_audit(api: ApiServer) -> None:
    id = (await api.post("ana", CONVERSATIONS, {})).json["id"]
    await api.send("ana", "PATCH", f"{CONVERSATIONS}/{id}", {"title": "t"})
    await api.send("ana", "PATCH", f"{CONVERSATIONS}/{id}", {"mode": "autonomous"})
    await api.store.flush_audit()
    rows = (await api.get("ada", "/v1/audit", conversation=id)).json["items"]

    assert [(row["entry"]["decision"], row["entry"]["user"], row["entry"]["mode"]) for row in rows] == [
        ("mode_changed", "ana", "autonomous"),
        ("conversation_changed", "ana", ""),
    ]


FIRST = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "hello"}]}


async def user_texts(api: ApiServer, id: str) -> list[str]:
    items = (await api.get("ana", f"{CONVERSATIONS}/{id}/messages", live=True)).json["items"]
    return [one["parts"][0]["text"] for one in items if one["role"] == "user"]


async def test_a_conversation_begins_with_its_first_message_in_one_request(api: ApiServer) -> None:
    begun = await api.post(
        "ana", CONVERSATIONS, {"preset": "chat", "title": "hi", "mode": "plan", "message": FIRST}
    )

    assert (begun.status, begun.json["mode"], begun.json["title"]) == (201, "plan", "hi")
    assert await user_texts(api, begun.json["id"]) == ["hello"]


@pytest.mark.proves("T-53")
async def test_beginning_again_with_the_same_key_returns_the_same_conversation(api: ApiServer) -> None:
    key = {"idempotency-key": "k1"}
    body = {"preset": "chat", "message": FIRST}
    replies = await asyncio.gather(*(api.post("ana", CONVERSATIONS, body, headers=key) for _ in range(3)))
    other = await api.post("ana", CONVERSATIONS, {**body, "mode": "auto"}, headers=key)
    of_ben = await api.post("ben", CONVERSATIONS, body, headers=key)

    assert {(one.status, one.json["id"]) for one in replies} == {(201, replies[0].json["id"])}
    assert (other.status, of_ben.status) == (409, 201)
    assert of_ben.json["id"] != replies[0].json["id"]
    assert len((await api.get("ana", CONVERSATIONS)).json["items"]) == 1
    assert await user_texts(api, replies[0].json["id"]) == ["hello"]


async def test_an_invalid_message_begins_no_conversation(api: ApiServer) -> None:
    reply = await api.post("ana", CONVERSATIONS, {"message": {**FIRST, "parts": []}})

    assert reply.status == 422
    assert (await api.get("ana", CONVERSATIONS)).json["items"] == []


HELLO = {"message": {"role": "user", "parts": [{"type": "text", "text": "hello"}]}}


async def open_conversation(api: ApiServer) -> str:
    return str((await api.post("ana", "/v1/conversations", {"preset": "chat"})).json["id"])


def chunks_of(reply: Reply) -> list[dict[str, Any]]:
    """The chunks of a stream, which must end as the AI SDK expects."""
    events = [one.removeprefix("data: ") for one in str(reply.json).split("\n\n") if one.startswith("data: ")]
    assert events.pop() == "[DONE]"
    return [json.loads(one) for one in events]


async def test_an_answer_is_streamed_and_stored(api: ApiServer) -> None:
    id = await open_conversation(api)
    reply = await api.post("ana", f"/v1/conversations/{id}/chat", HELLO)
    kept = await api.get("ana", f"/v1/conversations/{id}/messages")

    assert reply.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert [one["type"] for one in chunks_of(reply)][:3] == ["start", "start-step", "text-start"]
    assert [one["role"] for one in kept.json["items"]] == ["user", "assistant"]
    assert kept.json["items"][1]["id"] == chunks_of(reply)[0]["messageId"]


async def test_without_an_active_run_there_is_no_stream(api: ApiServer) -> None:
    id = await open_conversation(api)

    assert (await api.get("ana", f"/v1/conversations/{id}/stream")).status == 204
    assert (await api.post("ana", f"/v1/conversations/{id}/stop")).status == 204


@pytest.mark.parametrize("body", [{}, {"messages": []}, {"message": {"role": "system", "parts": []}}])
async def test_an_invalid_message_is_refused(api: ApiServer, body: object) -> None:
    id = await open_conversation(api)

    assert (await api.post("ana", f"/v1/conversations/{id}/chat", body)).status == 422


@pytest.mark.supports("R001-35", "R001-11")
async def test_only_the_owner_can_send_messages(api: ApiServer) -> None:
    id = await open_conversation(api)
    path = f"/v1/conversations/{id}/chat"

    assert (await api.post("ben", path, HELLO)).status == 404
    assert (await api.post("clerk", path, HELLO)).status == 403
    assert (await api.post("robot", path, HELLO)).status == 403


async def test_the_rehearsal_model_says_that_it_is_a_rehearsal(api: ApiServer) -> None:
    found = await api.get("ana", "/v1/models")

    assert found.json == {"items": [{"name": "rehearsal", "model": "rehearsal", "rehearsal": True}]}


async def test_an_unknown_client_version_is_refused(api: ApiServer) -> None:
    id = await open_conversation(api)

    assert (await api.post("ana", f"/v1/conversations/{id}/chat?sdk=5", HELLO)).status == 400


WRITES = {
    "message": {
        "role": "user",
        "parts": [{"type": "text", "text": '/call write_file {"path": "a.txt", "content": "x"}'}],
    }
}


@pytest.mark.proves("T-47")
@pytest.mark.parametrize("name", MODE_FIELDS)
@pytest.mark.parametrize("own", ["default", "auto"])
async def test_a_message_runs_in_the_mode_it_requests(in_memory: ApiServer, own: str, name: str) -> None:
    api: ApiServer = in_memory
    id = (await api.post("ana", "/v1/conversations", {"preset": "chat", "mode": own})).json["id"]
    path = f"/v1/conversations/{id}/chat"
    planned = await api.post("ana", path, {**WRITES, name: "plan"})

    assert "blocked_in_plan_mode" in str(planned.json)
    assert (await api.get("ana", f"/v1/conversations/{id}")).json["mode"] == own


@pytest.mark.proves("T-47")
@pytest.mark.parametrize(
    "named",
    [
        *({"mode": word} for word in ("paln", "PLAN", "yolo", "accept_edits", "acceptEdits")),
        {"mode": "plan", "permission_mode": "auto"},
        {"mode": "plan", "permissionMode": "default"},
    ],
)
async def test_a_mode_that_the_preset_does_not_offer_is_refused(
    in_memory: ApiServer, named: dict[str, str]
) -> None:
    api: ApiServer = in_memory
    id = await open_conversation(api)
    reply = await api.post("ana", f"/v1/conversations/{id}/chat", {**WRITES, **named})

    assert reply.status == 422
    assert "mode" in reply.json["detail"]
    assert (await api.get("ana", f"/v1/conversations/{id}/messages")).json["items"] == []


def message_body(text: str, id: object = "m1", **more: object) -> dict[str, object]:
    return {"message": {"id": id, "role": "user", "parts": [{"type": "text", "text": text}]}, **more}


async def count_runs(api: ApiServer, id: str) -> int:
    return len((await api.get("ana", f"/v1/conversations/{id}/messages", replaced=True)).json["items"]) // 2


@pytest.mark.proves("T-53")
async def test_a_repeated_message_gets_the_same_answer_and_different_content_is_a_conflict(
    api: ApiServer,
) -> None:
    id = await open_conversation(api)
    path = f"/v1/conversations/{id}/chat"
    first = await api.post("ana", path, message_body("hello"))
    second = await api.post("ana", path, message_body("hello"))
    other = await api.post("ana", path, message_body("goodbye"))

    assert chunks_of(second) == chunks_of(first)
    assert (other.status, await count_runs(api, id)) == (409, 1)


@pytest.mark.proves("T-53")
@pytest.mark.parametrize("id", ["", "a\u0007b", 7, "x" * 257])
async def test_an_invalid_message_id_is_refused(api: ApiServer, id: object) -> None:
    conversation = await open_conversation(api)
    path = f"/v1/conversations/{conversation}/chat"

    assert (await api.post("ana", path, message_body("hello", id))).status == 422
    assert (await api.post("ana", path, message_body("hello", messageId=id))).status == 422


@pytest.mark.proves("T-53")
async def test_a_repeated_key_of_one_sender_starts_one_run(api: ApiServer) -> None:
    id = await open_conversation(api)
    path, key = f"/v1/conversations/{id}/chat", {"idempotency-key": "k1"}
    first = await api.post("ana", path, HELLO, headers=key)
    second = await api.post("ana", path, HELLO, headers=key)
    other = await api.post("ana", path, message_body("goodbye"), headers=key)
    invalid = await api.post("ana", path, HELLO, headers={"idempotency-key": "a b"})

    assert chunks_of(second) == chunks_of(first)
    assert (other.status, invalid.status, await count_runs(api, id)) == (409, 400, 1)


async def test_an_edit_or_retry_must_name_a_message_of_this_conversation(api: ApiServer) -> None:
    id = await open_conversation(api)
    path = f"/v1/conversations/{id}/chat"
    await api.post("ana", path, message_body("hello"))
    edited = await api.post("ana", path, message_body("goodbye", messageId="m1"))
    again = await api.post("ana", path, message_body("goodbye", trigger="regenerate-message"))
    stranger = await api.post("ana", path, message_body("goodbye", "m9", messageId="m9"))
    nonsense = await api.post("ana", path, message_body("goodbye", trigger="delete-message"))
    shown = (await api.get("ana", f"/v1/conversations/{id}/messages")).json["items"]

    assert (edited.status, again.status, stranger.status, nonsense.status) == (200, 200, 404, 422)
    assert [one["parts"][0].get("text") for one in shown if one["role"] == "user"] == ["goodbye"]
    assert await count_runs(api, id) == 3


async def test_a_client_can_reconnect_at_the_path_that_the_sdk_uses(api: ApiServer) -> None:
    id = await open_conversation(api)
    other = await open_conversation(api)

    assert (await api.get("ana", f"/v1/conversations/{id}/chat/{id}/stream")).status == 204
    assert (await api.get("ana", f"/v1/conversations/{id}/chat/{other}/stream")).status == 404
    assert (await api.get("ben", f"/v1/conversations/{id}/chat/{id}/stream")).status == 404
