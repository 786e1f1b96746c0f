"""What is at a path: a missing file and a cycle of links are nothing, and every other error is raised."""

import os
from pathlib import Path

import pytest

from assent.config.file_kinds import exists, is_directory, is_link, is_regular_file


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("directory", (True, True, False, False)),
        ("file", (True, False, True, False)),
        ("link", (True, False, True, True)),
        ("broken", (True, False, False, True)),
        ("cycle", (True, False, False, True)),
        ("cycle/below", (False, False, False, False)),
        ("missing", (False, False, False, False)),
        ("file/below", (False, False, False, False)),
    ],
)
def test_each_kind_is_told_apart(tmp_path: Path, name: str, kinds: tuple[bool, ...]) -> None:
    (tmp_path / "directory").mkdir()
    (tmp_path / "file").touch()
    for link, target in (("link", "file"), ("broken", "nothing"), ("cycle", "cycle")):
        (tmp_path / link).symlink_to(target)
    path = str(tmp_path / name)

    assert (exists(path), is_directory(path), is_regular_file(path), is_link(path)) == kinds


@pytest.mark.parametrize("look", [exists, is_directory, is_regular_file, is_link])
def test_another_error_is_raised(monkeypatch: pytest.MonkeyPatch, look: object) -> None:
    def fail(path: str) -> os.stat_result:
        raise PermissionError(13, "no", path)

    assert callable(look)
    monkeypatch.setattr(os, "stat", fail)
    monkeypatch.setattr(os, "lstat", fail)

    with pytest.raises(PermissionError):
        look("/a")
