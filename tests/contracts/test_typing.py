"""Type checkers accept every documented example, and find wrong arguments of guarded functions."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts.examples import read_blocks
from tests.contracts.test_docs import PAGES_WITH_PYTHON
from tests.contracts.tree import ROOT, relative_name

VALID_PROGRAM = '''
from typing_extensions import assert_type

import assent


async def main() -> None:
    async with assent.open(":memory:") as gate:

        @gate.guard(effect="read")
        def count(word: str) -> int:
            """Count letters."""
            return len(word)

        @gate.guard(effect="write")
        async def send(to: str, copies: int = 1) -> bool:
            """Send a mail."""
            return bool(to) and copies > 0

        assert_type(await count("heron"), int)
        assert_type(await send("ana", copies=2), bool)
'''
INVALID_PROGRAM = VALID_PROGRAM.replace('count("heron")', "count(7)").replace("copies=2", "colour=2")
INVALID_LINES = {
    number
    for number, line in enumerate(INVALID_PROGRAM.splitlines(), start=1)
    if "(7)" in line or "colour" in line
}
CHECKERS = {
    # The settings of the project, so that the cache of `./dev lint` is reused.
    "mypy": ["mypy", "--no-error-summary", "--config-file", str(ROOT / "pyproject.toml")],
    "pyright": ["pyright", "--pythonpath", sys.executable],
}


@pytest.mark.parametrize("checker", CHECKERS)
def test_every_example_passes_strict_type_checks_and_wrong_arguments_do_not(
    checker: str, tmp_path: Path
) -> None:
    for page in PAGES_WITH_PYTHON:
        programs = [block.body for block in read_blocks(page) if block.language == "python"]
        for number, program in enumerate(programs, start=1):
            stem = re.sub(r"\W", "_", f"{relative_name(page)}_{number}")
            (tmp_path / f"{stem}.py").write_text(program, "utf-8")
    (tmp_path / "guarded.py").write_text(VALID_PROGRAM, "utf-8")
    (tmp_path / "wrong.py").write_text(INVALID_PROGRAM, "utf-8")

    found = find_type_errors(checker, tmp_path)

    assert [line for line in found if "wrong.py" not in line] == []
    assert {int(line.split(":")[1]) for line in found} == INVALID_LINES
    assert any("colour" in line for line in found)


def find_type_errors(checker: str, directory: Path) -> list[str]:
    """Run a type checker on the files of a directory, and return its errors."""
    (directory / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}', "utf-8")
    program, *options = CHECKERS[checker]
    command = [Path(sys.executable).with_name(program), *options, *sorted(directory.glob("*.py"))]
    if checker == "pyright":
        command = [Path(sys.executable).with_name(program), *options, "--project", directory]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 1, run.stdout + run.stderr
    return [line.strip() for line in run.stdout.splitlines() if " error: " in line]
