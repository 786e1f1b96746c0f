"""A changed definition asks until a person accepts what was shown; nobody else can."""

import json
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.policy.verdict import Stage
from assent.errors import ConflictError, ForbiddenError, NotFoundError
from assent.gate.access import Principal
from assent.gate.catalog import DeclaredTool, FieldChange, Pin, Trust, differences
from tests.gate.samples import ADA, ANA, CLERK, ROBOT
from tests.gate.scene import Scene, a_scene

OLD = Tool(
    name="post.send",
    origin="mcp:post",
    description="Sends.",
    parameters={"properties": {"to": {"type": "string"}}},
)
NEW = replace(
    OLD, description="Sends to all.", effect=Effect.READ, parameters={"properties": {"to": {"type": "array"}}}
)
SEND = Call(tool="post.send", args={"to": "a"}, agent="clerk", conversation="c1")


@pytest.fixture(params=["memory", "sqlite"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    return a_scene(request.param, tmp_path)


def declared(tool: Tool) -> DeclaredTool:
    return DeclaredTool(tool=tool, trust=Trust.CLIENT, agent="clerk")


async def publish_change(scene: Scene) -> None:
    for tool in (OLD, NEW):
        await scene.gate.publish(ADA, "clerk", "mcp:post", [declared(tool)])


async def test_it_says_what_changed_and_asks_until_that_is_accepted(scene: Scene) -> None:
    await publish_change(scene)
    asking = await scene.gate.decide(ANA, SEND)
    (found,) = await scene.gate.changed_definitions(ADA)
    await scene.gate.accept(ADA, "post.send", digest=found.digest, origin="mcp:post")
    after = await scene.gate.decide(ANA, SEND)

    assert asking.decision.stage is Stage.CHANGED
    assert (found.origin, found.tool, found.agent) == ("mcp:post", "post.send", "clerk")
    assert found.differences == (
        FieldChange("description", '"Sends."', '"Sends to all."'),
        FieldChange("effect", '"external"', '"read"'),
        FieldChange("parameters.properties.to.type", '"string"', '"array"'),
    )
    assert after.decision.stage is not Stage.CHANGED
    assert await scene.gate.changed_definitions(ADA) == []
    await scene.store.flush_audit()
    rows, _ = await scene.store.audit()
    assert [
        (row.entry.user, row.entry.reason) for row in rows if row.entry.decision == "definition_accepted"
    ] == [("ada", "post.send")]


@pytest.mark.parametrize("who", [ANA, CLERK, ROBOT, replace(CLERK, administrator=True)])
async def test_only_who_may_change_policy_accepts_and_never_an_agent(scene: Scene, who: Principal) -> None:
    await publish_change(scene)
    with pytest.raises(ForbiddenError):
        await scene.gate.changed_definitions(who)
    with pytest.raises(ForbiddenError):
        await scene.gate.accept(who, "post.send")

    assert len(await scene.gate.changed_definitions(ADA)) == 1


async def test_what_is_no_longer_so_is_not_accepted(scene: Scene) -> None:
    await publish_change(scene)
    (found,) = await scene.gate.changed_definitions(ADA)
    await scene.gate.publish(ADA, "clerk", "mcp:post", [declared(replace(NEW, description="Deletes."))])

    with pytest.raises(ConflictError):
        await scene.gate.accept(ADA, "post.send", digest=found.digest)
    with pytest.raises(NotFoundError):
        await scene.gate.accept(ADA, "post.send", origin="mcp:other")


async def test_a_definition_that_was_not_kept_is_learnt_when_it_is_seen_again(scene: Scene) -> None:
    old = declared(OLD)
    await scene.store.pin_definitions([old.pin])
    await scene.gate.publish(ADA, "clerk", "mcp:post", [old])
    kept = await scene.store.pins()

    assert [json.loads(pin.definition or "{}").get("description") for pin in kept] == ["Sends."]
    assert list(differences(Pin("o", "t", "d"), "{}")) == []
