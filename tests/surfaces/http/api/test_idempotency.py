"""A repeated request with the same idempotency key creates nothing new."""

import asyncio

import pytest

from tests.surfaces.http.api_server import ApiServer

RULE = {"list": "deny", "text": "sh(rm *)"}


def _key_header(key: str) -> dict[str, object]:
    return {"headers": {"idempotency-key": key}}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/rules", RULE),
        ("/v1/conversations", {"title": "t"}),
        ("/v1/agents/clerk/tool-overrides", {"toolName": "note.put"}),
        ("/v1/people", {"id": "dora"}),
    ],
)
async def test_the_same_key_gets_the_first_reply_again(api: ApiServer, path: str, body: object) -> None:
    first = await api.post("ada", path, body, **_key_header("k-1"))
    before = await api.stored_state()
    second = await api.post("ada", path, body, **_key_header("k-1"))

    assert (first.status, second.status) == (201, 201)
    assert second.json == first.json
    assert await api.stored_state() == before


async def test_the_same_key_for_a_different_request_is_a_conflict(api: ApiServer) -> None:
    await api.post("ada", "/v1/rules", RULE, **_key_header("k-1"))
    other = await api.post("ada", "/v1/rules", {**RULE, "text": "sh(dd *)"}, **_key_header("k-1"))
    elsewhere = await api.post("ada", "/v1/conversations", {}, **_key_header("k-1"))

    assert (other.status, elsewhere.status) == (409, 409)
    assert [one.text for one in await api.store.rules()] == ["sh(rm *)"]


async def test_two_people_may_choose_the_same_key(api: ApiServer) -> None:
    ana = await api.post("ana", "/v1/conversations", {"title": "a"}, **_key_header("k-1"))
    ben = await api.post("ben", "/v1/conversations", {"title": "b"}, **_key_header("k-1"))

    assert (ana.json["owner"], ben.json["owner"]) == ("ana", "ben")


async def test_a_failed_request_can_be_repeated_with_its_key(api: ApiServer) -> None:
    failed = await api.post("ada", "/v1/rules", {"list": "deny", "text": "sh("}, **_key_header("k-1"))
    again = await api.post("ada", "/v1/rules", RULE, **_key_header("k-1"))

    assert (failed.status, again.status) == (422, 201)


async def test_two_concurrent_requests_with_one_key_create_one_thing(api: ApiServer) -> None:
    replies = await asyncio.gather(
        *(api.post("ada", "/v1/rules", RULE, **_key_header("k-1")) for _ in range(5))
    )

    assert {one.status for one in replies} <= {201, 409}
    assert len(await api.store.rules()) == 1


@pytest.mark.parametrize("key", ["", "x" * 129, "two words", "ñ"])
async def test_an_idempotency_key_is_short_printable_ascii(in_memory: ApiServer, key: str) -> None:
    api: ApiServer = in_memory
    reply = await api.post("ada", "/v1/rules", RULE, headers={"idempotency-key": key.encode()})

    assert reply.status == 400
    assert list(await api.store.rules()) == []
