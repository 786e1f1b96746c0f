"""A tool with a changed definition asks until an administrator accepts the shown definition."""

import json
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Tier, TierSetting
from assent.engine.policy.verdict import Stage
from assent.errors import ConflictError, ForbiddenError, InputError, NotFoundError
from assent.gate.access import Principal
from assent.gate.catalog import DeclaredTool, FieldChange, Pin, TrustLevel, definition_differences
from assent.gate.definitions import MovedRules
from assent.gate.policy import StoredRule
from assent.gate.store import ToolTier
from tests.gate.samples import ADA, ANA, CLERK, ROBOT
from tests.gate.scene import GateHarness, open_harness, to_review

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
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return open_harness(request.param, tmp_path)


def declared_tool(tool: Tool) -> DeclaredTool:
    return DeclaredTool(tool=tool, trust=TrustLevel.CLIENT, agent="clerk")


async def publish_changed_definition(harness: GateHarness) -> None:
    for tool in (OLD, NEW):
        await harness.gate.publish(ADA, "clerk", "mcp:post", [declared_tool(tool)])


async def test_a_changed_definition_lists_its_changes_and_asks_until_it_is_accepted(
    harness: GateHarness,
) -> None:
    await publish_changed_definition(harness)
    asking = await harness.gate.decide(ANA, SEND)
    (found,) = await to_review(harness, ADA)
    await harness.gate.accept_definition(ADA, "post.send", digest=found.digest, origin="mcp:post")
    after = await harness.gate.decide(ANA, SEND)

    assert asking.decision.stage is Stage.CHANGED
    assert (found.origin, found.tool, found.agent) == ("mcp:post", "post.send", "clerk")
    assert found.differences == (
        FieldChange("description", '"Sends."', '"Sends to all."'),
        FieldChange("effect", '"external"', '"read"'),
        FieldChange("parameters.properties.to.type", '"string"', '"array"'),
    )
    assert after.decision.stage is not Stage.CHANGED
    assert await to_review(harness, ADA) == []
    await harness.store.flush_audit()
    rows, _ = await harness.store.audit()
    assert [
        (row.entry.user, row.entry.reason) for row in rows if row.entry.decision == "definition_accepted"
    ] == [("ada", "post.send")]


@pytest.mark.parametrize("who", [ANA, CLERK, ROBOT, replace(CLERK, administrator=True)])
async def test_only_administrators_that_are_not_agents_can_accept_a_definition(
    harness: GateHarness, who: Principal
) -> None:
    await publish_changed_definition(harness)
    with pytest.raises(ForbiddenError):
        await to_review(harness, who)
    with pytest.raises(ForbiddenError):
        await harness.gate.accept_definition(who, "post.send")

    assert len(await to_review(harness, ADA)) == 1


async def test_a_definition_that_changed_again_is_not_accepted(harness: GateHarness) -> None:
    await publish_changed_definition(harness)
    (found,) = await to_review(harness, ADA)
    await harness.gate.publish(
        ADA, "clerk", "mcp:post", [declared_tool(replace(NEW, description="Deletes."))]
    )

    with pytest.raises(ConflictError):
        await harness.gate.accept_definition(ADA, "post.send", digest=found.digest)
    with pytest.raises(NotFoundError):
        await harness.gate.accept_definition(ADA, "post.send", origin="mcp:other")


async def test_a_definition_that_was_not_stored_is_stored_when_it_is_declared_again(
    harness: GateHarness,
) -> None:
    old = declared_tool(OLD)
    await harness.store.pin_definitions([old.pin])
    await harness.gate.publish(ADA, "clerk", "mcp:post", [old])
    kept = await harness.store.pins()

    assert [json.loads(pin.definition or "{}").get("description") for pin in kept] == ["Sends."]
    assert list(definition_differences(Pin("o", "t", "d"), "{}")) == []


# ---- renamed tools -------------------------------------------------------------------------------

RULES = (
    StoredRule(id="r1", list=RuleList.ALLOW, text="dial.set(1 *)", by="ana", conversation="c1"),
    StoredRule(id="r2", list=RuleList.DENY, text="dial.set", by="ada"),
    StoredRule(id="r3", list=RuleList.ASK, text="dial.*", by="ada"),
    StoredRule(id="r4", list=RuleList.DENY, text="dial.setAll", by="ada"),
)


async def store_policy(harness: GateHarness) -> None:
    await harness.store.add_policy(rules=RULES)
    blocked, asks = TierSetting(Tier.BLOCKED), TierSetting(Tier.NEEDS_APPROVAL)
    await harness.store.set_tiers(
        [
            ToolTier("clerk", "dial.set", blocked),
            ToolTier("robot", "dial.set", blocked),
            ToolTier("robot", "knob.set", asks),
        ]
    )


async def move_rules(harness: GateHarness, who: Principal = ADA, old: str = "dial.set") -> MovedRules:
    return await (await harness.gate.definitions()).move_rules(who, old, "knob.set")


@pytest.mark.proves("R003-77")
async def test_an_administrator_moves_the_rules_of_a_renamed_tool_once(harness: GateHarness) -> None:
    await store_policy(harness)
    moved = await move_rules(harness)
    rules = await harness.store.rules()
    await harness.store.add_policy(rules=[replace(RULES[1], id="r5")])

    assert moved == MovedRules(rules=2, tiers=2)
    assert {(one.list.value, one.text, one.by, one.conversation) for one in rules} == {
        ("allow", "knob.set(1 *)", "ana", "c1"),
        ("deny", "knob.set", "ada", None),
        ("ask", "dial.*", "ada", None),
        ("deny", "dial.setAll", "ada", None),
    }
    # A tier that the new name already has stays.
    assert {(one.agent, one.tool, one.assignment.tier) for one in await harness.store.tiers()} == {
        ("clerk", "knob.set", Tier.BLOCKED),
        ("robot", "knob.set", Tier.NEEDS_APPROVAL),
    }
    with pytest.raises(ConflictError, match="already moved"):
        await move_rules(harness)
    await harness.store.flush_audit()
    rows, _ = await harness.store.audit()
    kinds = [row.entry.decision for row in rows]
    assert [(row.entry.user, row.entry.reason) for row in rows if row.entry.decision == "rules_moved"] == [
        ("ada", "dial.set to knob.set")
    ]
    assert (kinds.count("rule_ended"), kinds.count("rule_written")) == (2, 2)


@pytest.mark.proves("R003-77")
@pytest.mark.parametrize("who", [ANA, CLERK, ROBOT, replace(CLERK, administrator=True)])
async def test_only_administrators_that_are_not_agents_move_rules(
    harness: GateHarness, who: Principal
) -> None:
    await store_policy(harness)
    with pytest.raises(ForbiddenError):
        await move_rules(harness, who)

    assert {one.text for one in await harness.store.rules()} == {one.text for one in RULES}


async def test_rules_are_moved_only_after_the_tool_was_renamed(harness: GateHarness) -> None:
    await store_policy(harness)
    page = harness.gate.page_tools.make_tool(Tool(name="dial.set", origin="page own"), "p1")
    harness.gate.page_tools.offer("c1", [page])
    with pytest.raises(ConflictError, match="still called"):
        await move_rules(harness)
    harness.gate.page_tools.offer("c1", [])

    assert await move_rules(harness) == MovedRules(rules=2, tiers=2)


async def test_a_move_without_rules_or_another_name_is_an_error(harness: GateHarness) -> None:
    with pytest.raises(NotFoundError):
        await move_rules(harness)
    with pytest.raises(InputError):
        await move_rules(harness, old="knob.set")
