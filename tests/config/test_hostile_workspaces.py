"""Workspaces laid out on disk: what names code or leads out asks, and clean ones run."""

import os
import struct
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from assent.config.check_records import decide_record

FOLDER = Path(__file__).parent.parent / "corpus" / "workspaces"
SETS = ("git", "programs", "trees", "second")
CASES = [
    pytest.param(case, id=f"{name}: {case['name']}")
    for name in SETS
    for case in tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))["workspace"]
]
MINIMUM = 150


@pytest.mark.proves("T-32")
@pytest.mark.parametrize("case", CASES)
def test_a_reader_asks_exactly_in_a_workspace_that_names_code(
    tmp_path: Path, case: Mapping[str, object]
) -> None:
    root = tmp_path / "work"
    make_workspace(root, case)

    wrong = [
        f"{wanted}: {command}: {found['because']}"
        for wanted in ("ask", "run")
        for command in texts(case, wanted)
        if (found := decide(root, command))["verdict"] != wanted
    ]

    assert wrong == []


def test_there_are_enough_hostile_and_clean_readers() -> None:
    cases = [cast("Mapping[str, object]", case.values[0]) for case in CASES]

    assert sum(len(texts(case, "ask")) for case in cases) >= MINIMUM
    assert sum(len(texts(case, "run")) for case in cases) >= MINIMUM


def decide(root: Path, command: str) -> Mapping[str, object]:
    """The decision of `assent check` in a workspace; the command is not executed."""
    record = {
        "tool": "terminal.exec",
        "dialect": "shell",
        "effect": "execute",
        "specifier": command,
        "workspace": str(root),
    }
    return decide_record(record)


def texts(case: Mapping[str, object], name: str) -> list[str]:
    """A list of texts of a case; empty if it is not given."""
    return cast("list[str]", case.get(name, []))


def make_workspace(root: Path, case: Mapping[str, object]) -> None:
    """Write the repositories, files, links and pipes of a case below a directory."""
    root.mkdir()
    for place in texts(case, "repository"):
        make_repository(root / place)
    files = cast("Mapping[str, str]", case.get("files", {}))
    for name, text in files.items():
        write(root / name, text)
    for name, target in cast("Mapping[str, str]", case.get("links", {})).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).unlink(missing_ok=True)
        (root / name).symlink_to(target)
    for name in texts(case, "large"):
        write(root / name, "# x\n" * 300_000)
    for name in texts(case, "pipes"):
        (root / name).unlink(missing_ok=True)
        os.mkfifo(root / name)
    for name in texts(case, "executable"):
        (root / name).chmod(0o755)
    nested = cast("Mapping[str, list[str]]", case.get("nested_gitlinks", {}))
    for place, paths in {".": texts(case, "gitlinks"), **nested}.items():
        if paths:
            write_index(root / place / ".git" / "index", dict.fromkeys(paths, 57344))
    if texts(case, "tracked"):
        write_index(root / ".git" / "index", dict.fromkeys(texts(case, "tracked"), 0o100644))


def make_repository(place: Path) -> None:
    """Write an empty repository as `git init` does."""
    for name in ("objects", "refs/heads", "hooks", "info"):
        (place / ".git" / name).mkdir(parents=True, exist_ok=True)
    write(place / ".git" / "HEAD", "ref: refs/heads/main\n")
    write(place / ".git" / "config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def write_index(path: Path, modes: Mapping[str, int]) -> None:
    """Write an index with these entries."""
    entries = b""
    for name, mode in sorted(modes.items()):
        entry = (
            struct.pack(">10I20sH", 0, 0, 0, 0, 0, 0, mode, 0, 0, 0, b"\1" * 20, len(name)) + name.encode()
        )
        entries += entry + b"\0" * (8 - len(entry) % 8)
    path.write_bytes(struct.pack(">4sII", b"DIRC", 2, len(modes)) + entries + b"\0" * 20)
