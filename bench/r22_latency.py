"""R22: the time of one decision, each timed separately."""

import statistics
from collections.abc import Callable, Iterator
from time import thread_time

from assent.engine.base.tool import Call
from assent.engine.policy.verdict import Verdict
from bench.harness import MICRO, MILLI, Effort, Result, WrongAnswerError, at_most, freeze_heap
from bench.workload import (
    Cases,
    bash,
    decide_with,
    new_word,
    program_cases,
    program_rules,
    rule_set,
    snapshot,
)

RULES = 1_000
LONG = 10 * 1024


def measure(effort: Effort) -> Iterator[Result]:
    answer = decide_with(snapshot(rule_set([*program_rules(RULES), "Bash(rm *)", "Bash(work *)"])))
    simple = _time_each(answer, [case for _ in range(effort.rounds) for case in program_cases(RULES)])
    long = _time_each(answer, [(bash(_long_text()), Verdict.RUN) for _ in range(effort.rounds * 50)])
    again = _time_each(answer, [(bash(_repeating_text()), Verdict.RUN) for _ in range(effort.rounds * 50)])
    yield Result(
        row="R22",
        what="simple command, 1,000 rules, p50",
        ours=statistics.median(simple) * MICRO,
        goal=at_most(50, "µs"),
    )
    yield Result(
        row="R22",
        what="10 kB of commands, 1,000 rules, p99",
        ours=statistics.quantiles(long, n=100)[-1] * MILLI,
        unit="ms",
        goal=at_most(2, "ms"),
    )
    yield Result(
        row="R22",
        what="10 kB of one command again and again, p99",
        ours=statistics.quantiles(again, n=100)[-1] * MILLI,
        unit="ms",
    )


def _time_each(answer: Callable[[Call], Verdict], cases: Cases) -> list[float]:
    """The seconds of each decision; all calls are new."""
    freeze_heap()
    seconds: list[float] = []
    for call, expected in cases:
        start = thread_time()
        verdict = answer(call)
        seconds.append(thread_time() - start)
        if verdict is not expected:
            raise WrongAnswerError(f"{call.args!r:.200} gave {verdict.word}, not {expected.word}")
    return seconds


def _long_text() -> str:
    """A script with one command per line, within the limit on words."""
    lines = [_line()]
    while (len(lines) + 1) * len(lines[0]) < LONG:
        lines.append(_line())
    return "\n".join(lines)


def _repeating_text() -> str:
    """The same with every line equal to the first."""
    line = _line()
    return "\n".join([line] * (LONG // len(line)))


def _line() -> str:
    return f"work {new_word()} --option value " + " ".join(["a-longer-word"] * 12)
