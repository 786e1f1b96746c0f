"""R22: the latency of decisions, measured one by one."""

import statistics
from collections.abc import Callable, Iterator
from time import thread_time

from assent.engine.base.tool import Call
from assent.engine.policy.verdict import Verdict
from bench.harness import (
    MICROSECONDS,
    MILLISECONDS,
    Effort,
    Result,
    WrongAnswerError,
    freeze_heap,
    goal_at_most,
)
from bench.workload import (
    Cases,
    bash_call,
    make_decide,
    make_rule_set,
    new_word,
    program_cases,
    program_rules,
    snapshot_with,
)

RULE_COUNT = 1_000
SCRIPT_BYTES = 10 * 1024


def measure(effort: Effort) -> Iterator[Result]:
    answer = make_decide(
        snapshot_with(make_rule_set([*program_rules(RULE_COUNT), "Bash(rm *)", "Bash(work *)"]))
    )
    simple = _time_decisions(
        answer, [case for _ in range(effort.rounds) for case in program_cases(RULE_COUNT)]
    )
    long = _time_decisions(
        answer, [(bash_call(_make_script()), Verdict.RUN) for _ in range(effort.rounds * 50)]
    )
    again = _time_decisions(
        answer, [(bash_call(_make_repetitive_script()), Verdict.RUN) for _ in range(effort.rounds * 50)]
    )
    yield Result(
        row="R22",
        what="simple command, 1,000 rules, p50",
        ours=statistics.median(simple) * MICROSECONDS,
        goal=goal_at_most(50, "µs"),
    )
    yield Result(
        row="R22",
        what="10 kB of commands, 1,000 rules, p99",
        ours=statistics.quantiles(long, n=100)[-1] * MILLISECONDS,
        unit="ms",
        goal=goal_at_most(2, "ms"),
    )
    yield Result(
        row="R22",
        what="10 kB of one command again and again, p99",
        ours=statistics.quantiles(again, n=100)[-1] * MILLISECONDS,
        unit="ms",
    )


def _time_decisions(answer: Callable[[Call], Verdict], cases: Cases) -> list[float]:
    """Return the seconds of each decision."""
    freeze_heap()
    seconds: list[float] = []
    for call, expected in cases:
        start = thread_time()
        verdict = answer(call)
        seconds.append(thread_time() - start)
        if verdict is not expected:
            raise WrongAnswerError(f"{call.args!r:.200} gave {verdict.word}, not {expected.word}")
    return seconds


def _make_script() -> str:
    """Make a script of about `SCRIPT_BYTES`, with a different command in each line."""
    lines = [_make_script_line()]
    while (len(lines) + 1) * len(lines[0]) < SCRIPT_BYTES:
        lines.append(_make_script_line())
    return "\n".join(lines)


def _make_repetitive_script() -> str:
    """Make a script of about `SCRIPT_BYTES` whose lines are all equal."""
    line = _make_script_line()
    return "\n".join([line] * (SCRIPT_BYTES // len(line)))


def _make_script_line() -> str:
    return f"work {new_word()} --option value " + " ".join(["a-longer-word"] * 12)
