"""P1: a shell decision costs the same with ten rules and with a hundred thousand."""

from collections.abc import Iterator
from functools import partial

from assent.engine.verdict import Verdict
from bench.harness import MICRO, Contender, Effort, Goal, Result, at_most, least
from bench.workload import (
    CALLS,
    Cases,
    bash,
    deciding,
    new,
    program,
    program_cases,
    program_rules,
    rule_set,
    snapshot,
)

FEW, MANY, MOST = 10, 10_000, 100_000


def measure(effort: Effort) -> Iterator[Result]:
    policies = {size: snapshot(rule_set(program_rules(size))) for size in (FEW, MANY, MOST)}
    known = [Contender(deciding(policies[size]), partial(program_cases, size)) for size in policies]
    few, many, most = least(*known, rounds=effort.rounds)
    yield _result("10,000 rules, simple command", many, few, at_most(1.2))
    yield _result("100,000 rules, simple command", most, few, at_most(1.5))
    unknown = [Contender(deciding(policies[size]), _opaque_cases) for size in policies]
    few, many, most = least(*unknown, rounds=effort.rounds)
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
    return [(bash(f"{program(1)} sub {new()} $TARGET"), Verdict.ASK) for _ in range(CALLS)]
