"""A stored rule is changed one field at a time, by administrators, and leaves its trace."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from assent.engine.policy.rule import RuleList
from assent.errors import ConflictError, ForbiddenError, InputError, NotFoundError, RuleSyntaxError
from assent.gate.policy import EDITABLE_FIELDS, StoredRule
from tests.gate.samples import ADA, ANA, CLERK
from tests.gate.scene import PUT, Scene, a_scene, would_run

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
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    return a_scene(request.param, tmp_path)


@pytest.mark.proves("T-48")
async def test_a_reason_that_is_saved_leaves_the_rule_with_its_user(scene: Scene) -> None:
    await scene.store.add_policy(rules=[RULE])
    new = await scene.gate.policy.replace_rule(ADA, "r1", {"why": "new"})
    (kept,) = await scene.store.rules()

    assert kept == new
    assert (kept.user, kept.by, kept.approval, kept.why) == ("ana", "ana", "q1", "new")
    assert await would_run(await scene.turn(), PUT)
    assert not await would_run(await scene.turn(conversation="c2"), PUT)


async def test_a_change_is_in_the_audit_by_who_made_it(scene: Scene) -> None:
    await scene.store.add_policy(rules=[RULE])
    new = await scene.gate.policy.replace_rule(ADA, "r1", {"list": RuleList.DENY})
    await scene.store.flush_audit()
    rows, _ = await scene.store.audit()

    assert [(row.entry.decision, row.entry.rule, row.entry.user) for row in rows] == [
        ("rule_ended", "r1", "ada"),
        ("rule_written", new.id, "ada"),
    ]


@pytest.mark.parametrize("who", [ANA, CLERK])
async def test_only_an_administrator_changes_a_rule(scene: Scene, who: object) -> None:
    await scene.store.add_policy(rules=[RULE])
    with pytest.raises(ForbiddenError):
        await scene.gate.policy.replace_rule(who, "r1", {"why": "new"})  # type: ignore[arg-type]

    assert [one.why for one in await scene.store.rules()] == ["old"]


async def test_what_cannot_be_changed_changes_nothing(scene: Scene) -> None:
    rules = scene.gate.policy
    await scene.store.add_policy(rules=[RULE])

    with pytest.raises(RuleSyntaxError):
        await rules.replace_rule(ADA, "r1", {"text": "note.put("})
    with pytest.raises(InputError, match="`by` of a rule cannot be changed"):
        await rules.replace_rule(ADA, "r1", {"by": "eve"})
    with pytest.raises(NotFoundError):
        await rules.replace_rule(ADA, "r9", {"why": "new"})
    assert await rules.replace_rule(ADA, "r1", {"why": "old"}) == (await scene.store.rules())[0]
    assert [one.id for one in await scene.store.rules()] == ["r1"]
    assert EDITABLE_FIELDS.isdisjoint({"by", "approval", "at", "id"})


async def test_a_rule_that_was_revoked_is_not_revived(scene: Scene) -> None:
    await scene.store.add_policy(rules=[RULE])
    await scene.store.revoke("r1", by="ada")

    with pytest.raises(NotFoundError):
        await scene.gate.policy.replace_rule(ADA, "r1", {"why": "new"})
    with pytest.raises(ConflictError):
        await scene.store.replace_rule("r1", lambda _: RULE, by="ada")
    assert not await scene.store.rules()
