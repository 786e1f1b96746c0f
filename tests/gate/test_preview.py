"""Rules are tried on the calls of late before they are written: what they would cover, meet or let through."""

from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from assent.engine.policy.rule import RuleList
from assent.errors import InputError, RuleSyntaxError
from assent.gate.always import preview_rules
from assent.gate.approval import Approval, State
from assent.gate.policy import StoredRule
from tests.gate.samples import ADA, ANA, BEN, an_approval, in_state
from tests.gate.scene import DENY, PUBLISH, SEND, Scene, a_scene, ask_person


@pytest.fixture(params=["memory", "sqlite"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    return a_scene(request.param, tmp_path)


def rule(text: str, kind: RuleList = RuleList.ALLOW, **scope: str) -> StoredRule:
    return StoredRule(id="r", list=kind, text=text, by="ada", **scope)  # type: ignore[arg-type]


def ids(approvals: tuple[Approval, ...]) -> list[str]:
    return [one.id for one in approvals]


RECENT = (
    an_approval("test", args={"command": "npm test"}),
    an_approval("publish", args={"command": "npm publish"}),
    in_state(State.DENIED, id="denied", args={"command": "npm publish --force"}),
    an_approval("both", args={"command": "npm test && npm publish"}),
)


@pytest.mark.parametrize(
    ("texts", "covered", "freed"),
    [
        (["terminal.exec(npm test)"], ["test"], []),
        (["terminal.exec(npm publish *)"], ["publish", "denied"], ["denied"]),
        (["terminal.exec(npm test)", "terminal.exec(npm publish)"], ["test", "publish", "both"], []),
        (["terminal.exec"], ["test", "publish", "denied", "both"], ["denied"]),
        (["files.read"], [], []),
    ],
)
def test_an_allow_rule_covers_calls_and_lets_denied_ones_through(
    texts: list[str], covered: list[str], freed: list[str]
) -> None:
    found = preview_rules([rule(text) for text in texts], RECENT)

    assert (ids(found.covered), ids(found.newly_allowed), found.looked_at) == (covered, freed, 4)


@pytest.mark.parametrize("kind", [RuleList.DENY, RuleList.ASK])
def test_a_deny_or_ask_rule_meets_any_part_and_lets_nothing_through(kind: RuleList) -> None:
    found = preview_rules([rule("terminal.exec(npm publish*)", kind)], RECENT)

    assert (ids(found.covered), found.newly_allowed) == (["publish", "denied", "both"], ())


def test_a_rule_for_others_is_not_about_these_calls() -> None:
    assert preview_rules([rule("terminal.exec", agent="cook")], RECENT).covered == ()
    assert ids(preview_rules([rule("terminal.exec", agent="clerk")], RECENT[:1]).covered) == ["test"]


def test_rules_of_two_lists_or_none_cannot_be_tried_at_once() -> None:
    for rules in ([], [rule("a"), rule("b", RuleList.DENY)]):
        with pytest.raises(InputError):
            preview_rules(rules, RECENT)


async def test_a_preview_looks_only_at_what_somebody_may_see_and_changes_nothing(scene: Scene) -> None:
    turn = await scene.turn()
    await scene.answer(await ask_person(turn, PUBLISH), DENY)
    await ask_person(turn, SEND)
    before = await scene.store.moment(), await scene.store.latest_cursor()

    mine = await scene.gate.policy.preview(ANA, [rule("sh(make *)")])
    theirs = await scene.gate.policy.preview(BEN, [rule("sh(make *)")])

    assert (len(mine.covered), len(mine.newly_allowed), mine.looked_at) == (1, 1, 2)
    assert (theirs.covered, theirs.looked_at) == ((), 0)
    assert (await scene.store.moment(), await scene.store.latest_cursor()) == before
    assert (await scene.gate.policy.preview(ADA, [rule("sh(make *)")])).looked_at == 2


async def test_a_rule_that_cannot_be_read_is_refused(scene: Scene) -> None:
    with pytest.raises(RuleSyntaxError):
        await scene.gate.policy.preview(ADA, [rule("sh(make")])


async def test_calls_whose_arguments_are_gone_are_not_looked_at(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUBLISH)
    await scene.answer(question, DENY)
    await ask_person(turn, replace(PUBLISH, id="again"))

    await scene.store.sweep(scene.clock.now - scene.clock.now, keep=scene.clock.now - scene.clock.now)

    assert (await scene.gate.policy.preview(ANA, [rule("sh")])).looked_at == 1
