"""A database file is private to its owner, has one server, and is recognised after it was replaced."""

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
def test_only_its_owner_can_access_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "a.db"

    assert prepare_file(str(path)) is True
    assert path.stat().st_mode & 0o777 == 0o600
    assert prepare_file(str(path)) is True


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="it is not a file"):
        prepare_file(str(tmp_path))


def test_a_file_of_another_format_is_not_treated_as_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"x")
    path.chmod(0o600)

    with pytest.raises(StoreError, match="it is not an SQLite database"):
        prepare_file(str(path))
    assert not is_sqlite_file(str(path))


@pytest.mark.proves("R-26")
def test_a_lock_is_exclusive_until_it_is_released(tmp_path: Path) -> None:
    file = create_file(tmp_path / "a.db")
    first = ServerLock(file)
    with pytest.raises(StoreError, match="another server uses it; stop that server first"):
        ServerLock(file)
    first.release()

    ServerLock(file).release()


@pytest.mark.proves("R-34")
def test_a_file_has_one_server_under_all_its_names(tmp_path: Path) -> None:
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
def test_a_removed_or_replaced_file_is_an_error_until_it_is_put_back(tmp_path: Path, suffix: str) -> None:
    file = create_file(tmp_path / "a.db")
    with closing(sqlite3.connect(file.path)) as reader:
        reader.execute("SELECT * FROM policy").fetchall()
        file.add_log_files()
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
def test_checking_a_file_keeps_the_locks_of_this_process(tmp_path: Path) -> None:
    file = create_file(tmp_path / "a.db")
    with closing(sqlite3.connect(file.path)) as reader:
        reader.execute("SELECT * FROM policy").fetchall()
        file.add_log_files()
        prepare_file(file.path)
        is_sqlite_file(file.path)
        FileIdentity(file.path).check_before_commit()
        # Without the lock of this process, another process would believe that it is the last one and remove the log.
        visit = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM policy').fetchall()"
        subprocess.run([sys.executable, "-c", visit, file.path], check=True)

        file.check()


def create_file(path: Path) -> FileIdentity:
    """Create a file with all tables."""
    with transaction(path):
        pass
    return FileIdentity(str(path))


def test_a_finished_file_has_its_final_name_and_is_private(tmp_path: Path) -> None:
    target = tmp_path / "copy"

    with atomic_file(str(target), "write") as unfinished:
        Path(unfinished).write_text("whole")
        assert not target.exists()

    assert target.read_text() == "whole"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["copy"]


def test_an_unfinished_file_is_removed(tmp_path: Path) -> None:
    with pytest.raises(LookupError), atomic_file(str(tmp_path / "copy"), "write") as unfinished:
        Path(unfinished).write_bytes(b"half"[9:] or {}["rest"])

    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir, lambda path: path.symlink_to("nowhere")])
def test_an_existing_file_is_not_overwritten(tmp_path: Path, make: object) -> None:
    target = tmp_path / "copy"
    make(target)  # type: ignore[operator]

    with (
        pytest.raises(StoreError, match=f"cannot write {target}: it exists already; name a new file"),
        atomic_file(str(target), "write"),
    ):
        pass


def test_files_of_an_earlier_attempt_do_not_prevent_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "copy.unfinished").write_text("half")

    with atomic_file(str(tmp_path / "copy"), "write") as unfinished:
        assert Path(unfinished).read_text() == ""


def test_the_error_for_a_missing_directory_names_it(tmp_path: Path) -> None:
    with (
        pytest.raises(
            StoreError, match=r"no such file or directory; its directory must exist and be writable"
        ),
        atomic_file(str(tmp_path / "nowhere" / "copy"), "write"),
    ):
        pass


def test_the_error_for_a_full_disk_names_the_purpose_of_the_file(tmp_path: Path) -> None:
    target = tmp_path / "copy"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def write_file() -> None:
        with atomic_file(str(target), "export to") as unfinished:
            Path(unfinished).write_text("x" * 5000)

    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(StoreError) as raised:
            write_file()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert str(raised.value) == f"cannot export to {target}: file too large"
    assert os.listdir(tmp_path) == []
