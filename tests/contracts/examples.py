"""Reads and runs the examples of a Markdown page: commands with output, Python programs, and files."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_FENCED_BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_ANY_LINES = "..."


@dataclass(frozen=True, slots=True)
class FencedBlock:
    """A fenced block of a page: its language, an optional file name, and its text."""

    language: str
    file: str
    body: str


@dataclass(slots=True)
class ConsoleCommand:
    """A line that starts with `$ `, and the output that the page shows for it."""

    line: str
    expected: list[str] = field(default_factory=list[str])


def read_blocks(page: Path) -> list[FencedBlock]:
    """Read all fenced blocks of a page, in order."""
    found = [
        (match["info"].split(), match["body"]) for match in _FENCED_BLOCK.finditer(page.read_text("utf-8"))
    ]
    return [FencedBlock((info or [""])[0], info[1] if len(info) > 1 else "", body) for info, body in found]


def read_commands(block: FencedBlock) -> list[ConsoleCommand]:
    """Read the commands of a console block with their expected output."""
    found: list[ConsoleCommand] = []
    for line in block.body.splitlines():
        if line.startswith("$ "):
            found.append(ConsoleCommand(line[2:]))
        elif found:
            found[-1].expected.append(line.rstrip())
    return found


def run_console_blocks(page: Path, directory: Path) -> Iterator[str]:
    """Run the `assent` commands of a page in a directory, and yield each difference from the shown output.

    A block with a file name is written to that file first. `echo $?` shows the last exit status.
    Commands of other programs are not run.
    """
    status = 0
    for block in read_blocks(page):
        if block.file:
            (directory / block.file).parent.mkdir(parents=True, exist_ok=True)
            (directory / block.file).write_text(block.body, "utf-8")
        for command in read_commands(block) if block.language == "console" else ():
            if command.line == "echo $?":
                actual = [str(status)]
            elif command.line.startswith("assent "):
                status, actual = _run_command_line(command.line, directory)
            else:
                continue
            if not matches_output(command.expected, actual):
                yield f"$ {command.line}\n" + "\n".join(actual)


def matches_output(expected: list[str], actual: list[str]) -> bool:
    """Whether the output equals what the page shows; a line of three dots matches any lines."""
    if not expected:
        return not actual
    if expected[0] == _ANY_LINES:
        return any(matches_output(expected[1:], actual[start:]) for start in range(len(actual) + 1))
    return bool(actual) and expected[0] == actual[0] and matches_output(expected[1:], actual[1:])


def run_python_blocks(page: Path, directory: Path) -> Iterator[str]:
    """Run each Python block of a page as a separate program, and yield the errors.

    A block with a file name is skipped: its program waits for a person, so it has separate tests.
    """
    for block in read_blocks(page):
        if block.language == "python" and not block.file:
            command = [sys.executable, "-c", block.body]
            run = subprocess.run(
                command,
                cwd=directory,
                env=clean_environment(directory),
                capture_output=True,
                check=False,
                timeout=300,
            )
            if run.returncode:
                yield run.stderr.decode()


def _run_command_line(line: str, directory: Path) -> tuple[int, list[str]]:
    program = Path(sys.executable).with_name("assent")
    run = subprocess.run(
        [program, *shlex.split(line, comments=True)[1:]],
        cwd=directory,
        env=clean_environment(directory),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return run.returncode, [text.rstrip() for text in run.stdout.decode().rstrip("\n").splitlines()]


def clean_environment(directory: Path) -> dict[str, str]:
    home = directory / ".home"
    home.mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSENT_", "XDG_"))}
    return {**kept, "HOME": str(home), "NO_COLOR": "1", "COLUMNS": "100", "PYTHONWARNINGS": "error"}
