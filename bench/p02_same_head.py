"""P2: many rules that start with the same word do not make decisions slower."""

from collections.abc import Iterator

from assent.engine.base.tool import Call
from assent.engine.policy.verdict import Verdict
from bench.harness import MICROSECONDS, Effort, FunctionCompetitor, Result, best_times, goal_at_most
from bench.workload import (
    CALLS_PER_ROUND,
    Cases,
    bash_call,
    make_decide,
    make_rule_set,
    new_word,
    rule_number_for,
    snapshot_with,
    verdict_of_rule,
)

FEW_RULES, MANY_RULES = 10, 10_000


def measure(effort: Effort) -> Iterator[Result]:
    few, many = best_times(
        _assent_competitor(FEW_RULES), _assent_competitor(MANY_RULES), rounds=effort.rounds
    )
    yield Result(
        row="P2",
        what="10,000 rules `git * refs/heads/br<i>-*` / 10 of them",
        ours=many * MICROSECONDS,
        peer=few * MICROSECONDS,
        against="10 rules",
        ratio=many / few,
        goal=goal_at_most(2),
    )


def _assent_competitor(count: int) -> FunctionCompetitor[Call]:
    rules = make_rule_set(f"Bash(git * {_branch_name(number)}-*)" for number in range(count))
    return FunctionCompetitor(make_decide(snapshot_with(rules)), lambda: _make_cases(count))


def _make_cases(count: int) -> Cases:
    return [_make_case(turn, count) for turn in range(CALLS_PER_ROUND)]


def _make_case(turn: int, count: int) -> tuple[Call, Verdict]:
    if turn % 4 == 3:
        return bash_call(f"git push refs/heads/xx{turn:06d}-{new_word()}"), Verdict.ASK
    number = rule_number_for(turn, count)
    return bash_call(f"git push {_branch_name(number)}-{new_word()}"), verdict_of_rule(number)


def _branch_name(number: int) -> str:
    return f"refs/heads/br{number:06d}"
