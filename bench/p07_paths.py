"""P7: a path decision costs the same with ten path rules and with ten thousand."""

from collections.abc import Callable, Iterator

import pathspec

from assent.engine.base.facts import Facts
from assent.engine.base.tool import Call
from assent.engine.decide import decide
from assent.engine.policy.verdict import Verdict
from bench.harness import MICRO, Contender, Effort, Result, at_most, best_rounds
from bench.workload import CALLS, PLACE, new_word, rule_number, rule_set, snapshot, verdict_of

FEW, MANY = 10, 10_000

Question = tuple[Call, Facts]


def measure(effort: Effort) -> Iterator[Result]:
    few, many = best_rounds(_ours(FEW), _ours(MANY), rounds=effort.rounds)
    theirs_few, theirs_many = best_rounds(_pathspec(FEW), _pathspec(MANY), rounds=effort.rounds)
    yield Result(
        row="P7",
        what="10,000 path rules, one edit",
        ours=many * MICRO,
        peer=few * MICRO,
        against="10 rules",
        ratio=many / few,
        goal=at_most(1.5),
    )
    yield Result(
        row="P7",
        what="the same patterns in pathspec, match only",
        ours=many * MICRO,
        peer=theirs_many * MICRO,
        against=f"pathspec ({theirs_many / theirs_few:,.0f}x its 10)",
        ratio=theirs_many / many,
    )


def _ours(many: int) -> Contender[Question]:
    policy = snapshot(rule_set(f"Edit({pattern})" for pattern in _patterns(many)))
    return Contender(lambda question: decide(question[0], policy, question[1]).verdict, lambda: _cases(many))


def _pathspec(many: int) -> Contender[str]:
    matches: Callable[[str], bool] = pathspec.PathSpec.from_lines("gitignore", _patterns(many)).match_file
    return Contender(matches, lambda: [(path, met is not None) for path, met in _paths(many, CALLS // 10)])


def _patterns(many: int) -> list[str]:
    return [f"/src/module{number:06d}/**" for number in range(many)]


def _cases(many: int) -> list[tuple[Question, Verdict]]:
    return [
        (_question(path), Verdict.ASK if number is None else verdict_of(number))
        for path, number in _paths(many, CALLS)
    ]


def _question(path: str) -> Question:
    absolute = f"{PLACE.cwd}/{path}"
    return Call(tool="Edit", args={"path": absolute}), Facts(place=PLACE, real={absolute: (absolute,)})


def _paths(many: int, calls: int) -> list[tuple[str, int | None]]:
    """New paths with the rule that each matches; one in four matches none."""
    numbers = [None if turn % 4 == 3 else rule_number(turn, many) for turn in range(calls)]
    return [(f"{_directory(number)}/deep/{new_word()}.py", number) for number in numbers]


def _directory(number: int | None) -> str:
    return "src/elsewhere0000" if number is None else f"src/module{number:06d}"
