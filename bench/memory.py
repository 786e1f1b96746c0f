"""Memory benchmark: the process uses no more memory after a million decisions than after 100,000."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.harness import Effort, Result, WrongAnswerError, goal_at_most
from bench.progress import show_progress
from bench.workload import (
    CALLS_PER_ROUND,
    make_decide,
    make_rule_set,
    program_cases,
    program_rules,
    snapshot_with,
)

RULE_COUNT = 1_000
FIRST_CHECKPOINT, LAST_CHECKPOINT = 100_000, 1_000_000
PROGRESS_STEP = 20_000
BYTES_PER_MB = 1024 * 1024


def measure(effort: Effort) -> Iterator[Result]:
    first, last = (
        (FIRST_CHECKPOINT // 10, LAST_CHECKPOINT // 10)
        if effort.quick
        else (FIRST_CHECKPOINT, LAST_CHECKPOINT)
    )
    decide = make_decide(snapshot_with(make_rule_set(program_rules(RULE_COUNT))))
    sizes: dict[int, int] = {}
    for done in range(CALLS_PER_ROUND, last + 1, CALLS_PER_ROUND):
        for call, expected in program_cases(RULE_COUNT):
            if decide(call) is not expected:
                raise WrongAnswerError(f"{call.args} is not {expected.word}")
        if done in (first, last):
            sizes[done] = resident_bytes()
        if done % PROGRESS_STEP == 0:
            show_progress(f"memory: {done:,} of {last:,} decisions, {resident_bytes() / BYTES_PER_MB:.1f} MB")
    yield Result(
        row="memory",
        what=f"growth from decision {first:,} to {last:,}",
        ours=(sizes[last] - sizes[first]) / BYTES_PER_MB,
        unit="MB",
        peer=sizes[first] / BYTES_PER_MB,
        against="whole process",
        goal=goal_at_most(5, "MB"),
    )


def resident_bytes() -> int:
    """The current resident memory of this process in bytes."""
    pages = Path("/proc/self/statm")
    if pages.exists():
        return int(pages.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    command = ["ps", "-o", "rss=", "-p", str(os.getpid())]
    return int(subprocess.run(command, capture_output=True, check=True).stdout) * 1024
