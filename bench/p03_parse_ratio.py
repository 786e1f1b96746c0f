"""P3: the time of a whole decision compared with only parsing the command, with and without a cache."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import tree_sitter
import tree_sitter_bash

from assent.engine.base.facts import Facts
from assent.engine.base.tool import Call
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.policy.verdict import Verdict
from bench.harness import MICROSECONDS, Effort, FunctionCompetitor, Goal, Result, best_times, goal_at_most
from bench.workload import CALLS_PER_ROUND, DIRECTORIES, bash_call, make_rule_set, new_word, snapshot_with

LANGUAGE = tree_sitter.Language(tree_sitter_bash.language())
PARSER = tree_sitter.Parser(LANGUAGE)
QUERY = tree_sitter.Query(LANGUAGE, "(command) @command")

# Typical commands of agents; some only read, others are allowed by a rule.
COMMAND_FORMS = (
    "npm run {}",
    "git log --oneline --grep {}",
    "grep -rn {} src",
    "pytest -q -k {}",
    "cat src/{}.py",
    "make {}",
)
POLICY = snapshot_with(
    make_rule_set(["Bash(rm *)", "Bash(npm run *)", "Bash(pytest -q -k *)", "Bash(make *)"])
)
COMMAND_COUNTS = {
    1: ("simple command", goal_at_most(3)),
    4: ("compound of 4", None),
    8: ("compound of 8", goal_at_most(2)),
}

CallWithFacts = tuple[Call, Facts]


def measure(effort: Effort) -> Iterator[Result]:
    for parts, (name, goal) in COMMAND_COUNTS.items():
        repeated = _make_cases(parts)
        cold, with_facts, warm, read, parse = best_times(
            FunctionCompetitor(_decide_with_facts, partial(_make_cases, parts)),
            FunctionCompetitor(_list_paths_and_decide, partial(_make_cases, parts)),
            FunctionCompetitor(_decide_with_facts, repeated.copy),
            FunctionCompetitor(_decide_with_facts, partial(_with_other_facts, _make_cases(parts))),
            FunctionCompetitor(_count_commands, partial(_make_parse_cases, parts)),
            rounds=effort.rounds,
        )
        yield _to_result(f"{name}, cold", cold, parse, goal)
        yield _to_result(f"{name}, cold, asking first which paths matter", with_facts, parse, None)
        yield _to_result(f"{name}, warm", warm, parse, goal)
        yield _to_result(f"{name}, warm, but the facts are others each time", read, parse, None)


def _to_result(what: str, ours: float, parse: float, goal: Goal | None) -> Result:
    return Result(
        row="P3",
        what=what,
        ours=ours * MICROSECONDS,
        peer=parse * MICROSECONDS,
        against="parse + query",
        ratio=ours / parse,
        goal=goal,
    )


def _make_cases(parts: int) -> list[tuple[CallWithFacts, Verdict]]:
    return [(_make_question(turn, parts), Verdict.RUN) for turn in range(CALLS_PER_ROUND)]


def _with_other_facts(cases: list[tuple[CallWithFacts, Verdict]]) -> list[tuple[CallWithFacts, Verdict]]:
    """The same calls with other facts, so that the parse result is cached and the decision is not."""
    changed = new_word()
    return [
        ((call, replace(facts, real={**facts.real, changed: (changed,)})), verdict)
        for (call, facts), verdict in cases
    ]


def _make_parse_cases(parts: int) -> list[tuple[Call, int]]:
    return [(call, parts) for (call, _), _ in _make_cases(parts)]


def _make_question(turn: int, parts: int) -> CallWithFacts:
    """Make a command line of `parts` commands, and the facts that a gate would collect for it."""
    names = [new_word() for _ in range(parts)]
    shapes = [COMMAND_FORMS[(turn + part) % len(COMMAND_FORMS)] for part in range(parts)]
    call = bash_call(" && ".join(shape.format(name) for shape, name in zip(shapes, names, strict=True)))
    files = ["/project", "/project/src", *(f"/project/src/{name}.py" for name in names)]
    return call, Facts(
        directories=DIRECTORIES, real={file: (file,) for file in files}, trusted_repository=True
    )


def _decide_with_facts(question: CallWithFacts) -> Verdict:
    call, facts = question
    return decide(call, POLICY, facts).verdict


def _list_paths_and_decide(question: CallWithFacts) -> Verdict:
    call, facts = question
    paths_to_resolve(call, POLICY, DIRECTORIES)
    return decide(call, POLICY, facts).verdict


def _count_commands(call: Call) -> int:
    """Parse a command line and return its number of commands."""
    root = PARSER.parse(str(call.args["command"]).encode()).root_node
    return len(tree_sitter.QueryCursor(QUERY).captures(root)["command"])
