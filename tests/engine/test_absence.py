"""Tools that the model never sees, and whose calls are answered as if they did not exist."""

from dataclasses import replace

import pytest

from assent.engine.absence import absence, visible_tools
from assent.engine.model import Call
from assent.engine.modes import Mode
from assent.engine.snapshot import Snapshot
from assent.engine.tiers import Assignment, Tier
from assent.engine.verdict import Stage, Verdict
from tests.engine import given

EVERYTHING = {tool.name for tool in given.TOOLS}
MAIL = Call(tool="mail.send", args={}, agent="clerk")
BLOCKED = {("clerk", "mail.send"): Assignment(Tier.BLOCKED)}

ABSENT: dict[Stage, tuple[Call, Snapshot]] = {
    Stage.UNKNOWN: (replace(MAIL, tool="nobody.knows"), given.policy()),
    Stage.UNAUTHORIZED: (MAIL, given.policy(unauthorized=frozenset({"mail.send"}))),
    Stage.BLOCKED: (MAIL, given.policy(tiers=BLOCKED)),
    Stage.UNATTENDED: (replace(MAIL, tool="db.drop"), given.policy(attended=False)),
}


def names(snapshot: Snapshot, agent: str = "clerk") -> set[str]:
    return {tool.name for tool in visible_tools(snapshot, agent)}


@pytest.mark.parametrize("stage", ABSENT)
@pytest.mark.proves("R001-20", "R001-40", "R003-9", "R004-4", "R004-5")
def test_what_is_not_there_is_neither_seen_nor_run(stage: Stage) -> None:
    call, snapshot = ABSENT[stage]
    snapshot = replace(snapshot, mode=Mode.AUTO, rules=given.rules(allow=("*",)))

    decision = given.decided(call, snapshot)

    assert (decision.verdict, decision.stage) == (Verdict.ABSENT, stage)
    assert call.tool not in names(snapshot)
    assert len(decision.steps) == 1


@pytest.mark.parametrize("stage", ABSENT)
@pytest.mark.proves("T-31", "R000-43")
def test_what_is_not_there_for_a_parent_is_not_there_for_its_child(stage: Stage) -> None:
    call, parent = ABSENT[stage]
    child = given.policy(parent=parent, attended=parent.attended)

    found = absence(call, child)

    assert found is not None
    assert found.stage is stage
    assert call.tool not in names(child)


@pytest.mark.proves("R000-12")
@pytest.mark.parametrize("mode", [*Mode, None])
def test_a_mode_hides_no_tool(mode: Mode | None) -> None:
    assert names(given.policy(mode=mode, deny=["mail.send(to=x)"])) == EVERYTHING


@pytest.mark.proves("R001-40")
def test_a_destructive_tool_is_offered_only_while_a_person_can_be_reached() -> None:
    assert names(given.policy(attended=True)) == EVERYTHING
    assert names(given.policy(attended=False)) == EVERYTHING - {"db.drop"}


@pytest.mark.proves("R004-1")
def test_a_block_is_for_one_agent() -> None:
    snapshot = given.policy(tiers=BLOCKED)

    assert names(snapshot, "other") == EVERYTHING
    assert names(snapshot, "clerk") == EVERYTHING - {"mail.send"}
