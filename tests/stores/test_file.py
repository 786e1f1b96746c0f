"""A database file is made for its owner alone, and has one server."""

from pathlib import Path

import pytest

from assent.errors import StoreError
from assent.stores.file import ServerLock, checked_file, is_sqlite


@pytest.mark.proves("T-19")
def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"

    assert checked_file(str(path)) is True
    assert path.stat().st_mode & 0o777 == 0o600
    assert checked_file(str(path)) is True


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="it is not a file"):
        checked_file(str(tmp_path))


def test_a_file_of_something_else_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"x")
    path.chmod(0o600)

    with pytest.raises(StoreError, match="it is not an SQLite database"):
        checked_file(str(path))
    assert not is_sqlite(str(path))


@pytest.mark.proves("R-26")
def test_a_lock_is_held_by_one_until_it_is_released(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    first = ServerLock(path)
    with pytest.raises(StoreError, match="another server uses it; end that one first"):
        ServerLock(path)
    first.release()

    ServerLock(path).release()
