"""The file of a running server is private, and ignored if other users could have written it."""

import os
from pathlib import Path

import pytest

from assent.client.local_server import (
    SERVER_FILE_NAME,
    LocalServer,
    find_local_server,
    remove_local_server,
    without_password,
    write_local_server,
    write_private_file,
)


def make_server_file(directory: Path, pid: int = 7) -> LocalServer:
    return LocalServer(
        url="http://127.0.0.1:1", database="/d/assent.db", token_file=str(directory / "token"), pid=pid
    )


def test_the_file_is_read_as_written_and_removed_only_by_its_process(tmp_path: Path) -> None:
    write_local_server(str(tmp_path), make_server_file(tmp_path))
    found = find_local_server(str(tmp_path))
    remove_local_server(str(tmp_path), 8)
    still = find_local_server(str(tmp_path))
    remove_local_server(str(tmp_path), 7)

    assert found == still == make_server_file(tmp_path)
    assert find_local_server(str(tmp_path)) is None


@pytest.mark.proves("T-19")
def test_a_file_that_other_users_can_change_is_ignored(tmp_path: Path) -> None:
    write_local_server(str(tmp_path), make_server_file(tmp_path))
    (tmp_path / SERVER_FILE_NAME).chmod(0o620)

    assert find_local_server(str(tmp_path)) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"url": "x"}', '{"url": 1, "more": 2}', "\xff"])
def test_an_invalid_file_is_ignored(tmp_path: Path, text: str) -> None:
    write_private_file(str(tmp_path / SERVER_FILE_NAME), text)

    assert find_local_server(str(tmp_path)) is None


@pytest.mark.proves("T-19")
def test_a_token_is_read_only_from_a_private_file(tmp_path: Path) -> None:
    notice = make_server_file(tmp_path)
    missing = notice.token
    write_private_file(notice.token_file, "secret\n")
    kept = notice.token
    os.chmod(notice.token_file, 0o644)

    assert (missing, kept, notice.token) == ("", "secret", "")


def test_a_private_file_is_written_atomically_for_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o666)
    write_private_file(str(path), "new")

    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o600)
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("/home/ana:x@y/assent.db", "/home/ana:x@y/assent.db"),
        ("postgresql://ana:secret@db:5432/assent", "postgresql://ana@db:5432/assent"),
        ("postgresql://ana:se@cret@db/assent?host=/tmp", "postgresql://ana@db/assent?host=/tmp"),
        ("postgresql://db/assent", "postgresql://db/assent"),
    ],
)
def test_the_password_is_removed_from_an_address(address: str, shown: str) -> None:
    assert without_password(address) == shown
