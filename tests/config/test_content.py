"""A file of the workspace is read once and up to a size limit; secret files are never read."""

import os
from pathlib import Path

import pytest

from assent.config import content as reading
from assent.config.content import read_workspace_file
from assent.config.workspace import directories_on_disk
from assent.engine.base.facts import CallDirectories
from assent.gate.file_preview import MAX_FILE_BYTES, FileContent, UnreadReason


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def directories_of(root: Path) -> CallDirectories:
    return directories_on_disk(str(root), [str(root)], "")


def test_a_file_of_the_workspace_is_read(root: Path) -> None:
    (root / "a.txt").write_bytes(b"one\r\n\xff")

    assert read_workspace_file(f"{root}/./a.txt", directories_of(root)) == FileContent(
        f"{root}/a.txt", b"one\r\n\xff"
    )


def test_glob_characters_in_a_file_name_are_literal(root: Path) -> None:
    (root / "[id]").write_text("literal")
    (root / "i").write_text("other")

    assert read_workspace_file(f"{root}/[id]", directories_of(root)).data == b"literal"


def test_a_missing_file_is_absent(root: Path) -> None:
    assert read_workspace_file(f"{root}/sub/a.txt", directories_of(root)) == FileContent(
        f"{root}/sub/a.txt", unread=UnreadReason.ABSENT
    )


@pytest.mark.proves("T-49")
def test_a_link_out_of_the_workspace_is_not_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "far.txt").write_text("far")
    (root / "near").symlink_to(tmp_path / "far.txt")

    assert read_workspace_file(f"{root}/near", directories_of(root)) == FileContent(
        str(tmp_path / "far.txt"), unread=UnreadReason.OUTSIDE
    )
    assert read_workspace_file(f"{root}/../far.txt", directories_of(root)).unread is UnreadReason.OUTSIDE


def test_a_link_within_the_workspace_is_followed(root: Path) -> None:
    (root / "real.txt").write_text("text")
    (root / "link").symlink_to("real.txt")

    assert read_workspace_file(f"{root}/link", directories_of(root)) == FileContent(
        f"{root}/real.txt", b"text"
    )


@pytest.mark.proves("T-49")
@pytest.mark.parametrize("name", [".env", "id_rsa", ".ssh/config", "deploy.pem"])
def test_a_secret_file_is_not_read_under_any_name(root: Path, name: str) -> None:
    (root / ".ssh").mkdir()
    (root / name).write_text("KEY=1")
    (root / "plain.txt").symlink_to(name)

    assert read_workspace_file(f"{root}/{name}", directories_of(root)).unread is UnreadReason.SECRET
    assert read_workspace_file(f"{root}/plain.txt", directories_of(root)).unread is UnreadReason.SECRET


@pytest.mark.parametrize(
    ("size", "unread"), [(MAX_FILE_BYTES, None), (MAX_FILE_BYTES + 1, UnreadReason.LARGE)]
)
def test_a_file_over_the_size_limit_is_not_read(root: Path, size: int, unread: UnreadReason | None) -> None:
    (root / "big").write_bytes(b"x" * size)

    assert read_workspace_file(f"{root}/big", directories_of(root)).unread is unread


def test_a_pipe_is_not_read_and_does_not_block(root: Path) -> None:
    os.mkfifo(root / "pipe")

    assert read_workspace_file(f"{root}/pipe", directories_of(root)).unread is UnreadReason.UNREACHABLE
    assert read_workspace_file(str(root), directories_of(root)).unread is UnreadReason.UNREACHABLE
    assert read_workspace_file(f"{root}/pipe/below", directories_of(root)).unread is UnreadReason.UNREACHABLE
    assert read_workspace_file(f"{root}/a\0b", directories_of(root)).unread is UnreadReason.UNREACHABLE


def test_files_of_a_directory_on_another_machine_are_unreachable(root: Path) -> None:
    gone = directories_on_disk(f"{root}/gone", [str(root)], "")

    assert read_workspace_file(f"{root}/gone/a.txt", gone).unread is UnreadReason.UNREACHABLE


def test_a_link_that_replaces_the_file_is_not_followed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "far.txt").write_text("far")
    path = root / "a.txt"

    def swap_for_link(written: str) -> str:
        path.symlink_to(tmp_path / "far.txt")
        return written

    monkeypatch.setattr(reading, "resolve_path", swap_for_link)

    assert read_workspace_file(str(path), directories_of(root)) == FileContent(
        str(path), unread=UnreadReason.OUTSIDE
    )
