"""Whoever changes rules, tiers, settings or the switch is found in the audit, and no rule's text is."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from assent.engine.policy.rule import RuleList
from assent.engine.policy.tiers import Tier
from assent.errors import ForbiddenError
from assent.gate.changes import CHANGES, ChangeKind, change_entry
from assent.gate.conversations import ConversationChanges
from assent.gate.people import PeopleAdmin
from assent.gate.policy import StoredRule
from assent.gate.policy_admin import Agents, PermissionChanges, PolicyAdmin, TierChange
from assent.gate.store import START_MODE, AuditFilter
from tests.gate.samples import ADA, ANA, CLERK, a_grant
from tests.gate.scene import Scene, a_scene

CANARY = "canary-91d"
RULE = StoredRule(id="r1", list=RuleList.DENY, text=f"note.put(key={CANARY})", by="", agent="clerk")


@pytest.fixture(params=["memory", "sqlite"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    return a_scene(request.param, tmp_path)


async def list_changes(scene: Scene) -> list[tuple[str, str, str, str]]:
    """The audited changes: who, what, and the changed thing."""
    await scene.store.flush_audit()
    links, _ = await scene.store.audit(AuditFilter(changes=True), limit=1000)
    assert CANARY not in repr(links)
    rows = [one.entry for one in links]
    return [
        (one.user, one.decision, one.reason or one.mode, one.rule or one.agent or one.conversation)
        for one in rows
    ]


@pytest.mark.proves("T-39")
async def test_each_change_of_policy_is_one_row(scene: Scene) -> None:
    await scene.turn(conversation="c1")
    await scene.gate.policy.add_rule(ADA, RULE)
    await scene.gate.policy.revoke(ADA, "r1")
    await scene.store.add_policy([a_grant(id="g1", pattern=f"note.put(key={CANARY})", by="ana")])
    await scene.gate.policy.revoke(ANA, "g1")
    await scene.gate.policy.set_tiers(ADA, "clerk", {"mail.send": Tier.BLOCKED, "note.put": None})
    await scene.gate.conversations.change(ANA, "c1", ConversationChanges(mode="plan"))
    await scene.gate.policy.change_permissions(ADA, PermissionChanges(mode="plan"))
    await scene.gate.pause(ADA)
    await scene.gate.resume(ADA)

    assert await list_changes(scene) == [
        ("ada", "rule_written", "deny note.put", "r1"),
        ("ada", "rule_ended", "deny note.put", "r1"),
        ("ana", "grant_ended", "note.put", "g1"),
        ("ada", "tiers_set", "mail.send: blocked, note.put: always_allow", "clerk"),
        ("ana", "mode_changed", "plan", "c1"),
        ("ada", "setting_changed", START_MODE, ""),
        ("ada", "paused", "", ""),
        ("ada", "resumed", "", ""),
    ]


async def test_the_page_of_settings_and_that_of_an_agent_leave_the_same_rows(scene: Scene) -> None:
    agents = Agents(scene.store, PeopleAdmin(scene.store))  # type: ignore[arg-type] # a store is a register, too
    texts = [f"note.put(key={CANARY})", "mail.send"]
    await PolicyAdmin(scene.store, scene.gate._decider).change_permissions(
        ADA, PermissionChanges(deny=texts, mode="plan")
    )
    await PolicyAdmin(scene.store, scene.gate._decider).change_permissions(
        ADA, PermissionChanges(deny=["mail.send"], allow=["note.read"])
    )
    await agents.replace_tool_tiers(ADA, "clerk", [TierChange("mail.send", "operations", Tier.BLOCKED)])
    await agents.add_override(ADA, "clerk", "note.put")
    await agents.revoke_override(ADA, "clerk", "note.put")
    rows = [(what, about) for _, what, about, _ in await list_changes(scene)]

    assert rows == [
        ("rule_written", "deny note.put"),
        ("rule_written", "deny mail.send"),
        ("setting_changed", START_MODE),
        ("rule_written", "allow note.read"),
        ("rule_ended", "deny note.put"),
        ("tiers_set", "mail.send: blocked"),
        ("grant_given", "note.put for ada"),
        ("grant_ended", "note.put for ada"),
    ]


async def test_who_may_not_change_it_leaves_no_row(scene: Scene) -> None:
    for somebody in (ANA, CLERK):
        for refused in (scene.gate.policy.add_rule(somebody, RULE), scene.gate.pause(somebody)):
            with pytest.raises(ForbiddenError):
                await refused

    assert await list_changes(scene) == []


@pytest.mark.parametrize("what", ChangeKind)
def test_a_change_says_who_and_what_and_is_of_no_call(what: ChangeKind) -> None:
    entry = change_entry("ada", what, "ben")

    assert (entry.user, entry.decision, entry.reason) == ("ada", what.value, "ben")
    assert (entry.verdict, entry.tool, entry.call, entry.approval) == ("", "", "", "")
    assert entry.decision in CHANGES
