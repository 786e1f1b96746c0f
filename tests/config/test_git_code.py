"""The repository that a search reads is the one that Git uses, and every fault finds something."""

import itertools
import os
import subprocess
from pathlib import Path

import pytest

from assent.config.git_code import find_git_code, find_submodules
from assent.config.repository import find_repository, iterate_repositories
from assent.config.small_files import UnsafeFileError

HEADS = (None, "ref: refs/heads/main\n", "nothing\n", "1" * 40 + "\n")
SHAPES = tuple(
    itertools.product((".git", ""), HEADS, (False, True), (False, True), (None, "common", "../common", "."))
)


def git_directory_of_git(start: Path) -> str | None:
    """The repository that Git itself uses in a directory."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(start), "GIT_CONFIG_NOSYSTEM": "1"}
    run = subprocess.run(
        ["git", "rev-parse", "--absolute-git-dir"],
        cwd=start,
        env=environment,
        capture_output=True,
        check=False,
    )
    return os.path.realpath(run.stdout.decode().strip()) if run.returncode == 0 else None


@pytest.mark.proves("T-32")
@pytest.mark.parametrize("place", [".git", ""], ids=["in .git", "bare"])
def test_every_repository_that_git_finds_is_searched(tmp_path: Path, place: str) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    wrong: list[object] = []
    for number, shape in enumerate(shape for shape in SHAPES if shape[0] == place):
        _, head, objects, refs, common = shape
        start = tmp_path / str(number)
        own = start / place
        own.mkdir(parents=True)
        if head is not None:
            (own / "HEAD").write_text(head)
        for name in [name for name, given in (("objects", objects), ("refs", refs)) if given]:
            (own / name).mkdir()
        if common is not None:
            (own / "commondir").write_text(common + "\n")
            for name in ("objects", "refs"):
                (own / common / name).mkdir(parents=True, exist_ok=True)
        theirs = git_directory_of_git(start)
        ours = [found.directory for found, _ in iterate_repositories(str(start))]
        if theirs is not None and theirs not in ours:
            wrong.append((shape, theirs, ours))

    assert wrong == []


def test_a_damaged_repository_does_not_hide_the_one_above(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "sub" / ".git").mkdir(parents=True)

    assert [certain for _, certain in iterate_repositories(str(tmp_path / "sub"))] == [False, True]
    found = find_repository(str(tmp_path / "sub"))
    assert found is not None
    assert found.worktree == str(tmp_path)


@pytest.mark.parametrize("value", ["true", "Yes", "on", "1", "false", "no", "0", ""])
def test_a_boolean_monitor_names_nothing(tmp_path: Path, value: str) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".git" / "config").write_text(f"[core]\n\tfsmonitor = {value}\n")

    assert find_git_code(str(tmp_path), "fsmonitor") is None


def test_an_unreadable_directory_finds_something(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: str) -> os.stat_result:
        raise PermissionError(path)

    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.setattr(os, "stat", fail)

    found = find_git_code(str(tmp_path), "fsmonitor")

    assert found is not None
    assert "cannot be read" in found.what


def test_a_command_about_the_whole_work_tree_starts_at_its_top(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "src").mkdir()

    assert find_git_code(str(tmp_path), "fsmonitor toplevel") is None
    found = find_git_code(str(tmp_path / "src"), "fsmonitor toplevel")
    assert found is not None
    assert found.file == str(tmp_path)


COMMIT = "1" * 40


def run_git(directory: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=directory, check=True, capture_output=True)


def make_index(directory: Path, version: str, *paths: str) -> Path:
    run_git(directory, "init", "-q")
    (directory / "a.txt").write_text("a")
    (directory / "src").mkdir()
    (directory / "src" / "abc.txt").write_text("a" * 0xE000)
    run_git(directory, "add", ".")
    for path in paths:
        run_git(directory, "update-index", "--add", "--cacheinfo", f"160000,{COMMIT},{path}")
    run_git(directory, "update-index", "--index-version", version)
    return directory / ".git" / "index"


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("paths", [(), ("lib",), ("src/abcd", "src/abd", "vendor/a b", "z")])
def test_the_submodules_of_an_index_are_listed(tmp_path: Path, version: str, paths: tuple[str, ...]) -> None:
    assert find_submodules(str(make_index(tmp_path, version, *paths))) == paths


def test_an_old_index_is_read_once_and_again_after_a_change(tmp_path: Path) -> None:
    index = make_index(tmp_path, "2", "lib")
    subprocess.run(["touch", "-d", "2020-01-01", str(index)], check=True)

    assert find_submodules(str(index)) == find_submodules(str(index)) == ("lib",)
    run_git(tmp_path, "update-index", "--force-remove", "lib")
    assert find_submodules(str(index)) == ()


def test_a_missing_index_has_no_submodules(tmp_path: Path) -> None:
    assert find_submodules(str(tmp_path / "index")) == ()


@pytest.mark.parametrize(
    "content",
    [b"", b"DIRC", b"none\0\0\0\2\0\0\0\0", b"DIRC\0\0\0\x09\0\0\0\0", b"DIRC\0\0\0\2\0\0\0\1\0\0\xe0\0"],
)
def test_an_index_that_cannot_be_read_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "index").write_bytes(content)

    with pytest.raises(UnsafeFileError):
        find_submodules(str(tmp_path / "index"))


def test_an_index_that_names_another_file_is_an_error(tmp_path: Path) -> None:
    index = make_index(tmp_path, "2", "lib")
    run_git(tmp_path, "update-index", "--split-index")

    with pytest.raises(UnsafeFileError):
        find_submodules(str(index))


def test_an_index_that_is_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnsafeFileError):
        find_submodules(str(tmp_path))


@pytest.mark.supports("T-32")
def test_a_repository_that_moves_its_work_tree_is_found(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    config = tmp_path / ".git" / "config"
    plain = config.read_text("utf-8")

    config.write_text(f"{plain}\tworktree = ..\n", "utf-8")
    assert find_git_code(str(tmp_path), "fsmonitor") is None
    config.write_text(f"{plain}\tworktree = /\n", "utf-8")
    found = find_git_code(str(tmp_path), "fsmonitor")
    assert found is not None
    assert "core.worktree" in found.what


def test_a_repository_among_the_files_of_a_project_is_not_plain(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "sub")], check=True)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    assert find_git_code(str(tmp_path / "sub"), "plain") is not None
    assert find_git_code(str(tmp_path), "plain") is None
