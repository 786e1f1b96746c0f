"""Small files are read completely, and never through a link that leads out."""

import os
from pathlib import Path

import pytest

from assent.config.small_files import MAX_FILE_BYTES, UnsafeFileError, read_small_file


def test_a_file_and_a_link_inside_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    (tmp_path / "link").symlink_to("a")

    assert read_small_file(str(tmp_path / "a"), [str(tmp_path)]) == b"text"
    assert read_small_file(str(tmp_path / "link"), [str(tmp_path)]) == b"text"


def test_a_missing_file_has_no_content(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    assert read_small_file(str(tmp_path / "a"), [str(tmp_path)]) is None
    assert read_small_file(str(tmp_path / "file" / "a"), [str(tmp_path)]) is None


@pytest.mark.parametrize("kind", ["out", "missing out", "cycle", "pipe", "directory", "large"])
def test_what_cannot_be_read_safely_is_an_error(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "work"
    place.mkdir()
    (tmp_path / "secret").write_bytes(b"secret")
    path = place / "a"
    match kind:
        case "out":
            path.symlink_to("../secret")
        case "missing out":
            path.symlink_to("../nothing")
        case "cycle":
            path.symlink_to("a")
        case "pipe":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case _:
            path.write_bytes(b" " * (MAX_FILE_BYTES + 1))

    with pytest.raises(UnsafeFileError):
        read_small_file(str(path), [str(place)])
