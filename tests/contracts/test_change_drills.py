"""The guide to changes is true: its first two changes are made in a copy of the tree, as the guide shows them."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts.examples import Block, blocks, commands, environment, matches_output
from tests.contracts.tree import ROOT

GUIDE = ROOT / "docs" / "guides" / "change-assent.md"
TITLES = [
    "A read-only program",
    "A wrapper",
    "A delivery",
    "A column of the audit",
    "A route with a page",
    "A shell dialect",
]
START = "\nPROGRAMS = (\n"


def test_the_guide_has_the_six_changes() -> None:
    assert re.findall(r"^## (.+)$", GUIDE.read_text("utf-8"), re.MULTILINE) == TITLES


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source tree and the tools of `./dev`."""
    copy = tmp_path_factory.mktemp("tree")
    for folder in ("src", "tools"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "static"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


@pytest.mark.parametrize("number", [0, 1], ids=TITLES[:2])
def test_a_new_entry_is_enough_to_teach_a_program(tree: Path, tmp_path: Path, number: int) -> None:
    entry = [block for block in blocks(GUIDE) if block.language == "diff"][number]
    session = [block for block in blocks(GUIDE) if block.language == "shell-session"][number]
    before = _outputs(session, tree, tmp_path)
    file = tree / entry.file
    text = file.read_text("utf-8")
    assert text.count(START) == 1
    file.write_text(text.replace(START, START + _added(entry)), "utf-8")
    _python(tree, tree, "-m", "tools.programs")
    after = _outputs(session, tree, tmp_path)

    assert [
        (one.line, lines)
        for one, lines in zip(commands(session), after, strict=True)
        if not matches_output(one.expected, lines)
    ] == []
    assert before[0] != after[0]


def _added(diff: Block) -> str:
    """The lines that a diff adds below the first line of the entries."""
    context, *added = diff.body.splitlines(keepends=True)
    assert context.strip() == START.strip()
    assert all(line.startswith("+") for line in added)
    return "".join(line[1:] for line in added)


def _outputs(session: Block, tree: Path, directory: Path) -> list[list[str]]:
    """What the commands of the guide print with the code of the copy."""
    program = "import assent, sys; assert assent.__file__.startswith(sys.argv.pop(1)); from assent.cli import main; main()"
    return [
        _python(tree, directory, "-c", program, str(tree), *shlex.split(one.line)[1:]).splitlines()
        for one in commands(session)
    ]


def _python(tree: Path, directory: Path, *arguments: str) -> str:
    paths = os.pathsep.join((str(tree / "src"), str(tree)))
    run = subprocess.run(
        [sys.executable, *arguments],
        cwd=directory,
        env={**environment(directory), "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not run.stderr, run.stderr
    return run.stdout
