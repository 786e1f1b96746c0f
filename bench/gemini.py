"""The Gemini CLI's policy engine: installed on first use, and called over a pipe."""

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

VERSION = "0.61.0"
PACKAGE = "@google/gemini-cli-core"
HOME = Path(__file__).resolve().parents[1] / ".cache" / "bench"
DRIVER = Path(__file__).with_suffix(".mjs")

Rule = dict[str, object]


def shell_rule(prefix: str, decision: str) -> Rule:
    """A rule for commands that begin with some words, as the engine's own loader creates it."""
    pattern = re.escape(f'"command":{json.dumps(prefix)[:-1]}') + r'(?:[\s"]|\\")'
    return {"toolName": "run_shell_command", "argsPattern": pattern, "decision": decision, "priority": 2.1}


def file_rule(path: str, decision: str) -> Rule:
    """A rule for writing one file."""
    pattern = re.escape(f'"file_path":{json.dumps(path)}')
    return {"toolName": "write_file", "argsPattern": pattern, "decision": decision, "priority": 2.1}


class Gemini:
    """A process that holds policies by name and times decisions itself, excluding the pipe."""

    def __init__(self) -> None:
        _install()
        driver = shutil.copy(DRIVER, HOME)  # node searches packages from the directory of the module
        self._process = subprocess.Popen(
            [_program("node"), driver], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def load(self, name: str, rules: Iterable[Rule]) -> None:
        """Compile a policy once."""
        self._ask({"load": {name: list(rules)}})

    def decide(self, engine: str, tool: str, argument: str, values: Sequence[str]) -> dict[str, Any]:
        """The decisions on many calls and the seconds per call."""
        return self._ask({"engine": engine, "tool": tool, "argument": argument, "values": values})

    def close(self) -> None:
        _pipe(self._process.stdin).close()
        self._process.wait()

    def _ask(self, request: dict[str, object]) -> dict[str, Any]:
        stdin = _pipe(self._process.stdin)
        stdin.write(json.dumps(request) + "\n")
        stdin.flush()
        reply = _pipe(self._process.stdout).readline()
        if not reply:
            raise RuntimeError("the Gemini engine ended (its own message is above)")
        answer: dict[str, Any] = json.loads(reply)
        return answer


@dataclass(frozen=True, slots=True)
class GeminiRacer:
    """One policy of a running Gemini engine, with its test cases."""

    gemini: Gemini
    engine: str
    cases: Callable[[], Sequence[tuple[str, str]]]

    def check(self) -> None:
        cases = self.cases()
        for (command, expected), actual in zip(cases, self._round(cases)["decisions"], strict=True):
            if actual != expected:
                raise WrongAnswerError(f"the Gemini engine said {actual} to `{command}`, not {expected}")

    def seconds(self) -> float:
        seconds: float = self._round(self.cases())["seconds"]
        return seconds

    def _round(self, cases: Sequence[tuple[str, str]]) -> dict[str, Any]:
        commands = [command for command, _ in cases]
        return self.gemini.decide(self.engine, "run_shell_command", "command", commands)


def _install() -> None:
    manifest = HOME / "node_modules" / PACKAGE / "package.json"
    if manifest.exists() and json.loads(manifest.read_text("utf-8"))["version"] == VERSION:
        return
    HOME.mkdir(parents=True, exist_ok=True)
    (HOME / "package.json").write_text('{"private": true}\n', "utf-8")
    show_progress(f"installing {PACKAGE} {VERSION} (about 370 MB, once)")
    quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--no-save", "--silent"]
    omitted = ["--omit=optional", "--omit=peer"]
    command = [_program("npm"), "install", *quietly, *omitted, f"{PACKAGE}@{VERSION}"]
    subprocess.run(command, cwd=HOME, check=True, stdout=subprocess.DEVNULL)


def _program(name: str) -> str:
    """The program from the bench dependency group, or else from the system."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which(name, path=os.pathsep.join([beside, os.environ.get("PATH", "")]))
    if found is None:
        raise RuntimeError(f"`{name}` was not found; ./dev bench installs it")
    return found


def _pipe(stream: IO[str] | None) -> IO[str]:
    if stream is None:
        raise RuntimeError("the Gemini engine was started without pipes")
    return stream
