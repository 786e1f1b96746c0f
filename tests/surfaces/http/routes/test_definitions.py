"""`/v1/definitions`: what changed of a tool, and accepting it."""

from tests.surfaces.http.house import House


async def test_a_changed_definition_is_shown_and_accepted_by_administrators(house: House) -> None:
    tool = {"name": "post.send", "description": "Sends."}
    for one in (tool, {**tool, "description": "Sends to all."}):
        await house.sends("ada", "PUT", "/v1/agents/clerk/catalog", {"origin": "mcp:post", "tools": [one]})
    (found,) = (await house.gets("ada", "/v1/definitions")).json["items"]
    body = {name: found[name] for name in ("origin", "tool", "digest")}
    refused = [(await house.posts(who, "/v1/definitions/accept", body)).status for who in ("ana", "clerk")]
    stale = await house.posts("ada", "/v1/definitions/accept", {**body, "digest": "0" * 64})
    accepted = await house.posts("ada", "/v1/definitions/accept", body)

    assert found["differences"] == [
        {"field": "description", "before": '"Sends."', "after": '"Sends to all."'}
    ]
    assert (refused, stale.status, accepted.status) == ([403, 403], 409, 204)
    assert (await house.gets("ada", "/v1/definitions")).json["items"] == []
