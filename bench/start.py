"""Start: `assent check` as a process, compared with a Python process that does nothing."""

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

from bench.harness import MILLI, Effort, Goal, Result, WrongAnswerError, at_most, median_rounds

LINE = {"tool": "Bash", "dialect": "shell", "effect": "execute", "specifier": "npm run build"}
RULES = {"allow": ["Bash(npm run *)"]}
TIMES_ROUNDS = 3
"""A process is noisier than a function: it is started so many times as often."""


@dataclass(frozen=True, slots=True)
class Process:
    """A command to start, and a word that its output must contain."""

    command: list[str]
    word: str
    home: str

    def check(self) -> None:
        if self.word not in (said := self._run()):
            raise WrongAnswerError(f"{self.command} said {said!r}, without `{self.word}`")

    def seconds(self) -> float:
        start = perf_counter()
        self._run()
        return perf_counter() - start

    def _run(self) -> str:
        # As installed: bytecode is cached between runs, whatever the environment of this shell.
        environment = {**os.environ, "HOME": self.home, "PYTHONPYCACHEPREFIX": self.home}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        return subprocess.check_output(self.command, cwd=self.home, env=environment, text=True)


class ProcessCpu(Process):
    """The same by CPU time, so that other load on the machine matters less."""

    def seconds(self) -> float:
        before = _children_cpu_seconds()
        self._run()
        return _children_cpu_seconds() - before


def _children_cpu_seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def measure(effort: Effort) -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as home:
        batch = Path(home, "batch.jsonl")
        batch.write_text(json.dumps(LINE | {"rules": RULES}) + "\n", "utf-8")
        assent = str(Path(sys.executable).with_name("assent"))
        check = ([assent, "check", "--batch", str(batch)], '"verdict": "run"', home)
        nothing = ([sys.executable, "-c", "pass"], "", home)
        waited, bare, worked, bare_work = median_rounds(
            Process(*check),
            Process(*nothing),
            ProcessCpu(*check),
            ProcessCpu(*nothing),
            rounds=effort.rounds * TIMES_ROUNDS,
        )
    yield _result("`assent check` as a process, median", waited, bare, at_most(100, "ms"))
    yield _result("the same, processor time alone", worked, bare_work, None)


def _result(what: str, ours: float, bare: float, goal: Goal | None) -> Result:
    return Result(
        row="start",
        what=what,
        ours=ours * MILLI,
        unit="ms",
        peer=bare * MILLI,
        against="python -c pass",
        goal=goal,
    )
