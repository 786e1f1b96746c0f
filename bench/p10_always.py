"""P10: an "always" answer takes effect for the next call without compiling the policy again."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from assent.engine.decide import decide
from assent.engine.policy.grants import GrantedRule
from assent.engine.policy.rule import Rule, parse_rule
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.verdict import Verdict
from bench.harness import MICRO, Contender, Effort, Goal, Result, at_most, best_rounds
from bench.workload import NO_FACTS, bash, new_word, program_rules, rule_set, snapshot

RULES = 10_000
ANSWERS = 100
"""How many times in a row a person says "always" before the policy would be compiled anew."""


class Person:
    """A person who answers "always" to every question; each round starts with the same policy."""

    def __init__(self, policy: Snapshot, remember: Callable[[Snapshot, Rule], Snapshot]) -> None:
        self._first = self._policy = policy
        self._remember = remember

    def programs(self) -> list[tuple[str, Verdict]]:
        self._policy = self._first
        return [(new_word(), Verdict.RUN) for _ in range(ANSWERS)]

    def say_always(self, program: str) -> Verdict:
        self._policy = self._remember(self._policy, parse_rule(f"Bash({program} sub *)"))
        return _verdict(self._policy, program)


def measure(effort: Effort) -> Iterator[Result]:
    policy = snapshot(rule_set(program_rules(RULES)))
    with_rules, with_grants = Person(policy, _adding_rule), Person(policy, _adding_grant)
    rule, grant, plain = best_rounds(
        Contender(with_rules.say_always, with_rules.programs),
        Contender(with_grants.say_always, with_grants.programs),
        Contender(lambda program: _verdict(policy, program), _unanswered),
        rounds=effort.rounds,
    )
    (compiled,) = best_rounds(Contender(_compile, lambda: [(RULES, Verdict.ASK)]), rounds=3)
    yield _result("a rule added, then a decision by it; 10,000 rules", rule, plain, at_most(10))
    yield _result("a grant added, then a decision by it; 10,000 rules", grant, plain, at_most(10))
    yield _result("what compiling 10,000 rules anew would cost instead", compiled, plain, None)


def _result(what: str, ours: float, plain: float, goal: Goal | None) -> Result:
    return Result(
        row="P10",
        what=what,
        ours=ours * MICRO,
        peer=plain * MICRO,
        against="one decision",
        ratio=ours / plain,
        goal=goal,
    )


def _unanswered() -> list[tuple[str, Verdict]]:
    return [(new_word(), Verdict.ASK) for _ in range(ANSWERS)]


def _adding_rule(policy: Snapshot, rule: Rule) -> Snapshot:
    return replace(policy, rules=policy.rules.with_allow_rule(rule))


def _adding_grant(policy: Snapshot, rule: Rule) -> Snapshot:
    return replace(policy, grants=policy.grants.with_grant(GrantedRule(rule=rule)))


def _compile(many: int) -> Verdict:
    """Compile every rule by deciding once, because rules are compiled at first use."""
    return _verdict(snapshot(rule_set(program_rules(many))), new_word())


def _verdict(policy: Snapshot, program: str) -> Verdict:
    return decide(bash(f"{program} sub {new_word()}"), policy, NO_FACTS).verdict
