"""Tests of permissions, of the list of agents, of tiers and of overrides."""

from collections.abc import Iterable

import pytest

from assent.engine.base.tool import Call
from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Tier
from assent.errors import AssentError, ForbiddenError, InputError, NotFoundError, StoreError
from assent.gate.access import Kind, Principal, Role
from assent.gate.ids import new_id
from assent.gate.people import Credential, IdentityStore, PeopleAdmin, Person, Purpose
from assent.gate.policy import StoredGrant, StoredRule
from assent.gate.policy_admin import (
    Agents,
    PermissionChanges,
    PolicyAdmin,
    StoredPermissions,
    TierChange,
)
from tests.gate.samples import ADA, ANA, BEN, CLERK, ROBOT
from tests.gate.scene import PUT, READ, GateHarness

FIRST_CHANGES = PermissionChanges(mode="plan", allow=["note.put"], ask=["mail.send"], deny=["sh(rm *)"])


@pytest.mark.proves("R003-28", "R003-69")
async def test_each_rule_list_is_replaced_separately_and_without_duplicates(harness: GateHarness) -> None:
    settings = harness.gate.policy
    await settings.change_permissions(ADA, FIRST_CHANGES)
    found = await settings.change_permissions(
        ADA, PermissionChanges(allow=["mail.send", "mail.send", "note.put"], deny=[])
    )

    assert found == StoredPermissions(
        mode="plan", allow=("note.put", "mail.send"), ask=("mail.send",), deny=()
    )
    assert len(await harness.store.rules()) == 3


async def test_an_empty_mode_means_the_first_mode_of_the_preset(harness: GateHarness) -> None:
    settings = harness.gate.policy
    await settings.change_permissions(ADA, FIRST_CHANGES)

    assert (await settings.change_permissions(ADA, PermissionChanges(mode=""))).mode == ""


@pytest.mark.proves("T-29")
@pytest.mark.parametrize("who", [ANA, CLERK])
async def test_only_administrators_can_change_permissions(harness: GateHarness, who: Principal) -> None:
    with pytest.raises(ForbiddenError):
        await PolicyAdmin(harness.store, harness.gate._decider).change_permissions(who, FIRST_CHANGES)

    assert await harness.gate.policy.stored_permissions() == StoredPermissions()


@pytest.mark.proves("R003-66")
@pytest.mark.parametrize(
    "edit", [PermissionChanges(mode="yolo", deny=[]), PermissionChanges(allow=["sh("], deny=[])]
)
async def test_invalid_permissions_change_nothing(harness: GateHarness, edit: PermissionChanges) -> None:
    settings = harness.gate.policy
    before = await settings.change_permissions(ADA, FIRST_CHANGES)
    with pytest.raises(AssentError):
        await settings.change_permissions(ADA, edit)

    assert await settings.stored_permissions() == before


async def test_rules_with_a_scope_are_not_part_of_the_permissions(harness: GateHarness) -> None:
    await harness.add_rule(RuleList.ALLOW, "note.put", user="ana")
    settings = harness.gate.policy
    await settings.change_permissions(ADA, PermissionChanges(allow=[]))

    assert (await settings.stored_permissions()).allow == ()
    assert [one.user for one in await harness.store.rules()] == ["ana"]


