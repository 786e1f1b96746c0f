"""A database file is made for its owner alone, has one name and one server, and is known again."""

import os
import resource
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from assent.errors import StoreError
from assent.stores.sqlite.file import FileIdentity, ServerLock, atomic_file, is_sqlite_file, prepare_file
from tests.stores.database import transaction


@pytest.mark.proves("T-19")
def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"

    assert prepare_file(str(path)) is True
    assert path.stat().st_mode & 0o777 == 0o600
    assert prepare_file(str(path)) is True


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="it is not a file"):
        prepare_file(str(tmp_path))


def test_a_file_of_something_else_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"x")
    path.chmod(0o600)

    with pytest.raises(StoreError, match="it is not an SQLite database"):
        prepare_file(str(path))
    assert not is_sqlite_file(str(path))


@pytest.mark.proves("R-26")
def test_a_lock_is_held_by_one_until_it_is_released(tmp_path: Path) -> None:
    file = create_file(tmp_path / "a.db")
    first = ServerLock(file)
    with pytest.raises(StoreError, match="another server uses it; stop that server first"):
        ServerLock(file)
    first.release()

    ServerLock(file).release()


@pytest.mark.proves("R-34")
def test_a_file_has_one_server_whatever_name_leads_to_it(tmp_path: Path) -> None:
    file = create_file(tmp_path / "a.db")
    (tmp_path / "link.db").symlink_to(file.path)
    first = ServerLock(file)
    with pytest.raises(StoreError, match="another server uses it"):
        ServerLock(FileIdentity(str(tmp_path / "link.db")))
    os.rename(file.path, tmp_path / "renamed.db")
    with pytest.raises(StoreError, match="another server uses it"):
        ServerLock(FileIdentity(str(tmp_path / "renamed.db")))

    first.release()


@pytest.mark.proves("R-34")
def test_a_file_with_a_second_hard_link_is_refused(tmp_path: Path) -> None:
    file = create_file(tmp_path / "a.db")
    os.link(file.path, tmp_path / "b.db")

    for name in ("a.db", "b.db"):
        with pytest.raises(StoreError, match="it has 2 hard links") as raised:
            FileIdentity(str(tmp_path / name))
        assert raised.value.reason == "the database file has more than one hard link"


@pytest.mark.proves("R-33")
@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_a_removed_or_replaced_file_is_noticed_until_it_is_put_back(tmp_path: Path, suffix: str) -> None:
    file = create_file(tmp_path / "a.db")
    with closing(sqlite3.connect(file.path)) as reader:
        reader.execute("SELECT * FROM policy").fetchall()
        file.add_logs()
        file.check()
        os.rename(file.path + suffix, tmp_path / "away")
        with pytest.raises(StoreError, match="it was removed or replaced"):
            file.check()
        shutil.copy(tmp_path / "away", file.path + suffix)
        with pytest.raises(StoreError, match="whether it was done is unknown"):
            file.check_after_commit()
        os.rename(tmp_path / "away", file.path + suffix)

        file.check_before_commit()


@pytest.mark.proves("R-34")
def test_looking_at_a_file_leaves_the_locks_that_this_process_holds_on_it(tmp_path: Path) -> None:
    file = create_file(tmp_path / "a.db")
    with closing(sqlite3.connect(file.path)) as reader:
        reader.execute("SELECT * FROM policy").fetchall()
        file.add_logs()
        prepare_file(file.path)
        is_sqlite_file(file.path)
        FileIdentity(file.path).check_before_commit()
        # Without the lock of this process, another one takes itself for the last and removes the log.
        visit = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM policy').fetchall()"
        subprocess.run([sys.executable, "-c", visit, file.path], check=True)

        file.check()


def create_file(path: Path) -> FileIdentity:
    """Create a file with all tables."""
    with transaction(path):
        pass
    return FileIdentity(str(path))


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
