"""P1: deciding a shell command takes the same time with ten rules and with a hundred thousand."""

from collections.abc import Iterator
from functools import partial

from assent.engine.policy.verdict import Verdict
from bench.harness import MICROSECONDS, Effort, FunctionCompetitor, Goal, Result, best_times, goal_at_most
from bench.workload import (
    CALLS_PER_ROUND,
    Cases,
    bash_call,
    make_decide,
    make_rule_set,
    new_word,
    program_cases,
    program_name,
    program_rules,
    snapshot_with,
)

FEW_RULES, MANY_RULES, MOST_RULES = 10, 10_000, 100_000


def measure(effort: Effort) -> Iterator[Result]:
    policies = {
        size: snapshot_with(make_rule_set(program_rules(size)))
        for size in (FEW_RULES, MANY_RULES, MOST_RULES)
    }
    known = [
        FunctionCompetitor(make_decide(policies[size]), partial(program_cases, size)) for size in policies
    ]
    few, many, most = best_times(*known, rounds=effort.rounds)
    yield _to_result("10,000 rules, simple command", many, few, goal_at_most(1.2))
    yield _to_result("100,000 rules, simple command", most, few, goal_at_most(1.5))
    unknown = [FunctionCompetitor(make_decide(policies[size]), _cases_with_variable) for size in policies]
    few, many, most = best_times(*unknown, rounds=effort.rounds)
    yield _to_result("10,000 rules, a word only known at run time", many, few, None)
    yield _to_result("100,000 rules, a word only known at run time", most, few, None)


def _to_result(what: str, ours: float, peer: float, goal: Goal | None) -> Result:
    return Result(
        row="P1",
        what=what,
        ours=ours * MICROSECONDS,
        peer=peer * MICROSECONDS,
        against="10 rules",
        ratio=ours / peer,
        goal=goal,
    )


def _cases_with_variable() -> Cases:
    """Commands with a variable, which no allow rule covers and no deny rule can match."""
    return [
        (bash_call(f"{program_name(1)} sub {new_word()} $TARGET"), Verdict.ASK)
        for _ in range(CALLS_PER_ROUND)
    ]