class _FailingStore:
    """A store that fails after a number of writes."""

    def __init__(self, store: object, writes: int) -> None:
        self._store = store
        self._left = writes

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    async def add_policy(self, grants: Iterable[StoredGrant] = (), rules: Iterable[StoredRule] = ()) -> None:
        self._count_and_fail()
        await self._store.add_policy(grants, rules)  # type: ignore[attr-defined]

    async def revoke(self, id: str, *, by: str) -> None:
        self._count_and_fail()
        await self._store.revoke(id, by=by)  # type: ignore[attr-defined]

    def _count_and_fail(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise StoreError("the disk is full")


@pytest.mark.proves("R-12", "R003-66")
@pytest.mark.parametrize("writes", range(4))
async def test_an_interrupted_change_is_never_looser_than_before_and_after(
    harness: GateHarness, writes: int
) -> None:
    await PolicyAdmin(harness.store, harness.gate._decider).change_permissions(
        ADA, PermissionChanges(deny=["sh(rm *)"], allow=["note.put"])
    )
    stopping: object = _FailingStore(harness.store, writes)
    with pytest.raises(StoreError):
        await PolicyAdmin(stopping, harness.gate._decider).change_permissions(
            ADA, PermissionChanges(deny=["sh(dd *)"], allow=["mail.send"])
        )  # type: ignore[arg-type]
    found = await harness.gate.policy.stored_permissions()

    assert "sh(rm *)" in found.deny
    assert "sh(dd *)" in found.deny or "mail.send" not in found.allow
    assert not {"note.put", "mail.send"} <= set(found.allow)


VIEWER = Principal(id="vera", roles={"agent:planned": Role.VIEWER})


async def _agents(harness: GateHarness) -> Agents:
    register: IdentityStore = harness.store  # type: ignore[assignment]
    for name in ("ana", "ben"):
        await register.add_person(Person(id=name), by="test")
    token = Credential(
        id=new_id(), purpose=Purpose.TOKEN, kind=Kind.AGENT, principal_id="helper", on_behalf="ben"
    )
    await register.add_credential(token, "0" * 64, lives_for=None)
    await harness.turn()  # ana's `clerk`
    agents = Agents(harness.store, PeopleAdmin(register))
    await agents.replace_tool_tiers(ADA, "planned", [TierChange("x", "mcp")])
    return agents


@pytest.mark.proves("T-38")
async def test_people_see_the_agents_that_work_for_them(harness: GateHarness) -> None:
    agents = await _agents(harness)
    known = {who.id: tuple(await agents.list(who)) for who in (ANA, BEN, ADA, VIEWER, ROBOT)}

    assert known == {
        "ana": ("clerk",),
        "ben": ("helper",),
        "ada": ("clerk", "helper", "planned"),
        "vera": ("planned",),
        "robot": ("clerk",),
    }


@pytest.mark.proves("T-38")
async def test_an_agent_that_only_made_calls_is_listed_with_its_tools(harness: GateHarness) -> None:
    agents = await _agents(harness)
    turn = await harness.turn(agent="passer-by")
    for call in (READ, PUT, Call(tool="made.up", args={}, id="x")):
        await turn.submit(call)
    await harness.store.flush_audit()
    seen = {who.id: dict(await agents.list(who)).get("passer-by") for who in (ADA, ANA, BEN)}

    assert seen == {"ada": ["note.put", "note.read"], "ana": ["note.put", "note.read"], "ben": None}


async def test_an_agent_with_an_override_is_listed(harness: GateHarness) -> None:
    agents = await _agents(harness)
    await agents.add_override(ADA, "expected", "mail.send")

    assert dict(await agents.list(ADA))["expected"] == []


@pytest.mark.proves("R004-43", "T-38")
async def test_the_tools_of_an_agent_of_another_person_are_not_found(harness: GateHarness) -> None:
    agents = await _agents(harness)
    for asking in (
        agents.tool_tiers(BEN, "clerk"),
        agents.add_override(BEN, "clerk", "x"),
        agents.overrides(BEN, "clerk"),
    ):
        with pytest.raises(NotFoundError):
            await asking


@pytest.mark.proves("R004-6", "R004-8", "R004-9")
@pytest.mark.supports("R004-7", "R004-1")
async def test_a_tool_without_an_explicit_tier_gets_the_default_tier_for_its_name(
    harness: GateHarness,
) -> None:
    agents = await _agents(harness)
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
async def test_invalid_tiers_change_nothing(harness: GateHarness, settings: list[TierChange]) -> None:
    agents = await _agents(harness)
    before = await agents.tool_tiers(ADA, "planned")
    with pytest.raises(InputError):
        await agents.replace_tool_tiers(ADA, "planned", settings)

    assert await agents.tool_tiers(ADA, "planned") == before


async def test_an_owner_can_read_but_not_set_the_tiers_of_their_agent(harness: GateHarness) -> None:
    agents = await _agents(harness)
    with pytest.raises(ForbiddenError):
        await agents.replace_tool_tiers(ANA, "clerk", [])

    assert list(await agents.tool_tiers(ANA, "clerk")) == []


@pytest.mark.proves("R004-10", "R004-11", "R004-14", "T-9")
async def test_an_override_is_for_the_principal_and_is_stored_once(harness: GateHarness) -> None:
    agents = await _agents(harness)
    first = await agents.add_override(ANA, "clerk", "mail.send")
    second = await agents.add_override(ANA, "clerk", "mail.send")
    await agents.revoke_override(ANA, "clerk", "mail.send")

    assert (first.id, first.user, first.agent, first.override) == (second.id, "ana", "clerk", True)
    assert list(await agents.overrides(ADA, "clerk")) == []


@pytest.mark.proves("T-5")
@pytest.mark.parametrize("who", [ROBOT, CLERK])
async def test_an_agent_or_service_cannot_add_an_override(harness: GateHarness, who: Principal) -> None:
    agents = await _agents(harness)
    with pytest.raises((ForbiddenError, NotFoundError)):
        await agents.add_override(who, "clerk", "mail.send")

    assert list(await agents.overrides(ADA, "clerk")) == []


async def test_revoking_a_missing_override_is_not_found(harness: GateHarness) -> None:
    agents = await _agents(harness)
    with pytest.raises(NotFoundError):
        await agents.revoke_override(ANA, "clerk", "mail.send")
