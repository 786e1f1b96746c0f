"""P7: deciding a file edit takes the same time with ten path rules and with ten thousand."""

from collections.abc import Callable, Iterator

import pathspec

from assent.engine.base.facts import Facts
from assent.engine.base.tool import Call
from assent.engine.decide import decide
from assent.engine.policy.verdict import Verdict
from bench.harness import MICROSECONDS, Effort, FunctionCompetitor, Result, best_times, goal_at_most
from bench.workload import (
    CALLS_PER_ROUND,
    DIRECTORIES,
    make_rule_set,
    new_word,
    rule_number_for,
    snapshot_with,
    verdict_of_rule,
)

FEW_RULES, MANY_RULES = 10, 10_000

CallWithFacts = tuple[Call, Facts]


def measure(effort: Effort) -> Iterator[Result]:
    few, many = best_times(
        _assent_competitor(FEW_RULES), _assent_competitor(MANY_RULES), rounds=effort.rounds
    )
    theirs_few, theirs_many = best_times(
        _pathspec_competitor(FEW_RULES), _pathspec_competitor(MANY_RULES), rounds=effort.rounds
    )
    yield Result(
        row="P7",
        what="10,000 path rules, one edit",
        ours=many * MICROSECONDS,
        peer=few * MICROSECONDS,
        against="10 rules",
        ratio=many / few,
        goal=goal_at_most(1.5),
    )
    yield Result(
        row="P7",
        what="the same patterns in pathspec, match only",
        ours=many * MICROSECONDS,
        peer=theirs_many * MICROSECONDS,
        against=f"pathspec ({theirs_many / theirs_few:,.0f}x its 10)",
        ratio=theirs_many / many,
    )


def _assent_competitor(count: int) -> FunctionCompetitor[CallWithFacts]:
    policy = snapshot_with(make_rule_set(f"Edit({pattern})" for pattern in _path_patterns(count)))
    return FunctionCompetitor(
        lambda question: decide(question[0], policy, question[1]).verdict, lambda: _make_cases(count)
    )


def _pathspec_competitor(count: int) -> FunctionCompetitor[str]:
    matches: Callable[[str], bool] = pathspec.PathSpec.from_lines(
        "gitignore", _path_patterns(count)
    ).match_file
    return FunctionCompetitor(
        matches, lambda: [(path, met is not None) for path, met in _make_paths(count, CALLS_PER_ROUND // 10)]
    )


def _path_patterns(count: int) -> list[str]:
    return [f"/src/module{number:06d}/**" for number in range(count)]


def _make_cases(count: int) -> list[tuple[CallWithFacts, Verdict]]:
    return [
        (_make_question(path), Verdict.ASK if number is None else verdict_of_rule(number))
        for path, number in _make_paths(count, CALLS_PER_ROUND)
    ]


def _make_question(path: str) -> CallWithFacts:
    absolute = f"{DIRECTORIES.cwd}/{path}"
    return Call(tool="Edit", args={"path": absolute}), Facts(
        directories=DIRECTORIES, real={absolute: (absolute,)}
    )


def _make_paths(count: int, calls: int) -> list[tuple[str, int | None]]:
    """New paths, each with the number of the rule that it matches; every fourth path matches none."""
    numbers = [None if turn % 4 == 3 else rule_number_for(turn, count) for turn in range(calls)]
    return [(f"{_directory_name(number)}/deep/{new_word()}.py", number) for number in numbers]


def _directory_name(number: int | None) -> str:
    return "src/elsewhere0000" if number is None else f"src/module{number:06d}"
