"""P10: an "always" answer takes effect for the next call without compiling the policy again."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from assent.engine.decide import decide
from assent.engine.policy.rule import Rule, parse_rule
from assent.engine.policy.snapshot import GrantedRule, Snapshot
from assent.engine.policy.verdict import Verdict
from bench.harness import MICROSECONDS, Effort, FunctionCompetitor, Goal, Result, best_times, goal_at_most
from bench.workload import NO_FACTS, bash_call, make_rule_set, new_word, program_rules, snapshot_with

RULE_COUNT = 10_000
ANSWERS_PER_ROUND = 100
"""Number of "always" answers in a round, before the policy is compiled again."""


class AlwaysAnswerer:
    """Answers "always" to every question; each round starts with the same policy."""

    def __init__(self, policy: Snapshot, remember: Callable[[Snapshot, Rule], Snapshot]) -> None:
        self._first = self._policy = policy
        self._remember = remember

    def start_round(self) -> list[tuple[str, Verdict]]:
        self._policy = self._first
        return [(new_word(), Verdict.RUN) for _ in range(ANSWERS_PER_ROUND)]

    def say_always(self, program: str) -> Verdict:
        self._policy = self._remember(self._policy, parse_rule(f"Bash({program} sub *)"))
        return _decide_program(self._policy, program)


def measure(effort: Effort) -> Iterator[Result]:
    policy = snapshot_with(make_rule_set(program_rules(RULE_COUNT)))
    with_rules, with_grants = AlwaysAnswerer(policy, _with_rule), AlwaysAnswerer(policy, _with_grant)
    rule, grant, plain = best_times(
        FunctionCompetitor(with_rules.say_always, with_rules.start_round),
        FunctionCompetitor(with_grants.say_always, with_grants.start_round),
        FunctionCompetitor(lambda program: _decide_program(policy, program), _cases_without_answer),
        rounds=effort.rounds,
    )
    (compiled,) = best_times(
        FunctionCompetitor(_decide_with_new_policy, lambda: [(RULE_COUNT, Verdict.ASK)]), rounds=3
    )
    yield _to_result("a rule added, then a decision by it; 10,000 rules", rule, plain, goal_at_most(10))
    yield _to_result("a grant added, then a decision by it; 10,000 rules", grant, plain, goal_at_most(10))
    yield _to_result("what compiling 10,000 rules anew would cost instead", compiled, plain, None)


def _to_result(what: str, ours: float, plain: float, goal: Goal | None) -> Result:
    return Result(
        row="P10",
        what=what,
        ours=ours * MICROSECONDS,
        peer=plain * MICROSECONDS,
        against="one decision",
        ratio=ours / plain,
        goal=goal,
    )


def _cases_without_answer() -> list[tuple[str, Verdict]]:
    return [(new_word(), Verdict.ASK) for _ in range(ANSWERS_PER_ROUND)]


def _with_rule(policy: Snapshot, rule: Rule) -> Snapshot:
    return replace(policy, rules=policy.rules.with_allow_rule(rule))


def _with_grant(policy: Snapshot, rule: Rule) -> Snapshot:
    return replace(policy, grants=policy.grants.with_grant(GrantedRule(rule=rule)))


def _decide_with_new_policy(count: int) -> Verdict:
    """Compile all rules and decide one call; rules are compiled at their first use."""
    return _decide_program(snapshot_with(make_rule_set(program_rules(count))), new_word())


def _decide_program(policy: Snapshot, program: str) -> Verdict:
    return decide(bash_call(f"{program} sub {new_word()}"), policy, NO_FACTS).verdict
