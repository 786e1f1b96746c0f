"""Worktrees in a real repository: one for each agent; a merge happens whole or not at all, without hooks."""

import subprocess
from pathlib import Path

import pytest

from assent.errors import AssentError
from assent.hosts.claude.worktrees import Worktrees


def run_git(directory: Path, *words: str) -> str:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    run = subprocess.run(["git", *names, *words], cwd=directory, capture_output=True, text=True, check=True)
    return run.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    run_git(root, "init", "-q", "-b", "main")
    run_git(root, "config", "user.name", "a")
    run_git(root, "config", "user.email", "a@example.com")
    (root / "a.txt").write_text("one\n")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "first")
    return root


def commit_file(directory: Path, name: str, text: str) -> None:
    (directory / name).write_text(text)
    run_git(directory, "add", "-A")
    run_git(directory, "commit", "-qm", f"change {name}")


def write_hooks(root: Path) -> None:
    for name in (
        "pre-commit",
        "pre-merge-commit",
        "commit-msg",
        "post-merge",
        "post-checkout",
        "prepare-commit-msg",
    ):
        hook = root / ".git" / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {root}/hook-ran\nexit 1\n")
        hook.chmod(0o755)


def test_each_agent_gets_a_worktree_and_finds_it_again(repository: Path) -> None:
    worktrees = Worktrees(str(repository))

    path, branch = worktrees.add("qa")

    assert (path, branch) == (str(repository / ".worktrees" / "qa"), "agent/qa")
    assert worktrees.add("qa") == (path, branch)
    assert run_git(Path(path), "symbolic-ref", "--short", "HEAD") == "agent/qa"
    assert run_git(repository, "status", "--short") == ""


def test_the_work_of_an_agent_is_merged_without_hooks_of_the_repository(repository: Path) -> None:
    worktrees = Worktrees(str(repository))
    path, _ = worktrees.add("qa")
    commit_file(Path(path), "b.txt", "two\n")
    write_hooks(repository)

    new = worktrees.merge("qa", "main", "Merge qa")

    assert (repository / "b.txt").read_text() == "two\n"
    assert run_git(repository, "log", "-1", "--format=%H %s") == f"{new} Merge qa"
    assert not (repository / "hook-ran").exists()


def test_a_conflict_changes_nothing(repository: Path) -> None:
    worktrees = Worktrees(str(repository))
    path, _ = worktrees.add("qa")
    commit_file(Path(path), "a.txt", "theirs\n")
    commit_file(repository, "a.txt", "ours\n")
    before = run_git(repository, "rev-parse", "HEAD")

    with pytest.raises(AssentError, match=r"`agent/qa` conflicts with `main` \(a\.txt\); nothing was merged"):
        worktrees.merge("qa", "main", "Merge qa")

    assert run_git(repository, "rev-parse", "HEAD") == before
    assert (repository / "a.txt").read_text() == "ours\n"
    assert run_git(repository, "status", "--short") == ""


@pytest.mark.parametrize(
    ("target", "reason"), [("other", "`main` is checked out, not `other`"), ("main", "not committed")]
)
def test_a_merge_needs_the_target_checked_out_without_changes(
    repository: Path, target: str, reason: str
) -> None:
    worktrees = Worktrees(str(repository))
    worktrees.add("qa")
    if target == "main":
        (repository / "a.txt").write_text("changed\n")

    with pytest.raises(AssentError, match=reason):
        worktrees.merge("qa", target, "Merge qa")


def test_a_worktree_with_changes_is_not_removed(repository: Path) -> None:
    worktrees = Worktrees(str(repository))
    path, _ = worktrees.add("qa")
    (Path(path) / "a.txt").write_text("unsaved\n")

    assert worktrees.remove("qa") is False
    run_git(Path(path), "checkout", "-q", "a.txt")
    assert worktrees.remove("qa") is True
    assert worktrees.remove("qa") is True
    assert run_git(repository, "branch", "--list", "agent/qa") != ""


def test_what_is_no_repository_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AssentError, match="git rev-parse failed"):
        Worktrees(str(tmp_path))


def test_a_repository_without_a_commit_is_an_error(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")

    with pytest.raises(AssentError, match="has no commit; worktrees need one"):
        Worktrees(str(tmp_path))


def test_a_directory_that_is_no_worktree_is_an_error(repository: Path) -> None:
    (repository / ".worktrees" / "qa").mkdir(parents=True)

    with pytest.raises(AssentError, match="is no worktree"):
        Worktrees(str(repository)).add("qa")
