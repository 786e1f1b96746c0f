"""Task files on disk, and the digests of them that a person approved."""

import hashlib
import os
from pathlib import Path

import pytest

from assent.config import task_files
from assent.config.task_files import add_pins, find_changed_tasks, load_pins
from assent.config.workspace import directories_on_disk
from assent.errors import ConfigError


def write(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def digest(text: str = "x") -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def changed_task_files(
    root: Path, *patterns: str, start: Path | None = None, pins: dict[str, str] | None = None
) -> list[str]:
    directories = directories_on_disk(str(root), [str(root)], "")
    found = find_changed_tasks(str(start or root), patterns, pins or {}, directories)
    return [line.replace(str(root), "") for line in found.splitlines()]


def test_a_file_counts_as_changed_until_its_content_is_approved(tmp_path: Path) -> None:
    path = str(write(tmp_path / "Makefile"))

    assert changed_task_files(tmp_path, "Makefile", "absent") == [f"{digest()} /Makefile"]
    assert changed_task_files(tmp_path, "Makefile", pins={path: digest()}) == []
    assert changed_task_files(tmp_path, "Makefile", pins={path: digest("y")}) == [f"{digest()} /Makefile"]


def test_files_are_searched_up_to_the_root_and_no_further(tmp_path: Path) -> None:
    root = tmp_path / "work"
    write(tmp_path / "Makefile")
    write(root / "Makefile")
    write(root / "a" / "Makefile")
    start = root / "a" / "b"
    start.mkdir()

    assert changed_task_files(root, "Makefile", start=start) == [
        f"{digest()} /a/Makefile",
        f"{digest()} /Makefile",
    ]
    assert changed_task_files(root, "Makefile", start=start / "new.py") == [
        f"{digest()} /a/Makefile",
        f"{digest()} /Makefile",
    ]
    assert changed_task_files(root, "Makefile", start=tmp_path) != []


def test_globs_find_packages_but_not_generated_directories(tmp_path: Path) -> None:
    for name in (
        "one/p.json",
        "one/two/p.json",
        "node_modules/x/p.json",
        ".git/p.json",
        "dist/p.json",
        "a.mk",
    ):
        write(tmp_path / name)
    (tmp_path / "dir.mk").mkdir()

    found = changed_task_files(tmp_path, "p.json", "*/p.json", "*/*/p.json", "*.mk", "none/*")

    assert [line.partition(" ")[2] for line in found] == ["/one/p.json", "/one/two/p.json", "/a.mk"]
    inner = changed_task_files(tmp_path, "*/p.json", start=tmp_path / "one" / "two")
    assert [line.partition(" ")[2] for line in inner] == ["/one/p.json"]


def test_a_file_that_cannot_be_read_safely_can_never_be_approved(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside")
    root = tmp_path / "work"
    root.mkdir()
    (root / "link").symlink_to(outside)
    (root / "broken").symlink_to(root / "absent")
    os.mkfifo(root / "pipe")
    write(root / "large", "x" * 1_000_001)
    (root / "linked").symlink_to(tmp_path)

    assert changed_task_files(root, "link", "pipe", "large", "broken") == [
        "- /link",
        "- /pipe",
        "- /large",
        "- /broken",
    ]
    assert changed_task_files(root, "*/outside") == []
    assert changed_task_files(root, "linked/outside") == ["- /linked/outside"]


def test_too_many_files_or_names_cannot_be_approved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        write(tmp_path / f"{number}.mk")

    monkeypatch.setattr(task_files, "MAX_TASK_FILES", 3)
    assert changed_task_files(tmp_path, "*.mk") == ["- "]
    monkeypatch.setattr(task_files, "MAX_NAMES", 3)
    assert changed_task_files(tmp_path, "*.mk") == ["- "]


def test_a_name_with_a_line_break_cannot_be_approved(tmp_path: Path) -> None:
    write(tmp_path / "a\nb.mk")

    assert changed_task_files(tmp_path, "*.mk") == ["- "]


def test_an_error_of_the_disk_approves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: str) -> None:
        raise PermissionError(13, "denied", path)

    monkeypatch.setattr(task_files.os, "scandir", fail)

    assert changed_task_files(tmp_path, "*.mk") == ["- "]


def test_approved_digests_are_added_to_those_of_other_processes(tmp_path: Path) -> None:
    path = str(tmp_path / "data" / "pins.json")

    add_pins(path, {})
    assert load_pins(path) == {}
    add_pins(path, {"/a": "1", "/b": "2"})
    add_pins(path, {"/b": "3"})

    assert load_pins(path) == {"/a": "1", "/b": "3"}
    assert os.stat(path).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"files": []}', '{"files": {"/a": 1}}'])
def test_an_invalid_file_is_an_error(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "pins.json", text)

    with pytest.raises(ConfigError, match=r"remove the file|remove it"):
        load_pins(str(path))


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "data")

    with pytest.raises(ConfigError, match="cannot be written"):
        add_pins(str(tmp_path / "data" / "pins.json"), {"/a": "1"})
