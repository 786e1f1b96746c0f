"""Every change of rules, tiers, settings or the pause is in the audit with its author, but without the text of a rule."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Tier
from assent.errors import ForbiddenError
from assent.gate.changes import CHANGES, ChangeKind, change_entry
from assent.gate.conversations import ConversationChanges
from assent.gate.people import PeopleAdmin
from assent.gate.policy import StoredRule
from assent.gate.policy_admin import Agents, PermissionChanges, PolicyAdmin, TierChange
from assent.gate.store import START_MODE, AuditFilter
from tests.gate.samples import ADA, ANA, CLERK, sample_grant
from tests.gate.scene import GateHarness, open_harness

CANARY = "canary-91d"
RULE = StoredRule(id="r1", list=RuleList.DENY, text=f"note.put(key={CANARY})", by="", agent="clerk")


@pytest.fixture(params=["memory", "sqlite"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return open_harness(request.param, tmp_path)


async def list_change_rows(harness: GateHarness) -> list[tuple[str, str, str, str]]:
    """The audited changes: who, what, and the changed thing."""
    await harness.store.flush_audit()
    links, _ = await harness.store.audit(AuditFilter(changes=True), limit=1000)
    assert CANARY not in repr(links)
    rows = [one.entry for one in links]
    return [
        (one.user, one.decision, one.reason or one.mode, one.rule or one.agent or one.conversation)
        for one in rows
    ]


@pytest.mark.proves("T-39")
async def test_each_change_of_policy_is_one_audit_row(harness: GateHarness) -> None:
    await harness.turn(conversation="c1")
    await harness.gate.policy.add_rule(ADA, RULE)
    await harness.gate.policy.revoke(ADA, "r1")
    await harness.store.add_policy([sample_grant(id="g1", pattern=f"note.put(key={CANARY})", by="ana")])
    await harness.gate.policy.revoke(ANA, "g1")
    await harness.gate.policy.set_tiers(ADA, "clerk", {"mail.send": Tier.BLOCKED, "note.put": None})
    await harness.gate.conversations.change(ANA, "c1", ConversationChanges(mode="plan"))
    await harness.gate.policy.change_permissions(ADA, PermissionChanges(mode="plan"))
    await harness.gate.pause(ADA)
    await harness.gate.resume(ADA)

    assert await list_change_rows(harness) == [
        ("ada", "rule_written", "deny note.put", "r1"),
        ("ada", "rule_ended", "deny note.put", "r1"),
        ("ana", "grant_ended", "note.put", "g1"),
        ("ada", "tiers_set", "mail.send: blocked, note.put: always_allow", "clerk"),
        ("ana", "mode_changed", "plan", "c1"),
        ("ada", "setting_changed", START_MODE, ""),
        ("ada", "paused", "", ""),
        ("ada", "resumed", "", ""),
    ]


async def test_changes_of_permissions_tiers_and_overrides_are_audit_rows(harness: GateHarness) -> None:
    agents = Agents(harness.store, PeopleAdmin(harness.store))  # type: ignore[arg-type] # a store is a register, too
    texts = [f"note.put(key={CANARY})", "mail.send"]
    await PolicyAdmin(harness.store, harness.gate._decider).change_permissions(
        ADA, PermissionChanges(deny=texts, mode="plan")
    )
    await PolicyAdmin(harness.store, harness.gate._decider).change_permissions(
        ADA, PermissionChanges(deny=["mail.send"], allow=["note.read"])
    )
    await agents.replace_tool_tiers(ADA, "clerk", [TierChange("mail.send", "operations", Tier.BLOCKED)])
    await agents.add_override(ADA, "clerk", "note.put")
    await agents.revoke_override(ADA, "clerk", "note.put")
    rows = [(what, about) for _, what, about, _ in await list_change_rows(harness)]

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


async def test_a_refused_change_leaves_no_audit_row(harness: GateHarness) -> None:
    for somebody in (ANA, CLERK):
        for refused in (harness.gate.policy.add_rule(somebody, RULE), harness.gate.pause(somebody)):
            with pytest.raises(ForbiddenError):
                await refused

    assert await list_change_rows(harness) == []


@pytest.mark.parametrize("what", ChangeKind)
def test_an_audit_row_of_a_change_has_author_and_kind_but_no_call(what: ChangeKind) -> None:
    entry = change_entry("ada", what, "ben")

    assert (entry.user, entry.decision, entry.reason) == ("ada", what.value, "ben")
    assert (entry.verdict, entry.tool, entry.call, entry.approval) == ("", "", "", "")
    assert entry.decision in CHANGES
