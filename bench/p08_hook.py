"""P8: the hook process that asks a server, compared with a Python process that does nothing."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from bench.harness import MILLISECONDS, Effort, Result, WrongAnswerError, goal_at_most, median_times
from bench.start import ROUNDS_FACTOR, CpuTimeCompetitor, ProcessCompetitor
from tools.claude_client import find_client, offline_environment
from tools.scripted_model import Json, ScriptedModel, ToolCall

ASSENT = str(Path(sys.executable).with_name("assent"))
READS = 40
FORMS = (("Python", (), goal_at_most(1.0, "x")), ("shell", ("--shell",), goal_at_most(0.4, "x")))


def measure(effort: Effort) -> Iterator[Result]:
    """Install the hook with a running server in an empty home, and start it as the client does."""
    with tempfile.TemporaryDirectory() as home, _running_server(home) as url:
        file = _write_event(home)
        programs = {name: _install_hook(home, *options) for name, options, _ in FORMS}
        lines = {name: f"exec {program} < {file}" for name, program in programs.items()}
        address = next(word for word in shlex.split(programs["Python"]) if word.startswith("unix:"))
        lines["TCP"] = lines["Python"].replace(shlex.quote(address), url)
        nothing = f"exec {shlex.quote(sys.executable)} -c pass"
        commands = [
            *((["sh", "-c", line], '"allow"', home) for line in lines.values()),
            (["sh", "-c", nothing], "", home),
        ]
        rounds = effort.rounds * ROUNDS_FACTOR
        waited = median_times(*(ProcessCompetitor(*one) for one in commands), rounds=rounds)
        worked = median_times(*(CpuTimeCompetitor(*one) for one in commands), rounds=rounds)
        with tempfile.TemporaryDirectory() as bare:
            gated, alone = median_times(
                ReadingTurn(home), ReadingTurn(bare, is_gated=False), rounds=effort.rounds
            )
    for index, (name, _, goal) in enumerate(FORMS):
        for what, times in (("", waited), (", processor time", worked)):
            yield Result(
                row="P8",
                what=f"the hook process with a server, {name}{what}",
                ours=times[index] * MILLISECONDS,
                unit="ms",
                peer=times[-1] * MILLISECONDS,
                against="python -c pass",
                ratio=times[index] / times[-1],
                goal=goal,
            )
    yield Result(
        row="P8",
        what="the hook process over the local socket",
        ours=waited[0] * MILLISECONDS,
        unit="ms",
        peer=waited[2] * MILLISECONDS,
        against="the same over TCP",
        ratio=waited[0] / waited[2],
        goal=goal_at_most(1.1, "x"),
    )
    yield Result(
        row="P8",
        what=f"a turn of {READS} reads of Claude Code, with the hook",
        ours=gated,
        unit="s",
        peer=alone,
        against="without it",
        ratio=gated / alone,
        goal=goal_at_most(1.25, "x"),
    )


@dataclass(frozen=True, slots=True)
class ReadingTurn:
    """One run of the real client, offline, that reads a file again and again."""

    home: str
    """The home directory, with or without the hook; the project is in it."""
    is_gated: bool = True

    def check(self) -> None:
        """Raise an error unless each read was answered, and the hook was asked."""
        Path(self.home, "project").mkdir(exist_ok=True)
        Path(self.home, "project", "a.txt").write_text("hello\n", "utf-8")
        requests = self._run()
        results = str(requests[-1]["messages"]).count("'type': 'tool_result'")
        settings = Path(self.home, ".claude", "settings.json")
        if results != READS or self.is_gated != (settings.exists() and "hook" in settings.read_text("utf-8")):
            raise WrongAnswerError(f"{results} of {READS} reads were answered")

    def measure_seconds(self) -> float:
        """Run once; return the seconds."""
        start = perf_counter()
        self._run()
        return perf_counter() - start

    def _run(self) -> list[Json]:
        project = Path(self.home, "project")
        read: ToolCall = {"name": "Read", "input": {"file_path": str(project / "a.txt")}}
        with ScriptedModel({"main": [*([[read]] * READS), "done"]}) as model:
            subprocess.run(
                [str(find_client()), "-p", "SCRIPT:main"],
                cwd=project,
                env=offline_environment(Path(self.home), model.url),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                check=True,
            )
        return model.requests


@contextmanager
def _running_server(home: str) -> Generator[str]:
    process = subprocess.Popen(
        [ASSENT, "serve", "--port", "0", "--json", "--log-level", "error"],
        cwd=home,
        env={**os.environ, "HOME": home},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield str(json.loads(process.stdout.readline())["url"])
    finally:
        process.terminate()
        process.wait()


def _write_event(home: str) -> str:
    event = {
        "session_id": "bench",
        "cwd": home,
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls -la"},
        "tool_use_id": "bench",
    }
    file = Path(home, "event.json")
    file.write_text(json.dumps(event), "utf-8")
    return shlex.quote(str(file))


def _install_hook(home: str, *options: str) -> str:
    """Install the hook; return the words that start it."""
    command = [ASSENT, "hook", "install", "--yes", *options]
    subprocess.run(command, cwd=home, env={**os.environ, "HOME": home}, stdout=subprocess.DEVNULL, check=True)
    settings = json.loads(Path(home, ".claude", "settings.json").read_text("utf-8"))
    found: str = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    return found.partition(" || ")[0]
