"""The caller of a call learns what the answer to its question wrote for later calls."""

from dataclasses import replace
from datetime import timedelta

import pytest

from assent.engine.policy.rule import RuleList
from assent.gate.answer import Answer, Say
from assent.gate.calls import RememberedRule, Run, remembered_rules
from assent.gate.policy import StoredRule
from assent.gate.preset import Lifetime, Scope
from tests.gate.samples import ADA, NOW, sample_grant
from tests.gate.scene import ALWAYS, FOR_CHAT, ONCE, PUBLISH, PUT, GateHarness, ask_person
from tests.stores.promises.given import sample_rule


async def answer_and_claim(harness: GateHarness, answer: Answer, preset: str = "assent") -> Run:
    turn = await harness.turn(preset, conversation=f"c-{preset}")
    asked = await ask_person(turn, PUBLISH)
    await harness.answer(asked, answer, ADA)
    run = await turn.resume(asked.id)
    assert isinstance(run, Run)
    return run


async def test_an_always_returns_its_rules(harness: GateHarness) -> None:
    answer = Answer(say=Say.ALWAYS, rules=("sh(make *)", "sh(make publish)"))
    run = await answer_and_claim(harness, answer)

    assert [(one.rule, one.lifetime, one.uses) for one in run.remembered] == [
        ("sh(make *)", Lifetime.FOREVER, None),
        ("sh(make publish)", Lifetime.FOREVER, None),
    ]
    assert {one.scope for one in run.remembered} == {Scope.USER_AGENT}


async def test_an_always_until_the_restart_is_returned_from_this_process(harness: GateHarness) -> None:
    run = await answer_and_claim(harness, ALWAYS, "fleet")

    assert [(one.lifetime, one.scope) for one in run.remembered] == [(Lifetime.RESTART, Scope.AGENT)]


async def test_a_yes_for_the_conversation_is_returned_with_its_limits(harness: GateHarness) -> None:
    until = harness.clock.now + timedelta(hours=1)
    run = await answer_and_claim(harness, Answer(say=Say.CONVERSATION, until=until, uses=3))
    (one,) = run.remembered

    assert (one.scope, one.lifetime, one.until, one.uses) == (
        Scope.CONVERSATION,
        Lifetime.USES,
        until,
        3,
    )


async def test_a_yes_for_one_call_remembers_nothing(harness: GateHarness) -> None:
    assert (await answer_and_claim(harness, ONCE)).remembered == ()


async def test_a_rule_that_was_revoked_before_the_claim_is_not_returned(harness: GateHarness) -> None:
    turn = await harness.turn()
    asked = await ask_person(turn, PUT)
    await harness.answer(asked, ALWAYS)
    for one in (*await harness.store.rules(), *await harness.store.grants()):
        await harness.store.revoke(one.id, by="ada")
    run = await turn.resume(asked.id)

    assert isinstance(run, Run)
    assert run.remembered == ()


async def test_a_repeated_claim_returns_the_same_rules(harness: GateHarness) -> None:
    turn = (await harness.turn()).with_nonce("a-nonce-of-this-caller")
    asked = await ask_person(turn, PUT)
    await harness.answer(asked, FOR_CHAT)
    first, second = await turn.resume(asked.id), await turn.resume(asked.id)

    assert isinstance(first, Run)
    assert isinstance(second, Run)
    assert first.remembered == second.remembered != ()


async def test_a_call_released_by_another_answer_remembers_nothing_itself(harness: GateHarness) -> None:
    turn = await harness.turn()
    first, second = [await ask_person(turn, replace(PUT, id=id)) for id in ("a", "b")]
    await harness.answer(first, ALWAYS)
    run = await turn.resume(second.id)

    assert isinstance(run, Run)
    assert run.remembered == ()


@pytest.mark.parametrize(
    ("names", "scope"),
    [
        ({}, Scope.EVERYONE),
        ({"agent": "a"}, Scope.AGENT),
        ({"user": "u"}, Scope.USER),
        ({"user": "u", "agent": "a"}, Scope.USER_AGENT),
        ({"user": "u", "agent": "a", "conversation": "c"}, Scope.CONVERSATION),
    ],
)
def test_the_scope_follows_from_the_names(names: dict[str, object], scope: Scope) -> None:
    rule, grant = sample_rule(approval="q1", **names), sample_grant(approval="q1", until=NOW, **names)

    assert remembered_rules("q1", (rule, grant)) == (
        RememberedRule(rule.text, scope, Lifetime.FOREVER),
        RememberedRule(grant.pattern, scope, Lifetime.FOREVER, NOW),
    )


@pytest.mark.parametrize(
    "rule",
    [
        sample_rule(approval="other"),
        sample_rule(approval=""),
        sample_rule(approval="q1", list=RuleList.DENY),
        sample_rule(approval="q1", text="sh(psql < /seed.sql sha256:0a1b)"),
        sample_rule(approval="q1", text="sh(python3 - << hmac:0a1b 'x')"),
    ],
)
def test_other_rules_and_rules_with_a_digest_of_an_input_are_not_returned(rule: StoredRule) -> None:
    assert remembered_rules("q1", (rule,)) == ()
    assert remembered_rules("", (rule,)) == ()
