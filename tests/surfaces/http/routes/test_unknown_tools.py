"""The field `unknown` of a token: with `ask`, the agent's calls of undeclared tools ask."""

import pytest

from assent.gate.unknown_tools import UnknownAnswer
from tests.surfaces.http.api_server import ApiServer

TOKENS = "/v1/tokens"
LAUNCH = {"tool": "mcp__rocket__launch", "args": {"site": "a"}}


async def start_open_agent(api: ApiServer) -> str:
    reply = await api.post("clerk", "/v1/calls", {"call": LAUNCH, "conversation": "c1"})
    return str(reply.json.get("code", reply.json["outcome"]))


async def test_an_administrator_opens_an_agent_and_accepts_its_tool(api: ApiServer) -> None:
    body = {"kind": "agent", "name": "clerk", "on_behalf": "ana", "unknown": "ask"}
    before = await start_open_agent(api)
    made = await api.post("ada", TOKENS, body)
    asked = await start_open_agent(api)
    listed = (await api.get("ana", "/v1/approvals")).json["items"]
    (changed,) = (await api.get("ada", "/v1/definitions")).json["items"]
    accepted = {name: changed[name] for name in ("origin", "tool", "digest")}
    done = await api.post("ada", "/v1/definitions/accept", accepted)

    assert (before, made.status, asked) == ("unknown_tool", 201, "wait")
    assert listed[0]["tool"]["origin"] == "undeclared/clerk/mcp__rocket__launch"
    assert listed[0]["decision"]["because"].startswith("nobody declared the tool")
    assert done.status < 300
    assert (await api.get("ada", "/v1/definitions")).json["items"] == []


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("ana", {"kind": "agent", "name": "clerk", "unknown": "ask"}, 403),
        ("clerk", {"kind": "agent", "name": "clerk", "unknown": "ask"}, 403),
        ("ada", {"kind": "service", "name": "clerk", "unknown": "ask"}, 422),
        ("ada", {"kind": "agent", "name": "clerk", "unknown": "run"}, 400),
    ],
)
async def test_others_cannot_open_an_agent(
    in_memory: ApiServer, name: str, body: object, status: int
) -> None:
    api: ApiServer = in_memory
    tokens = len(await api.authenticator.people.store.credentials())
    reply = await api.post(name, TOKENS, body)

    assert reply.status == status
    assert await api.service.gate.unknown_tools.answer("clerk") is UnknownAnswer.REFUSE
    assert len(await api.authenticator.people.store.credentials()) == tokens
