"""P4: the policy engines of the Gemini CLI and of Assent decide the same commands with the same rules."""

from collections.abc import Iterator
from functools import partial

from assent.engine.base.tool import Call
from assent.engine.policy.verdict import Verdict
from bench.gemini import GEMINI_VERSION, GeminiCompetitor, GeminiEngine, GeminiRule, file_rule, shell_rule
from bench.harness import MICROSECONDS, Effort, FunctionCompetitor, Result, best_times, goal_at_least
from bench.workload import (
    CALLS_PER_ROUND,
    bash_call,
    is_deny_rule,
    make_decide,
    make_rule_set,
    new_word,
    program_name,
    program_rules,
    rule_number_for,
    snapshot_with,
)

GOALS_BY_RULE_COUNT = {100: goal_at_least(5), 10_000: goal_at_least(100)}
GEMINI_CALLS = {100: 100, 10_000: 10}
GEMINI_WORDS = {Verdict.RUN: "allow", Verdict.ASK: "ask_user", Verdict.DENY: "deny"}
COMMANDS_PER_CALL = 4


def measure(effort: Effort) -> Iterator[Result]:
    gemini = GeminiEngine()
    for count, goal in GOALS_BY_RULE_COUNT.items():
        gemini.load(str(count), _gemini_rules(count))
        theirs = GeminiCompetitor(gemini, str(count), partial(_gemini_cases, count))
        ours, peer = best_times(_assent_competitor(count), theirs, rounds=effort.rounds)
        yield Result(
            row="P4",
            what=f"compound of {COMMANDS_PER_CALL}, {count:,} shell and {count:,} file rules",
            ours=ours * MICROSECONDS,
            peer=peer * MICROSECONDS,
            against=f"gemini-cli-core {GEMINI_VERSION}",
            ratio=peer / ours,
            goal=goal,
        )
    gemini.close()


def _assent_competitor(count: int) -> FunctionCompetitor[Call]:
    files = [f"Edit(/{_file_path(number)})" for number in range(count)]
    policy = snapshot_with(make_rule_set(program_rules(count) + files))
    return FunctionCompetitor(
        make_decide(policy),
        lambda: [(bash_call(text), found) for text, found in _make_cases(count, CALLS_PER_ROUND)],
    )


def _gemini_rules(count: int) -> Iterator[GeminiRule]:
    for number in range(count):
        decision = "deny" if is_deny_rule(number) else "allow"
        yield shell_rule(f"{program_name(number)} sub", decision)
        yield file_rule(_file_path(number), decision)


def _gemini_cases(count: int) -> list[tuple[str, str]]:
    return [(text, GEMINI_WORDS[verdict]) for text, verdict in _make_cases(count, GEMINI_CALLS[count])]


def _make_cases(count: int, calls: int) -> list[tuple[str, Verdict]]:
    return [_make_case(turn, count) for turn in range(calls)]


def _make_case(turn: int, count: int) -> tuple[str, Verdict]:
    """A line of four commands that match allow rules spread over the whole rule set."""
    numbers = [
        rule_number_for(turn * COMMANDS_PER_CALL + part, count) | 1 for part in range(COMMANDS_PER_CALL)
    ]
    return " && ".join(f"{program_name(number)} sub {new_word()}" for number in numbers), Verdict.RUN


def _file_path(number: int) -> str:
    return f"src/module{number:06d}.py"
