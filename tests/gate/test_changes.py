"""Whoever changes rules, tiers, settings or the switch is found in the audit, and no rule's text is."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from assent.engine.policy.rule import RuleList
from assent.engine.policy.tiers import Tier
from assent.errors import ForbiddenError
from assent.gate.agents import Agents, Setting
from assent.gate.audit import Sought
from assent.gate.changes import CHANGES, Change, change_entry
from assent.gate.grant import StoredRule
from assent.gate.live import START_MODE
from assent.gate.permissions import Edit, Settings
from tests.gate.samples import ADA, ANA, CLERK, a_grant
from tests.gate.scene import Scene, a_scene

CANARY = "canary-91d"
RULE = StoredRule(id="r1", list=RuleList.DENY, text=f"note.put(key={CANARY})", by="", agent="clerk")


@pytest.fixture(params=["memory", "sqlite"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    return a_scene(request.param, tmp_path)


async def told(scene: Scene) -> list[tuple[str, str, str, str]]:
    """Who changed what, of what, and by which id or of which agent or conversation."""
    await scene.store.recorded()
    links, _ = await scene.store.audit(Sought(changes=True), limit=1000)
    assert CANARY not in repr(links)
    rows = [one.entry for one in links]
    return [
        (one.user, one.decision, one.reason or one.mode, one.rule or one.agent or one.conversation)
        for one in rows
    ]


@pytest.mark.proves("T-39")
async def test_each_change_of_policy_is_one_row(scene: Scene) -> None:
    await scene.turn(conversation="c1")
    await scene.gate.add_rule(ADA, RULE)
    await scene.gate.revoke(ADA, "r1")
    await scene.store.remember([a_grant(id="g1", pattern=f"note.put(key={CANARY})", by="ana")])
    await scene.gate.revoke(ANA, "g1")
    await scene.gate.set_tiers(ADA, "clerk", {"mail.send": Tier.BLOCKED, "note.put": None})
    await scene.gate.set_mode(ANA, "c1", "plan")
    await scene.gate.start_in(ADA, "plan")
    await scene.gate.pause(ADA)
    await scene.gate.unpause(ADA)

    assert await told(scene) == [
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
    agents = Agents(scene.store, scene.store)  # type: ignore[arg-type] # a store is a register, too
    texts = [f"note.put(key={CANARY})", "mail.send"]
    await Settings(scene.store).change(ADA, Edit(deny=texts, mode="plan"))
    await Settings(scene.store).change(ADA, Edit(deny=["mail.send"], allow=["note.read"]))
    await agents.set_tools(ADA, "clerk", [Setting("mail.send", "operations", Tier.BLOCKED)])
    await agents.override(ADA, "clerk", "note.put")
    await agents.end_override(ADA, "clerk", "note.put")
    rows = [(what, about) for _, what, about, _ in await told(scene)]

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
        for refused in (scene.gate.add_rule(somebody, RULE), scene.gate.pause(somebody)):
            with pytest.raises(ForbiddenError):
                await refused

    assert await told(scene) == []


@pytest.mark.parametrize("what", Change)
def test_a_change_says_who_and_what_and_is_of_no_call(what: Change) -> None:
    entry = change_entry("ada", what, "ben")

    assert (entry.user, entry.decision, entry.reason) == ("ada", what.value, "ben")
    assert (entry.verdict, entry.tool, entry.call, entry.approval) == ("", "", "", "")
    assert entry.decision in CHANGES
