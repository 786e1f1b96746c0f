"""P1: a shell decision costs the same with ten rules and with a hundred thousand."""

from collections.abc import Iterator
from functools import partial

from assent.engine.policy.verdict import Verdict
from bench.harness import MICRO, Contender, Effort, Goal, Result, at_most, best_rounds
from bench.workload import (
    CALLS,
    Cases,
    bash,
    decide_with,
    new_word,
    program,
    program_cases,
    program_rules,
    rule_set,
    snapshot,
)

FEW, MANY, MOST = 10, 10_000, 100_000


def measure(effort: Effort) -> Iterator[Result]:
    policies = {size: snapshot(rule_set(program_rules(size))) for size in (FEW, MANY, MOST)}
    known = [Contender(decide_with(policies[size]), partial(program_cases, size)) for size in policies]
    few, many, most = best_rounds(*known, rounds=effort.rounds)
    yield _result("10,000 rules, simple command", many, few, at_most(1.2))
    yield _result("100,000 rules, simple command", most, few, at_most(1.5))
    unknown = [Contender(decide_with(policies[size]), _opaque_cases) for size in policies]
    few, many, most = best_rounds(*unknown, rounds=effort.rounds)
    yield _result("10,000 rules, a word only known at run time", many, few, None)
    yield _result("100,000 rules, a word only known at run time", most, few, None)


def _result(what: str, ours: float, peer: float, goal: Goal | None) -> Result:
    return Result(
        row="P1",
        what=what,
        ours=ours * MICRO,
        peer=peer * MICRO,
        against="10 rules",
        ratio=ours / peer,
        goal=goal,
    )


def _opaque_cases() -> Cases:
    """Commands that a scoped allow rule does not cover, and that no deny rule could match."""
    return [(bash(f"{program(1)} sub {new_word()} $TARGET"), Verdict.ASK) for _ in range(CALLS)]
