"""P4: the Gemini CLI's policy engine and ours, on the same compound command under the same rules."""

from collections.abc import Iterator
from functools import partial

from assent.engine.base.tool import Call
from assent.engine.policy.verdict import Verdict
from bench.gemini import VERSION, Gemini, GeminiRacer, Rule, file_rule, shell_rule
from bench.harness import MICRO, Contender, Effort, Result, at_least, best_rounds
from bench.workload import (
    CALLS,
    bash,
    decide_with,
    is_denied,
    new_word,
    program,
    program_rules,
    rule_number,
    rule_set,
    snapshot,
)

GOALS = {100: at_least(5), 10_000: at_least(100)}
THEIR_CALLS = {100: 100, 10_000: 10}
WORDS = {Verdict.RUN: "allow", Verdict.ASK: "ask_user", Verdict.DENY: "deny"}
PARTS = 4


def measure(effort: Effort) -> Iterator[Result]:
    gemini = Gemini()
    for many, goal in GOALS.items():
        gemini.load(str(many), _their_rules(many))
        theirs = GeminiRacer(gemini, str(many), partial(_their_cases, many))
        ours, peer = best_rounds(_ours(many), theirs, rounds=effort.rounds)
        yield Result(
            row="P4",
            what=f"compound of {PARTS}, {many:,} shell and {many:,} file rules",
            ours=ours * MICRO,
            peer=peer * MICRO,
            against=f"gemini-cli-core {VERSION}",
            ratio=peer / ours,
            goal=goal,
        )
    gemini.close()


def _ours(many: int) -> Contender[Call]:
    files = [f"Edit(/{_file(number)})" for number in range(many)]
    policy = snapshot(rule_set(program_rules(many) + files))
    return Contender(
        decide_with(policy), lambda: [(bash(text), found) for text, found in _cases(many, CALLS)]
    )


def _their_rules(many: int) -> Iterator[Rule]:
    for number in range(many):
        decision = "deny" if is_denied(number) else "allow"
        yield shell_rule(f"{program(number)} sub", decision)
        yield file_rule(_file(number), decision)


def _their_cases(many: int) -> list[tuple[str, str]]:
    return [(text, WORDS[verdict]) for text, verdict in _cases(many, THEIR_CALLS[many])]


def _cases(many: int, calls: int) -> list[tuple[str, Verdict]]:
    return [_case(turn, many) for turn in range(calls)]


def _case(turn: int, many: int) -> tuple[str, Verdict]:
    """Four commands that match allow rules from all over the set."""
    numbers = [rule_number(turn * PARTS + part, many) | 1 for part in range(PARTS)]
    return " && ".join(f"{program(number)} sub {new_word()}" for number in numbers), Verdict.RUN


def _file(number: int) -> str:
    return f"src/module{number:06d}.py"
