"""The state of files, read from the disk and from the index of a repository."""

import os
import subprocess
from pathlib import Path

import pytest

from assent.config.workspace import find_file_state
from assent.engine.base.facts import FileState
from tests.corpus.line_sets import make_workspace


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workspace(tmp_path_factory.mktemp("states"))


def _state(path: Path) -> FileState | None:
    return find_file_state(str(path), (os.path.realpath(path),))


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("README.md", FileState.CLEAN),
        ("src/a.py", FileState.CLEAN),
        ("src", FileState.DIRECTORY),
        ("new.txt", FileState.NEW),
        ("new/deep/x", FileState.NEW),
        ("dirty.txt", FileState.FILE),
        ("untracked.txt", FileState.FILE),
        ("hard.txt", None),
        ("linked.txt", None),
        ("linkdir", None),
    ],
)
def test_a_file_is_clean_only_as_the_index_records_it(root: Path, name: str, state: FileState | None) -> None:
    assert _state(root / name) is state


def test_a_pattern_that_matches_a_link_has_no_state(root: Path) -> None:
    clean = (os.path.realpath(root / "README.md"),)

    assert find_file_state(str(root / "README.*"), clean) is FileState.CLEAN
    assert find_file_state(str(root / "linked*"), clean) is None


def test_a_change_that_keeps_size_and_times_is_seen(tmp_path: Path) -> None:
    root = make_workspace(tmp_path)
    before = (root / "README.md").stat()
    (root / "README.md").write_text("x\ny\n", "utf-8")
    os.utime(root / "README.md", ns=(before.st_atime_ns, before.st_mtime_ns))

    assert _state(root / "README.md") is FileState.FILE


@pytest.mark.parametrize("damage", [b"", b"DIRC", b"DIRC\0\0\0\x04" + b"\0" * 40])
def test_an_index_that_cannot_be_read_records_nothing(tmp_path: Path, damage: bytes) -> None:
    root = make_workspace(tmp_path)
    (root / ".git/index").write_bytes(damage)

    assert _state(root / "README.md") is FileState.FILE


def test_a_pipe_and_an_index_that_is_a_link_have_no_clean_state(tmp_path: Path) -> None:
    root = make_workspace(tmp_path)
    os.mkfifo(root / "pipe")
    (root / ".git/index").rename(root / ".git/other")
    (root / ".git/index").symlink_to("other")

    assert _state(root / "pipe") is None
    assert _state(root / "README.md") is None


def test_a_work_tree_beside_its_repository_is_read_through_its_link(tmp_path: Path) -> None:
    root = make_workspace(tmp_path)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "worktree", "add", "-q", "../second", "-b", "second"]
    subprocess.run(command, cwd=root, env=environment, check=True)

    assert _state(tmp_path / "second/README.md") is FileState.CLEAN


def test_a_file_outside_of_a_repository_is_never_clean(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a", "utf-8")

    assert _state(tmp_path / "a") is FileState.FILE


def test_a_glob_is_clean_only_if_every_match_is(root: Path) -> None:
    def state_of(pattern: str, *names: str) -> FileState | None:
        return find_file_state(str(root / pattern), tuple(str(root / name) for name in names))

    assert state_of("*.md", "README.md", "src/a.py") is FileState.CLEAN
    assert state_of("*.txt", "README.md", "dirty.txt") is None
    assert state_of("*.none", "*.none") is None
