"""A file has its name only once it is whole."""

import os
import resource
import stat
from pathlib import Path

import pytest

from assent.errors import StoreError
from assent.stores.sqlite.file import atomic_file


def test_a_file_that_was_finished_has_its_name_and_is_its_owners_alone(tmp_path: Path) -> None:
    target = tmp_path / "copy"

    with atomic_file(str(target), "write") as unfinished:
        Path(unfinished).write_text("whole")
        assert not target.exists()

    assert target.read_text() == "whole"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["copy"]


def test_one_that_was_not_finished_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(LookupError), atomic_file(str(tmp_path / "copy"), "write") as unfinished:
        Path(unfinished).write_bytes(b"half"[9:] or {}["rest"])

    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir, lambda path: path.symlink_to("nowhere")])
def test_what_is_there_is_not_written_over(tmp_path: Path, make: object) -> None:
    target = tmp_path / "copy"
    make(target)  # type: ignore[operator]

    with (
        pytest.raises(StoreError, match=f"cannot write {target}: it exists already; name a new file"),
        atomic_file(str(target), "write"),
    ):
        pass


def test_what_an_earlier_attempt_left_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / "copy.unfinished").write_text("half")

    with atomic_file(str(tmp_path / "copy"), "write") as unfinished:
        assert Path(unfinished).read_text() == ""


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(
            StoreError, match=r"no such file or directory; its directory must exist and be writable"
        ),
        atomic_file(str(tmp_path / "nowhere" / "copy"), "write"),
    ):
        pass


def test_a_disk_that_has_no_room_is_told_with_what_was_to_be_written(tmp_path: Path) -> None:
    target = tmp_path / "copy"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def written() -> None:
        with atomic_file(str(target), "export to") as unfinished:
            Path(unfinished).write_text("x" * 5000)

    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(StoreError) as raised:
            written()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert str(raised.value) == f"cannot export to {target}: file too large"
    assert os.listdir(tmp_path) == []
