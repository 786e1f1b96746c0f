"""The policy engine of the Gemini CLI: installed at the first use, and called through a pipe."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bench.harness import WrongAnswerError
from bench.progress import show_progress

GEMINI_VERSION = "0.61.0"
GEMINI_PACKAGE = "@google/gemini-cli-core"
INSTALL_DIRECTORY = Path(__file__).resolve().parents[1] / ".cache" / "bench"
DRIVER_SCRIPT = Path(__file__).with_suffix(".mjs")

GeminiRule = dict[str, object]


def shell_rule(prefix: str, decision: str) -> GeminiRule:
    """A rule of the Gemini CLI for commands that start with the given words."""
    pattern = re.escape(f'"command":{json.dumps(prefix)[:-1]}') + r'(?:[\s"]|\\")'
    return {"toolName": "run_shell_command", "argsPattern": pattern, "decision": decision, "priority": 2.1}


def file_rule(path: str, decision: str) -> GeminiRule:
    """A rule of the Gemini CLI for writing one file."""
    pattern = re.escape(f'"file_path":{json.dumps(path)}')
    return {"toolName": "write_file", "argsPattern": pattern, "decision": decision, "priority": 2.1}


class GeminiEngine:
    """A Node.js process with named policies; it measures its own decisions, without the pipe."""

    def __init__(self) -> None:
        _install_gemini()
        driver = shutil.copy(
            DRIVER_SCRIPT, INSTALL_DIRECTORY
        )  # node searches packages from the directory of the module
        self._process = subprocess.Popen(
            [_find_program("node"), driver], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def load(self, name: str, rules: Iterable[GeminiRule]) -> None:
        """Compile a policy and keep it under a name."""
        self._send_request({"load": {name: list(rules)}})

    def decide(self, engine: str, tool: str, argument: str, values: Sequence[str]) -> dict[str, Any]:
        """Decide many calls; returns the decisions and the seconds per call."""
        return self._send_request({"engine": engine, "tool": tool, "argument": argument, "values": values})

    def close(self) -> None:
        _require_pipe(self._process.stdin).close()
        self._process.wait()

    def _send_request(self, request: dict[str, object]) -> dict[str, Any]:
        stdin = _require_pipe(self._process.stdin)
        stdin.write(json.dumps(request) + "\n")
        stdin.flush()
        reply = _require_pipe(self._process.stdout).readline()
        if not reply:
            raise RuntimeError("the Gemini engine ended (its own message is above)")
        answer: dict[str, Any] = json.loads(reply)
        return answer


@dataclass(frozen=True, slots=True)
class GeminiCompetitor:
    """A policy of the Gemini engine, with the commands to decide and their expected decisions."""

    gemini: GeminiEngine
    engine: str
    cases: Callable[[], Sequence[tuple[str, str]]]

    def check(self) -> None:
        cases = self.cases()
        for (command, expected), actual in zip(cases, self._decide_cases(cases)["decisions"], strict=True):
            if actual != expected:
                raise WrongAnswerError(f"the Gemini engine said {actual} to `{command}`, not {expected}")

    def measure_seconds(self) -> float:
        seconds: float = self._decide_cases(self.cases())["seconds"]
        return seconds

    def _decide_cases(self, cases: Sequence[tuple[str, str]]) -> dict[str, Any]:
        commands = [command for command, _ in cases]
        return self.gemini.decide(self.engine, "run_shell_command", "command", commands)


def _install_gemini() -> None:
    manifest = INSTALL_DIRECTORY / "node_modules" / GEMINI_PACKAGE / "package.json"
    if manifest.exists() and json.loads(manifest.read_text("utf-8"))["version"] == GEMINI_VERSION:
        return
    INSTALL_DIRECTORY.mkdir(parents=True, exist_ok=True)
    (INSTALL_DIRECTORY / "package.json").write_text('{"private": true}\n', "utf-8")
    show_progress(f"installing {GEMINI_PACKAGE} {GEMINI_VERSION} (about 370 MB, once)")
    quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--no-save", "--silent"]
    omitted = ["--omit=optional", "--omit=peer"]
    command = [_find_program("npm"), "install", *quietly, *omitted, f"{GEMINI_PACKAGE}@{GEMINI_VERSION}"]
    subprocess.run(command, cwd=INSTALL_DIRECTORY, check=True, stdout=subprocess.DEVNULL)


def _find_program(name: str) -> str:
    """Find a program beside Python, where the dependency group `bench` installs it, or else in PATH."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which(name, path=os.pathsep.join([beside, os.environ.get("PATH", "")]))
    if found is None:
        raise RuntimeError(f"`{name}` was not found; ./dev bench installs it")
    return found


def _require_pipe(stream: IO[str] | None) -> IO[str]:
    if stream is None:
        raise RuntimeError("the Gemini engine was started without pipes")
    return stream
