"""The first two changes of the guide work: they are made in a copy of the source, as the guide shows."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts.examples import (
    FencedBlock,
    clean_environment,
    matches_output,
    read_blocks,
    read_commands,
)
from tests.contracts.tree import ROOT

GUIDE_PAGE = ROOT / "docs" / "guides" / "change-assent.md"
CHANGE_TITLES = [
    "A read-only program",
    "A wrapper",
    "A delivery",
    "A column of the audit",
    "A route with a page",
    "A shell dialect",
]
FIRST_LINE_OF_ENTRIES = "\nPROGRAMS = (\n"


def test_the_guide_has_the_six_changes() -> None:
    assert re.findall(r"^## (.+)$", GUIDE_PAGE.read_text("utf-8"), re.MULTILINE) == CHANGE_TITLES


@pytest.fixture(scope="module")
def source_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source tree and of the tools behind `./dev`."""
    copy = tmp_path_factory.mktemp("tree")
    for folder in ("src", "tools"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "static"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


@pytest.mark.parametrize("number", [0, 1], ids=CHANGE_TITLES[:2])
def test_a_new_entry_is_enough_to_add_a_program(source_copy: Path, tmp_path: Path, number: int) -> None:
    entry = [block for block in read_blocks(GUIDE_PAGE) if block.language == "diff"][number]
    session = [block for block in read_blocks(GUIDE_PAGE) if block.language == "shell-session"][number]
    before = _command_outputs(session, source_copy, tmp_path)
    file = source_copy / entry.file
    text = file.read_text("utf-8")
    assert text.count(FIRST_LINE_OF_ENTRIES) == 1
    file.write_text(text.replace(FIRST_LINE_OF_ENTRIES, FIRST_LINE_OF_ENTRIES + _added_lines(entry)), "utf-8")
    _run_python(source_copy, source_copy, "-m", "tools.programs")
    after = _command_outputs(session, source_copy, tmp_path)

    assert [
        (one.line, lines)
        for one, lines in zip(read_commands(session), after, strict=True)
        if not matches_output(one.expected, lines)
    ] == []
    assert before[0] != after[0]


def _added_lines(diff: FencedBlock) -> str:
    """The lines that a diff of the guide adds."""
    context, *added = diff.body.splitlines(keepends=True)
    assert context.strip() == FIRST_LINE_OF_ENTRIES.strip()
    assert all(line.startswith("+") for line in added)
    return "".join(line[1:] for line in added)


def _command_outputs(session: FencedBlock, source_copy: Path, directory: Path) -> list[list[str]]:
    """Run the commands of the guide with the changed copy, and return their output."""
    program = "import assent, sys; assert assent.__file__.startswith(sys.argv.pop(1)); from assent.cli import main; main()"
    return [
        _run_python(
            source_copy, directory, "-c", program, str(source_copy), *shlex.split(one.line)[1:]
        ).splitlines()
        for one in read_commands(session)
    ]


def _run_python(source_copy: Path, directory: Path, *arguments: str) -> str:
    paths = os.pathsep.join((str(source_copy / "src"), str(source_copy)))
    run = subprocess.run(
        [sys.executable, *arguments],
        cwd=directory,
        env={**clean_environment(directory), "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not run.stderr, run.stderr
    return run.stdout
