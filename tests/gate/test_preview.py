"""A preview lists the recent calls that new rules would allow, match or no longer deny."""

from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from assent.engine.policy.rule import RuleList
from assent.errors import InputError, RuleSyntaxError
from assent.gate.always import preview_rules
from assent.gate.approval import Approval, State
from assent.gate.policy import StoredRule
from tests.gate.samples import ADA, ANA, BEN, approval_in_state, sample_approval
from tests.gate.scene import DENY, PUBLISH, SEND, GateHarness, ask_person, open_harness


@pytest.fixture(params=["memory", "sqlite"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return open_harness(request.param, tmp_path)


def make_stored_rule(text: str, kind: RuleList = RuleList.ALLOW, **scope: str) -> StoredRule:
    return StoredRule(id="r", list=kind, text=text, by="ada", **scope)  # type: ignore[arg-type]


def approval_ids(approvals: tuple[Approval, ...]) -> list[str]:
    return [one.id for one in approvals]


RECENT_CALLS = (
    sample_approval("test", args={"command": "npm test"}),
    sample_approval("publish", args={"command": "npm publish"}),
    approval_in_state(State.DENIED, id="denied", args={"command": "npm publish --force"}),
    sample_approval("both", args={"command": "npm test && npm publish"}),
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
def test_an_allow_rule_lists_covered_calls_and_those_that_were_denied(
    texts: list[str], covered: list[str], freed: list[str]
) -> None:
    found = preview_rules([make_stored_rule(text) for text in texts], RECENT_CALLS)

    assert (approval_ids(found.covered), approval_ids(found.newly_allowed), found.looked_at) == (
        covered,
        freed,
        4,
    )


@pytest.mark.parametrize("kind", [RuleList.DENY, RuleList.ASK])
def test_a_deny_or_ask_rule_matches_any_part_and_allows_nothing(kind: RuleList) -> None:
    found = preview_rules([make_stored_rule("terminal.exec(npm publish*)", kind)], RECENT_CALLS)

    assert (approval_ids(found.covered), found.newly_allowed) == (["publish", "denied", "both"], ())


def test_a_rule_with_another_scope_matches_no_call() -> None:
    assert preview_rules([make_stored_rule("terminal.exec", agent="cook")], RECENT_CALLS).covered == ()
    assert approval_ids(
        preview_rules([make_stored_rule("terminal.exec", agent="clerk")], RECENT_CALLS[:1]).covered
    ) == ["test"]


def test_a_preview_requires_rules_of_exactly_one_list() -> None:
    for rules in ([], [make_stored_rule("a"), make_stored_rule("b", RuleList.DENY)]):
        with pytest.raises(InputError):
            preview_rules(rules, RECENT_CALLS)


async def test_a_preview_uses_only_calls_that_the_principal_may_see_and_changes_nothing(
    harness: GateHarness,
) -> None:
    turn = await harness.turn()
    await harness.answer(await ask_person(turn, PUBLISH), DENY)
    await ask_person(turn, SEND)
    before = await harness.store.moment(), await harness.store.latest_cursor()

    mine = await harness.gate.policy.preview_rules(ANA, [make_stored_rule("sh(make *)")])
    theirs = await harness.gate.policy.preview_rules(BEN, [make_stored_rule("sh(make *)")])

    assert (len(mine.covered), len(mine.newly_allowed), mine.looked_at) == (1, 1, 2)
    assert (theirs.covered, theirs.looked_at) == ((), 0)
    assert (await harness.store.moment(), await harness.store.latest_cursor()) == before
    assert (await harness.gate.policy.preview_rules(ADA, [make_stored_rule("sh(make *)")])).looked_at == 2


async def test_an_invalid_rule_is_refused(harness: GateHarness) -> None:
    with pytest.raises(RuleSyntaxError):
        await harness.gate.policy.preview_rules(ADA, [make_stored_rule("sh(make")])


async def test_calls_without_stored_arguments_are_not_checked(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUBLISH)
    await harness.answer(question, DENY)
    await ask_person(turn, replace(PUBLISH, id="again"))

    await harness.store.sweep(
        harness.clock.now - harness.clock.now, keep=harness.clock.now - harness.clock.now
    )

    assert (await harness.gate.policy.preview_rules(ANA, [make_stored_rule("sh")])).looked_at == 1
