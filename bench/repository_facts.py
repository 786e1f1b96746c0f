"""facts: the time to collect what a decision about `git status` needs to know of a large repository."""

import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from assent.config.findings import make_searches
from assent.config.workspace import directories_on_disk, gather_facts
from assent.engine.base.facts import CallDirectories
from assent.engine.decide import decide, paths_to_resolve, searches_to_make
from assent.engine.policy.verdict import Verdict
from bench.harness import MILLISECONDS, Effort, Result, WrongAnswerError, freeze_heap, goal_at_most
from bench.workload import bash_call, make_rule_set, snapshot_with

FILES = 50_000
FILES_IN_DIRECTORY = 100
CLOCK_GRAIN_SECONDS = 2.1
"""An index that changed less than this time ago is read again each time."""


def measure(effort: Effort) -> Iterator[Result]:
    folder = Path(tempfile.mkdtemp(prefix="assent-bench-"))
    try:
        make_repository(folder / "work", FILES // 50 if effort.quick else FILES)
        index = folder / "work" / ".git" / "index"
        ask = _make_asker(str(folder / "work"))
        freeze_heap()
        cold = [_time(ask, index) for _ in range(effort.rounds * 5)]
        time.sleep(CLOCK_GRAIN_SECONDS)
        ask()
        warm = [_time(ask) for _ in range(effort.rounds * 20)]
    finally:
        shutil.rmtree(folder)
    for what, seconds, goal in (
        ("`git status`, 50,000 files, nothing known of its index, p50", cold, 30),
        ("`git status`, 50,000 files, warm, p50", warm, 3),
    ):
        yield Result(
            row="facts",
            what=what,
            ours=statistics.median(seconds) * MILLISECONDS,
            unit="ms",
            goal=goal_at_most(goal, "ms"),
        )


def make_repository(root: Path, files: int) -> None:
    """Create a repository with this number of recorded files."""
    for module in range(files // FILES_IN_DIRECTORY):
        directory = root / f"src/module{module:05d}"
        directory.mkdir(parents=True)
        for number in range(FILES_IN_DIRECTORY):
            (directory / f"file{number:05d}.py").touch()
    for words in (("init", "-q"), ("add", "-A")):
        subprocess.run(["git", *words], cwd=root, check=True)


def _make_asker(root: str) -> Callable[[], None]:
    """A function that collects the facts of `git status` in a directory, and checks that it may run."""
    directories: CallDirectories = directories_on_disk(root, [root], "")
    policy = snapshot_with(make_rule_set([]))
    call = bash_call("git status")

    def ask() -> None:
        paths = paths_to_resolve(call, policy, directories)
        findings = make_searches(directories, searches_to_make(call, policy, directories), None)
        facts = gather_facts(directories, paths, trusts=lambda _: False, findings=findings)
        if decide(call, policy, facts).verdict is not Verdict.RUN:
            raise WrongAnswerError("`git status` asks in a repository that names no program")

    return ask


def _time(ask: Callable[[], None], index: Path | None = None) -> float:
    """The seconds of one call; with an index, it is a new file that no cache contains."""
    if index is not None:
        copy = index.with_suffix(".copy")
        shutil.copyfile(index, copy)
        os.replace(copy, index)
    start = time.perf_counter()
    ask()
    return time.perf_counter() - start
