"""Start-up benchmark: an `assent check` process, compared with a Python process that does nothing."""

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from bench.harness import MILLISECONDS, Effort, Goal, Result, WrongAnswerError, goal_at_most, median_times

CHECK_RECORD = {"tool": "Bash", "dialect": "shell", "effect": "execute", "specifier": "npm run build"}
CHECK_RULES = {"allow": ["Bash(npm run *)"]}
ROUNDS_FACTOR = 3
"""Factor for the number of rounds: times of processes vary more than times of functions."""


@dataclass(frozen=True, slots=True)
class ProcessCompetitor:
    """A command whose process is timed, and a word that its output must contain."""

    command: list[str]
    word: str
    home: str

    def check(self) -> None:
        if self.word not in (said := self._run()):
            raise WrongAnswerError(f"{self.command} said {said!r}, without `{self.word}`")

    def measure_seconds(self) -> float:
        start = perf_counter()
        self._run()
        return perf_counter() - start

    def _run(self) -> str:
        # Bytecode is cached between runs, as in an installation.
        environment = {**os.environ, "HOME": self.home, "PYTHONPYCACHEPREFIX": self.home}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        return subprocess.check_output(self.command, cwd=self.home, env=environment, text=True)


class CpuTimeCompetitor(ProcessCompetitor):
    """A command whose CPU time is measured, so that other load on the machine matters less."""

    def measure_seconds(self) -> float:
        before = _children_cpu_seconds()
        self._run()
        return _children_cpu_seconds() - before


def _children_cpu_seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def measure(effort: Effort) -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as home:
        batch = Path(home, "batch.jsonl")
        batch.write_text(json.dumps(CHECK_RECORD | {"rules": CHECK_RULES}) + "\n", "utf-8")
        assent = str(Path(sys.executable).with_name("assent"))
        check = ([assent, "check", "--batch", str(batch)], '"verdict": "run"', home)
        nothing = ([sys.executable, "-c", "pass"], "", home)
        waited, bare, worked, bare_work = median_times(
            ProcessCompetitor(*check),
            ProcessCompetitor(*nothing),
            CpuTimeCompetitor(*check),
            CpuTimeCompetitor(*nothing),
            rounds=effort.rounds * ROUNDS_FACTOR,
        )
    yield _to_result("`assent check` as a process, median", waited, bare, goal_at_most(100, "ms"))
    yield _to_result("the same, processor time alone", worked, bare_work, None)


def _to_result(what: str, ours: float, bare: float, goal: Goal | None) -> Result:
    return Result(
        row="start",
        what=what,
        ours=ours * MILLISECONDS,
        unit="ms",
        peer=bare * MILLISECONDS,
        against="python -c pass",
        goal=goal,
    )
