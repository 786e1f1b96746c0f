"""`assent tools` shows what changed of a tool, and accepts it."""

import json

from assent.engine.model import Tool
from assent.gate.access import Principal
from assent.gate.catalog import DeclaredTool, Trust
from tests.cli.asking import gate_at
from tests.cli.running import Command, Place

ADA = Principal(id="ada", administrator=True)


async def changed(place: Place) -> None:
    async with gate_at(place) as gate:
        for said in ("Sends.", "Sends to all."):
            tool = Tool(name="post.send", origin="mcp:post", description=said)
            declared = DeclaredTool(tool=tool, trust=Trust.CLIENT, agent="clerk")
            await gate.publish(ADA, "clerk", "mcp:post", [declared])


async def test_a_changed_definition_is_listed_and_accepted(place: Place, command: Command) -> None:
    await changed(place)
    listed = command("tools", "changed").out
    (found,) = json.loads(command("tools", "changed", "--json").out)
    accepted = command("tools", "accept", "post.send", "--origin", "mcp:post")
    after = command("tools", "changed")

    assert "post.send  of mcp:post" in listed
    assert '- "Sends."' in listed
    assert '+ "Sends to all."' in listed
    assert [one["field"] for one in found["differences"]] == ["description"]
    assert accepted.status == 0
    assert accepted.out.endswith("accepted post.send\n")
    assert (after.out, after.err) == ("", "no definition changed\n")


async def test_a_tool_that_did_not_change_is_not_accepted(place: Place, command: Command) -> None:
    await changed(place)
    ran = command("tools", "accept", "post.read")

    assert (ran.status, ran.out) == (2, "")
    assert "there is no changed definition `post.read`" in ran.err
