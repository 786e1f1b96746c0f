"""What was decided before is said again only while everything that it was decided on is the same."""

from dataclasses import replace

import pytest

from assent.engine import recall
from assent.engine.decide import decide
from assent.engine.facts import Facts
from assent.engine.lines.program_part import language_of
from assent.engine.model import Call, Dialect, Effect
from assent.engine.modes import Mode
from assent.engine.policy.breakers import Breaker
from assent.engine.policy.rule import parse_rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.tiers import Tier, TierSetting
from assent.engine.verdict import Decision, Verdict
from tests.engine import given

WHO = {"agent": "clerk", "conversation": "c1", "user": "ana"}
LINE = "frob src/a.py && cat src/b.py"
POLICY = given.policy(allow=["terminal.exec(frob *)"])


def call(text: str = LINE, **who: str) -> Call:
    return Call(tool=given.SHELL.name, args={"command": text}, **{**WHO, **who})


FACTS = given.facts(call(), POLICY)


def recalled(asked: Call, snapshot: Snapshot, facts: Facts) -> Decision | None:
    text = str(asked.args["command"])
    return recall.known(text, language_of(Dialect.SHELL)).recall(asked, snapshot, facts)


def test_the_same_question_has_the_same_answer_without_deciding_it_again() -> None:
    decision = decide(call(), POLICY, FACTS)

    assert recalled(call(), POLICY, FACTS) is decision
    assert decide(call(), POLICY, FACTS) is decision


def test_what_is_equal_is_the_same() -> None:
    decision = decide(call(), POLICY, FACTS)
    again = replace(POLICY, tools={**POLICY.tools}), replace(FACTS, real={**FACTS.real})

    assert decide(call(), *again) is decision


@pytest.mark.parametrize("who", [{"agent": "other"}, {"conversation": "c2"}, {"user": "bob"}], ids=str)
@pytest.mark.proves("T-14")
def test_nobody_is_answered_with_what_was_said_to_somebody_else(who: dict[str, str]) -> None:
    decide(call(), POLICY, FACTS)

    assert recalled(call(**who), POLICY, FACTS) is None


DESTRUCTIVE = replace(given.SHELL, effect=Effect.DESTRUCTIVE)
BLOCKED = {("clerk", given.SHELL.name): TierSetting(Tier.BLOCKED)}
CHANGES: dict[str, tuple[Verdict, dict[str, object]]] = {
    "a deny rule": (Verdict.DENY, {"rules": given.rules(deny=("terminal.exec(frob *)",))}),
    "a rule taken back": (Verdict.ASK, {"rules": RuleSet()}),
    "a rule compiled anew": (Verdict.RUN, {"rules": RuleSet(allow=[parse_rule("terminal.exec(frob *)")])}),
    "a mode": (Verdict.DENY, {"mode": Mode.PLAN}),
    "a tier": (Verdict.ABSENT, {"tiers": BLOCKED}),
    "a pause": (Verdict.ASK, {"paused_by": "ana"}),
    "a definition": (Verdict.ASK, {"changed_tools": frozenset({given.SHELL.name})}),
    "a right": (Verdict.ABSENT, {"unauthorized_tools": frozenset({given.SHELL.name})}),
    "a tool": (Verdict.ASK, {"tools": {**POLICY.tools, given.SHELL.name: DESTRUCTIVE}}),
    "an ancestor": (Verdict.DENY, {"parent": given.policy(deny=["terminal.exec(frob *)"])}),
    "nobody to ask": (Verdict.DENY, {"attended": False, "rules": RuleSet()}),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.proves("T-14")
def test_a_change_of_policy_is_seen_by_the_next_decision(change: str) -> None:
    verdict, fields = CHANGES[change]
    changed = replace(POLICY, **fields)
    assert decide(call(), POLICY, FACTS).verdict is Verdict.RUN

    assert recalled(call(), changed, FACTS) is None
    assert decide(call(), changed, FACTS).verdict is verdict


@pytest.mark.proves("T-27")
def test_a_path_that_leads_elsewhere_now_is_decided_anew() -> None:
    assert decide(call(), POLICY, FACTS).verdict is Verdict.RUN
    moved = replace(FACTS, real={**FACTS.real, "/project/src/b.py": ("/etc/shadow",)})

    assert decide(call(), POLICY, moved).verdict is Verdict.ASK
    assert decide(call(), POLICY, FACTS).verdict is Verdict.RUN


def test_trust_that_was_taken_back_is_not_remembered() -> None:
    text = "git log --oneline"
    facts = given.facts(call(text), POLICY)

    assert decide(call(text), POLICY, facts).verdict is Verdict.RUN
    assert decide(call(text), POLICY, replace(facts, trusted_repository=False)).verdict is Verdict.ASK


@pytest.mark.parametrize("inherited", [False, True])
def test_a_breaker_of_ones_own_is_asked_each_time(*, inherited: bool) -> None:
    reasons = [None, "it changed its mind"]
    breaker: Breaker = lambda part, _facts: reasons[0] if part.text.startswith("frob") else None  # noqa: E731
    own = replace(POLICY, breakers=(breaker,))
    policy = replace(POLICY, parent=own) if inherited else own

    assert decide(call(), policy, FACTS).verdict is Verdict.RUN
    reasons.reverse()
    assert decide(call(), policy, FACTS).verdict is Verdict.ASK


def test_a_decision_on_very_many_paths_is_not_kept() -> None:
    many = tuple(f"/project/src/{number}" for number in range(recall.MOST_PATHS + 1))
    facts = replace(FACTS, real={**FACTS.real, "/project/src/b.py": many})
    decide(call("frob few"), POLICY, FACTS)
    decide(call("frob many"), POLICY, facts)

    assert recalled(call("frob few"), POLICY, FACTS) is not None
    assert recalled(call("frob many"), POLICY, facts) is None


def test_rules_of_long_ago_are_forgotten_with_what_was_decided_on_them() -> None:
    decide(call("frob old"), POLICY, FACTS)
    policies = [replace(POLICY, rules=RuleSet()) for _ in range(recall.MOST_POLICIES + 1)]
    for policy in policies:
        decide(call("frob new"), policy, FACTS)

    assert recalled(call("frob old"), POLICY, FACTS) is None


def test_a_long_line_is_known_until_it_is_decided() -> None:
    text = "frob " + "a" * recall.LONGEST_KEPT

    assert decide(call(text), POLICY, FACTS) is decide(call(text), POLICY, FACTS)
