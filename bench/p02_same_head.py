"""P2: rules that all begin with the same word cost no more than rules that do not."""

from collections.abc import Iterator

from assent.engine.base.tool import Call
from assent.engine.policy.verdict import Verdict
from bench.harness import MICRO, Contender, Effort, Result, at_most, best_rounds
from bench.workload import (
    CALLS,
    Cases,
    bash,
    decide_with,
    new_word,
    rule_number,
    rule_set,
    snapshot,
    verdict_of,
)

FEW, MANY = 10, 10_000


def measure(effort: Effort) -> Iterator[Result]:
    few, many = best_rounds(_racer(FEW), _racer(MANY), rounds=effort.rounds)
    yield Result(
        row="P2",
        what="10,000 rules `git * refs/heads/br<i>-*` / 10 of them",
        ours=many * MICRO,
        peer=few * MICRO,
        against="10 rules",
        ratio=many / few,
        goal=at_most(2),
    )


def _racer(many: int) -> Contender[Call]:
    rules = rule_set(f"Bash(git * {_branch(number)}-*)" for number in range(many))
    return Contender(decide_with(snapshot(rules)), lambda: _cases(many))


def _cases(many: int) -> Cases:
    return [_case(turn, many) for turn in range(CALLS)]


def _case(turn: int, many: int) -> tuple[Call, Verdict]:
    if turn % 4 == 3:
        return bash(f"git push refs/heads/xx{turn:06d}-{new_word()}"), Verdict.ASK
    number = rule_number(turn, many)
    return bash(f"git push {_branch(number)}-{new_word()}"), verdict_of(number)


def _branch(number: int) -> str:
    return f"refs/heads/br{number:06d}"
