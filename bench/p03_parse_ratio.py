"""P3: a whole decision beside nothing but parsing the same command, with and without a warm cache."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import tree_sitter
import tree_sitter_bash

from assent.engine.base.facts import Facts
from assent.engine.base.tool import Call
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.policy.verdict import Verdict
from bench.harness import MICRO, Contender, Effort, Goal, Result, at_most, best_rounds
from bench.workload import CALLS, PLACE, bash, new_word, rule_set, snapshot

LANGUAGE = tree_sitter.Language(tree_sitter_bash.language())
PARSER = tree_sitter.Parser(LANGUAGE)
QUERY = tree_sitter.Query(LANGUAGE, "(command) @command")

# Typical commands of agents: some only read, some are allowed by a rule.
SHAPES = (
    "npm run {}",
    "git log --oneline --grep {}",
    "grep -rn {} src",
    "pytest -q -k {}",
    "cat src/{}.py",
    "make {}",
)
POLICY = snapshot(rule_set(["Bash(rm *)", "Bash(npm run *)", "Bash(pytest -q -k *)", "Bash(make *)"]))
SIZES = {1: ("simple command", at_most(3)), 4: ("compound of 4", None), 8: ("compound of 8", at_most(2))}

Question = tuple[Call, Facts]


def measure(effort: Effort) -> Iterator[Result]:
    for parts, (name, goal) in SIZES.items():
        repeated = _cases(parts)
        cold, with_facts, warm, read, parse = best_rounds(
            Contender(_decide, partial(_cases, parts)),
            Contender(_list_paths_and_decide, partial(_cases, parts)),
            Contender(_decide, repeated.copy),
            Contender(_decide, partial(_elsewhere, _cases(parts))),
            Contender(_parse, partial(_parse_cases, parts)),
            rounds=effort.rounds,
        )
        yield _result(f"{name}, cold", cold, parse, goal)
        yield _result(f"{name}, cold, asking first which paths matter", with_facts, parse, None)
        yield _result(f"{name}, warm", warm, parse, goal)
        yield _result(f"{name}, warm, but the facts are others each time", read, parse, None)


def _result(what: str, ours: float, parse: float, goal: Goal | None) -> Result:
    return Result(
        row="P3",
        what=what,
        ours=ours * MICRO,
        peer=parse * MICRO,
        against="parse + query",
        ratio=ours / parse,
        goal=goal,
    )


def _cases(parts: int) -> list[tuple[Question, Verdict]]:
    return [(_question(turn, parts), Verdict.RUN) for turn in range(CALLS)]


def _elsewhere(cases: list[tuple[Question, Verdict]]) -> list[tuple[Question, Verdict]]:
    """The same calls with other facts, so that their parse is cached and their decision is not."""
    changed = new_word()
    return [
        ((call, replace(facts, real={**facts.real, changed: (changed,)})), verdict)
        for (call, facts), verdict in cases
    ]


def _parse_cases(parts: int) -> list[tuple[Call, int]]:
    return [(call, parts) for (call, _), _ in _cases(parts)]


def _question(turn: int, parts: int) -> Question:
    """A compound command with `parts` parts, and the facts that a gate would gather for it."""
    names = [new_word() for _ in range(parts)]
    shapes = [SHAPES[(turn + part) % len(SHAPES)] for part in range(parts)]
    call = bash(" && ".join(shape.format(name) for shape, name in zip(shapes, names, strict=True)))
    files = ["/project", "/project/src", *(f"/project/src/{name}.py" for name in names)]
    return call, Facts(place=PLACE, real={file: (file,) for file in files}, trusted_repository=True)


def _decide(question: Question) -> Verdict:
    call, facts = question
    return decide(call, POLICY, facts).verdict


def _list_paths_and_decide(question: Question) -> Verdict:
    call, facts = question
    paths_to_resolve(call, POLICY, PLACE)
    return decide(call, POLICY, facts).verdict


def _parse(call: Call) -> int:
    """Parse a command and count its commands."""
    root = PARSER.parse(str(call.args["command"]).encode()).root_node
    return len(tree_sitter.QueryCursor(QUERY).captures(root)["command"])
