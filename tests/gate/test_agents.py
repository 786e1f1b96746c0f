"""Which agents somebody knows of, and what is said of their tools."""

import pytest

from assent.engine.model import Call
from assent.engine.policy.tiers import Tier
from assent.errors import ForbiddenError, InputError, NotFoundError
from assent.gate.access import Kind, Principal, Role
from assent.gate.agents import Agents, TierChange
from assent.gate.ids import new_id
from assent.gate.people import Credential, Person, Purpose, Register
from assent.gate.people_admin import PeopleAdmin
from tests.gate.samples import ADA, ANA, BEN, CLERK, ROBOT
from tests.gate.scene import PUT, READ, Scene

VIEWER = Principal(id="vera", roles={"agent:planned": Role.VIEWER})


async def _agents(scene: Scene) -> Agents:
    register: Register = scene.store  # type: ignore[assignment]
    for name in ("ana", "ben"):
        await register.add_person(Person(id=name), by="test")
    token = Credential(
        id=new_id(), purpose=Purpose.TOKEN, kind=Kind.AGENT, principal_id="helper", on_behalf="ben"
    )
    await register.add_credential(token, "0" * 64, lives_for=None)
    await scene.turn()  # ana's `clerk`
    agents = Agents(scene.store, PeopleAdmin(register))
    await agents.replace_tool_tiers(ADA, "planned", [TierChange("x", "mcp")])
    return agents


@pytest.mark.proves("T-38")
async def test_somebody_knows_of_the_agents_that_work_for_them(scene: Scene) -> None:
    agents = await _agents(scene)
    known = {who.id: tuple(await agents.list(who)) for who in (ANA, BEN, ADA, VIEWER, ROBOT)}

    assert known == {
        "ana": ("clerk",),
        "ben": ("helper",),
        "ada": ("clerk", "helper", "planned"),
        "vera": ("planned",),
        "robot": ("clerk",),
    }


@pytest.mark.proves("T-38")
async def test_an_agent_that_only_called_something_is_known_with_its_tools(scene: Scene) -> None:
    agents = await _agents(scene)
    turn = await scene.turn(agent="passer-by")
    for call in (READ, PUT, Call(tool="made.up", args={}, id="x")):
        await turn.submit(call)
    await scene.store.flush_audit()
    seen = {who.id: dict(await agents.list(who)).get("passer-by") for who in (ADA, ANA, BEN)}

    assert seen == {"ada": ["note.put", "note.read"], "ana": ["note.put", "note.read"], "ben": None}


async def test_an_agent_that_somebody_said_yes_to_is_known(scene: Scene) -> None:
    agents = await _agents(scene)
    await agents.add_override(ADA, "expected", "mail.send")

    assert dict(await agents.list(ADA))["expected"] == []


@pytest.mark.proves("R004-43", "T-38")
async def test_the_tools_of_an_agent_that_is_nothing_to_somebody_are_not_there(scene: Scene) -> None:
    agents = await _agents(scene)
    for asking in (
        agents.tool_tiers(BEN, "clerk"),
        agents.add_override(BEN, "clerk", "x"),
        agents.overrides(BEN, "clerk"),
    ):
        with pytest.raises(NotFoundError):
            await asking


@pytest.mark.proves("R004-1", "R004-6", "R004-7", "R004-8", "R004-9")
async def test_a_tool_without_a_tier_gets_the_one_that_its_name_suggests(scene: Scene) -> None:
    agents = await _agents(scene)
    wanted = [
        TierChange("create_x", "operations"),
        TierChange("list_x", "rag"),
        TierChange("mcp__github__list_issues", "mcp"),
        TierChange("update_x", "operations", Tier.BLOCKED),
    ]
    found = await agents.replace_tool_tiers(ADA, "clerk", wanted)

    assert [(one.tool, one.assignment.tier, one.assignment.explicit, one.provider) for one in found] == [
        ("create_x", Tier.NEEDS_APPROVAL, False, "operations"),
        ("list_x", Tier.ALWAYS_ALLOW, False, "rag"),
        ("mcp__github__list_issues", Tier.NEEDS_APPROVAL, False, "mcp"),
        ("update_x", Tier.BLOCKED, True, "operations"),
    ]


@pytest.mark.parametrize(
    "settings",
    [[TierChange("x", "mcp"), TierChange("x", "rag")], [TierChange("a b", "mcp")], [TierChange("x", "")]],
)
async def test_what_cannot_be_kept_changes_nothing(scene: Scene, settings: list[TierChange]) -> None:
    agents = await _agents(scene)
    before = await agents.tool_tiers(ADA, "planned")
    with pytest.raises(InputError):
        await agents.replace_tool_tiers(ADA, "planned", settings)

    assert await agents.tool_tiers(ADA, "planned") == before


async def test_an_owner_sees_the_tiers_of_their_agent_and_sets_none(scene: Scene) -> None:
    agents = await _agents(scene)
    with pytest.raises(ForbiddenError):
        await agents.replace_tool_tiers(ANA, "clerk", [])

    assert list(await agents.tool_tiers(ANA, "clerk")) == []


@pytest.mark.proves("R004-10", "R004-11", "R004-14", "T-9")
async def test_a_standing_yes_is_ones_own_and_is_there_once(scene: Scene) -> None:
    agents = await _agents(scene)
    first = await agents.add_override(ANA, "clerk", "mail.send")
    second = await agents.add_override(ANA, "clerk", "mail.send")
    await agents.revoke_override(ANA, "clerk", "mail.send")

    assert (first.id, first.user, first.agent, first.override) == (second.id, "ana", "clerk", True)
    assert list(await agents.overrides(ADA, "clerk")) == []


@pytest.mark.proves("T-5")
@pytest.mark.parametrize("who", [ROBOT, CLERK])
async def test_a_program_gives_no_standing_yes(scene: Scene, who: Principal) -> None:
    agents = await _agents(scene)
    with pytest.raises((ForbiddenError, NotFoundError)):
        await agents.add_override(who, "clerk", "mail.send")

    assert list(await agents.overrides(ADA, "clerk")) == []


async def test_what_nobody_said_cannot_be_taken_back(scene: Scene) -> None:
    agents = await _agents(scene)
    with pytest.raises(NotFoundError):
        await agents.revoke_override(ANA, "clerk", "mail.send")
