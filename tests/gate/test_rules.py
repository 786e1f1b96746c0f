"""An administrator can change single fields of a stored rule, and each change is in the audit."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from assent.engine.policy.rule import RuleList
from assent.errors import ConflictError, ForbiddenError, InputError, NotFoundError, RuleSyntaxError
from assent.gate.policy import StoredRule
from assent.gate.policy_admin import EDITABLE_FIELDS
from tests.gate.samples import ADA, ANA, CLERK
from tests.gate.scene import PUT, GateHarness, does_call_run, open_harness

RULE = StoredRule(
    id="r1",
    list=RuleList.ALLOW,
    text="note.put",
    conversation="c1",
    agent="clerk",
    user="ana",
    by="ana",
    approval="q1",
    why="old",
)


@pytest.fixture(params=["memory", "sqlite"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return open_harness(request.param, tmp_path)


@pytest.mark.proves("T-48")
async def test_changing_the_reason_of_a_rule_keeps_its_scope(harness: GateHarness) -> None:
    await harness.store.add_policy(rules=[RULE])
    new = await harness.gate.policy.replace_rule(ADA, "r1", {"why": "new"})
    (kept,) = await harness.store.rules()

    assert kept == new
    assert (kept.user, kept.by, kept.approval, kept.why) == ("ana", "ana", "q1", "new")
    assert await does_call_run(await harness.turn(), PUT)
    assert not await does_call_run(await harness.turn(conversation="c2"), PUT)


async def test_a_change_of_a_rule_is_in_the_audit_with_its_author(harness: GateHarness) -> None:
    await harness.store.add_policy(rules=[RULE])
    new = await harness.gate.policy.replace_rule(ADA, "r1", {"list": RuleList.DENY})
    await harness.store.flush_audit()
    rows, _ = await harness.store.audit()

    assert [(row.entry.decision, row.entry.rule, row.entry.user) for row in rows] == [
        ("rule_ended", "r1", "ada"),
        ("rule_written", new.id, "ada"),
    ]


@pytest.mark.parametrize("who", [ANA, CLERK])
async def test_only_an_administrator_changes_a_rule(harness: GateHarness, who: object) -> None:
    await harness.store.add_policy(rules=[RULE])
    with pytest.raises(ForbiddenError):
        await harness.gate.policy.replace_rule(who, "r1", {"why": "new"})  # type: ignore[arg-type]

    assert [one.why for one in await harness.store.rules()] == ["old"]


async def test_an_invalid_change_of_a_rule_changes_nothing(harness: GateHarness) -> None:
    rules = harness.gate.policy
    await harness.store.add_policy(rules=[RULE])

    with pytest.raises(RuleSyntaxError):
        await rules.replace_rule(ADA, "r1", {"text": "note.put("})
    with pytest.raises(InputError, match="`by` of a rule cannot be changed"):
        await rules.replace_rule(ADA, "r1", {"by": "eve"})
    with pytest.raises(NotFoundError):
        await rules.replace_rule(ADA, "r9", {"why": "new"})
    assert await rules.replace_rule(ADA, "r1", {"why": "old"}) == (await harness.store.rules())[0]
    assert [one.id for one in await harness.store.rules()] == ["r1"]
    assert EDITABLE_FIELDS.isdisjoint({"by", "approval", "at", "id"})


async def test_a_revoked_rule_cannot_be_changed(harness: GateHarness) -> None:
    await harness.store.add_policy(rules=[RULE])
    await harness.store.revoke("r1", by="ada")

    with pytest.raises(NotFoundError):
        await harness.gate.policy.replace_rule(ADA, "r1", {"why": "new"})
    with pytest.raises(ConflictError):
        await harness.store.replace_rule("r1", lambda _: RULE, by="ada")
    assert not await harness.store.rules()
