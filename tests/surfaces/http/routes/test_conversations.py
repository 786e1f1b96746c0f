"""`/v1/conversations`: the mode and title of what one owns."""

import asyncio

import pytest

from tests.gate.samples import SECOND
from tests.surfaces.http.house import ASKED, House

CONVERSATIONS = "/v1/conversations"


async def test_a_conversation_starts_in_its_presets_first_mode(house: House) -> None:
    begun = await house.posts("ana", CONVERSATIONS, {"title": "tax", "agent": "clerk", "preset": "propose"})
    looked = await house.gets("ana", f"{CONVERSATIONS}/{begun.json['id']}")

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
async def test_a_mode_is_changed_by_its_owner_for_the_next_turn(house: House) -> None:
    await house.posts("clerk", "/v1/calls", {"call": ASKED, "conversation": "c1"})
    strangers = await house.sends("ben", "PATCH", f"{CONVERSATIONS}/c1", {"mode": "auto"})
    approvers = await house.sends("chris", "PATCH", f"{CONVERSATIONS}/c1", {"mode": "auto"})
    services = await house.sends("robot", "PATCH", f"{CONVERSATIONS}/c1", {"mode": "auto"})
    mine = await house.sends("ana", "PATCH", f"{CONVERSATIONS}/c1", {"mode": "autonomous"})
    other = {**ASKED, "id": "another"}
    run = await house.posts("clerk", "/v1/calls", {"call": other, "conversation": "c1"})

    assert (strangers.status, approvers.status, services.status) == (404, 404, 403)
    assert (mine.json["mode"], run.json["outcome"]) == ("autonomous", "run")


@pytest.mark.parametrize("mode", ["yolo", "AUTO", ""])
async def test_a_mode_that_nobody_knows_changes_nothing(in_memory: House, mode: str) -> None:
    house: House = in_memory
    id = (await house.posts("ana", CONVERSATIONS, {})).json["id"]
    reply = await house.sends("ana", "PATCH", f"{CONVERSATIONS}/{id}", {"mode": mode})

    assert reply.status == 422
    assert (await house.gets("ana", f"{CONVERSATIONS}/{id}")).json["mode"] == "default"


async def test_a_preset_that_nobody_knows_begins_nothing(in_memory: House) -> None:
    house: House = in_memory
    reply = await house.posts("ana", CONVERSATIONS, {"preset": "nonsense"})

    assert reply.status == 422
    assert (await house.gets("ana", CONVERSATIONS)).json["items"] == []


async def test_somebody_lists_their_own_newest_first(house: House) -> None:
    ids = []
    for number in range(3):
        ids.append((await house.posts("ana", CONVERSATIONS, {"title": str(number)})).json["id"])
        house.scene.clock.passes(SECOND)
    await house.posts("ben", CONVERSATIONS, {})
    first = (await house.gets("ana", CONVERSATIONS, limit=2)).json
    rest = (await house.gets("ana", CONVERSATIONS, limit=2, after=first["next"])).json

    assert [one["id"] for one in first["items"] + rest["items"]] == ids[::-1]
    assert rest["next"] is None


async def test_a_new_title_does_not_bring_back_an_old_mode(house: House) -> None:
    id = (await house.posts("ana", CONVERSATIONS, {"mode": "auto"})).json["id"]
    path = f"{CONVERSATIONS}/{id}"
    for _ in range(5):
        await asyncio.gather(
            house.sends("ana", "PATCH", path, {"mode": "plan"}),
            house.sends("ana", "PATCH", path, {"title": "t"}),
            house.sends("ana", "PATCH", path, {"model": "m"}),
        )
        found = (await house.gets("ana", path)).json
        await house.sends("ana", "PATCH", path, {"mode": "auto", "title": "", "model": ""})

        assert (found["mode"], found["title"], found["model"]) == ("plan", "t", "m")


@pytest.mark.proves("T-47")
async def test_a_mode_that_is_changed_is_a_row_of_the_audit(house: House) -> None:
    id = (await house.posts("ana", CONVERSATIONS, {})).json["id"]
    await house.sends("ana", "PATCH", f"{CONVERSATIONS}/{id}", {"title": "t"})
    await house.sends("ana", "PATCH", f"{CONVERSATIONS}/{id}", {"mode": "autonomous"})
    await house.store.flush_audit()
    rows = (await house.gets("ada", "/v1/audit", conversation=id)).json["items"]

    assert [(row["entry"]["decision"], row["entry"]["user"], row["entry"]["mode"]) for row in rows] == [
        ("mode_changed", "ana", "autonomous"),
        ("conversation_changed", "ana", ""),
    ]


FIRST = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "hello"}]}


async def said_in(house: House, id: str) -> list[str]:
    items = (await house.gets("ana", f"{CONVERSATIONS}/{id}/messages", live=True)).json["items"]
    return [one["parts"][0]["text"] for one in items if one["role"] == "user"]


async def test_a_conversation_begins_with_its_first_message_in_one_request(house: House) -> None:
    begun = await house.posts(
        "ana", CONVERSATIONS, {"preset": "chat", "title": "hi", "mode": "plan", "message": FIRST}
    )

    assert (begun.status, begun.json["mode"], begun.json["title"]) == (201, "plan", "hi")
    assert await said_in(house, begun.json["id"]) == ["hello"]


@pytest.mark.proves("T-53")
async def test_a_conversation_that_begins_again_with_the_same_key_is_the_same(house: House) -> None:
    key = {"idempotency-key": "k1"}
    body = {"preset": "chat", "message": FIRST}
    replies = await asyncio.gather(*(house.posts("ana", CONVERSATIONS, body, headers=key) for _ in range(3)))
    other = await house.posts("ana", CONVERSATIONS, {**body, "mode": "auto"}, headers=key)
    of_ben = await house.posts("ben", CONVERSATIONS, body, headers=key)

    assert {(one.status, one.json["id"]) for one in replies} == {(201, replies[0].json["id"])}
    assert (other.status, of_ben.status) == (409, 201)
    assert of_ben.json["id"] != replies[0].json["id"]
    assert len((await house.gets("ana", CONVERSATIONS)).json["items"]) == 1
    assert await said_in(house, replies[0].json["id"]) == ["hello"]


async def test_what_is_no_message_begins_no_conversation(house: House) -> None:
    reply = await house.posts("ana", CONVERSATIONS, {"message": {**FIRST, "parts": []}})

    assert reply.status == 422
    assert (await house.gets("ana", CONVERSATIONS)).json["items"] == []
