"""Memory: the process is not larger after a million decisions than after a hundred thousand."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.harness import Effort, Result, WrongAnswerError, at_most
from bench.progress import show_progress
from bench.workload import CALLS, decide_with, program_cases, program_rules, rule_set, snapshot

RULES = 1_000
FIRST, LAST = 100_000, 1_000_000
STEP = 20_000
MEGA = 1024 * 1024


def measure(effort: Effort) -> Iterator[Result]:
    first, last = (FIRST // 10, LAST // 10) if effort.quick else (FIRST, LAST)
    decide = decide_with(snapshot(rule_set(program_rules(RULES))))
    sizes: dict[int, int] = {}
    for done in range(CALLS, last + 1, CALLS):
        for call, expected in program_cases(RULES):
            if decide(call) is not expected:
                raise WrongAnswerError(f"{call.args} is not {expected.word}")
        if done in (first, last):
            sizes[done] = resident()
        if done % STEP == 0:
            show_progress(f"memory: {done:,} of {last:,} decisions, {resident() / MEGA:.1f} MB")
    yield Result(
        row="memory",
        what=f"growth from decision {first:,} to {last:,}",
        ours=(sizes[last] - sizes[first]) / MEGA,
        unit="MB",
        peer=sizes[first] / MEGA,
        against="whole process",
        goal=at_most(5, "MB"),
    )


def resident() -> int:
    """Current resident bytes of this process."""
    pages = Path("/proc/self/statm")
    if pages.exists():
        return int(pages.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    command = ["ps", "-o", "rss=", "-p", str(os.getpid())]
    return int(subprocess.run(command, capture_output=True, check=True).stdout) * 1024
