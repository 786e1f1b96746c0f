"""A walk finds what leads out of a tree, and reads each directory again that changed."""

import os
from pathlib import Path

import pytest

from assent.config import tree_walk
from assent.config.tree_walk import TreeSearch, find_in_tree
from assent.config.workspace import directories_on_disk


def walk(root: Path, settings: str) -> str:
    """What a walk of a tree finds, relative to its root."""
    found = find_in_tree(
        str(root), TreeSearch.from_text(settings), directories_on_disk(str(root), [str(root)], "")
    )
    return found.removeprefix(f"{root}/")


def make_old(root: Path) -> None:
    """Set the times of all directories to the past, so that they are cached."""
    for path in (root, *root.rglob("*")):
        if path.is_dir():
            os.utime(path, (1, 1))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    (path / "src" / "deep").mkdir(parents=True)
    (path / "src" / "deep" / "a.txt").write_text("a")
    return path


def test_a_plain_tree_has_nothing(root: Path) -> None:
    assert walk(root, "links names secrets") == ""


@pytest.mark.parametrize("target", ["/etc", "../..", "missing", "out", "../../.env"])
def test_a_link_that_leads_out_or_nowhere_is_found(root: Path, target: str) -> None:
    (root / ".env").write_text("")
    (root / "src" / "deep" / "out").symlink_to(target if target != "../.." else "../../..")

    assert walk(root, "links") == "src/deep/out"
    assert walk(root, "names") == ""


@pytest.mark.parametrize(("pattern", "found"), [("*.go", ""), ("O*", "src/deep/out"), ("*", "src/deep/out")])
def test_a_link_with_another_name_than_the_listed_ones_is_not_listed(
    root: Path, pattern: str, found: str
) -> None:
    (root / "src" / "deep" / "out").symlink_to("/etc")

    assert walk(root, f"links names include={pattern}") == found


def test_a_link_inside_is_followed(root: Path) -> None:
    (root / "other").mkdir()
    (root / "other" / "up").symlink_to("/etc")
    (root / "src" / "link").symlink_to("../other")

    assert walk(root / "src", "secrets") == ""
    found = find_in_tree(
        str(root / "src"), TreeSearch(links=True), directories_on_disk(str(root), [str(root)], "")
    )
    assert found == str(root / "other" / "up")


@pytest.mark.parametrize("name", ["-rf", "a ", "a -b", "a /", "it's", 'a"', "a\\b", "a\nb", "a ~"])
def test_a_name_that_is_not_plain_is_found(root: Path, name: str) -> None:
    name = name.replace("/", "..")
    (root / "src" / name).write_text("")

    assert walk(root, "names") == f"src/{name}"


def test_a_secret_is_found_where_the_walk_goes(root: Path) -> None:
    (root / "src" / ".env").write_text("")
    (root / ".hidden").mkdir()
    (root / ".hidden" / "a.pem").write_text("")

    assert walk(root, "secrets") in ("src/.env", ".hidden/a.pem")
    assert walk(root, "secrets visible") == ""
    assert walk(root, "secrets flat") == ""
    assert walk(root, "secrets include=*.txt") == ""
    assert walk(root, "secrets exclude=.env* exclude=*.pem") == ""


def test_a_changed_directory_is_read_again(root: Path) -> None:
    make_old(root)
    assert walk(root, "secrets") == walk(root, "secrets") == ""

    (root / "src" / "deep" / ".env").write_text("")

    assert walk(root, "secrets") == "src/deep/.env"


def test_a_tree_that_is_too_large_is_found(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_walk, "MAX_NAMES", 1)

    assert "too large" in walk(root, "links")


def test_the_cache_is_limited(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_old(root)
    monkeypatch.setattr(tree_walk, "MAX_CACHED_DIRECTORIES", 1)

    assert walk(root, "links") == walk(root, "links") == ""


def test_another_device_is_outside(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.stat(root).st_dev

    class Status:
        st_dev = real + 1

    monkeypatch.setattr(tree_walk.os, "stat", lambda path: Status())

    assert walk(root, "links") == str(root)
