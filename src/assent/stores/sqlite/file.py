"""A database file: its permissions, its identity, the lock of its server, and copies of it.

INVARIANT: nothing here opens and closes a file that SQLite may have open. Closing any descriptor of a file
drops all locks that the process holds on it, those of SQLite included.
"""

import fcntl
import filecmp
import os
import sqlite3
import stat
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from itertools import count
from typing import NamedTuple
from urllib.parse import quote

from assent.errors import StoreError
from assent.stores import migrations as schema
from assent.stores.sql.errors import to_store_error
from assent.stores.sql.statement import CoreConnection

_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_MIN_PAGE_BYTES = 512
"""The size in bytes of the smallest non-empty SQLite database: one page."""
_LOG_SUFFIXES = ("-wal", "-shm")
_NOTHING_CHANGED = "nothing was changed"
_OUTCOME_UNKNOWN = "whether it was done is unknown"
_REMOVED_MESSAGE = "the database file was removed or replaced while it was in use"
_READ_ONLY_MESSAGE = "the database file is read-only"
_create_lock = threading.Lock()
"""Held while a file is created, so that no other thread has it open in SQLite when it is closed."""


def prepare_file(path: str) -> bool:
    """Create the file with access for its owner only; returns whether it is new.

    Raises an error for an existing file that other users may write.
    """
    with _create_lock:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            _check_permissions(path)
            return os.path.getsize(path) == 0
        except OSError as error:
            raise StoreError(
                f"cannot make {path}: {_describe_os_error(error)}; its directory must exist and be writable"
            ) from None
    return True


def is_sqlite_file(path: str) -> bool:
    """Whether a file is an SQLite database."""
    if os.path.getsize(path) < _MIN_PAGE_BYTES:
        # SQLite itself would treat a short file as empty and overwrite it.
        return False
    try:
        with closing(sqlite3.connect(file_uri(path, "immutable=1"), uri=True)) as connection:
            connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.DatabaseError as error:
        return getattr(error, "sqlite_errorname", "") != "SQLITE_NOTADB"
    return True


class FileIdentity:
    """The file that a path pointed to when it was opened, by device and inode; links are resolved."""

    def __init__(self, path: str) -> None:
        self.path = os.path.realpath(path)
        found = self._stat(self.path, _NOTHING_CHANGED)
        if found.st_nlink > 1:
            # Under another name SQLite would use another log file, and lose the content of this log.
            raise StoreError(
                f"cannot use {path}: it has {found.st_nlink} hard links;"
                " remove its other names, or copy it to a new file and use that",
                reason="the database file has more than one hard link",
            )
        self.mark = _FileId(found.st_dev, found.st_ino)
        self._known = {self.path: self.mark}

    @property
    def uri(self) -> str:
        """The URI that SQLite opens; a missing file is not created."""
        return file_uri(self.path, "mode=rw")

    def add_log_files(self) -> None:
        """Check the log files too, because writes to a removed log are lost in a crash."""
        for path in (self.path + ending for ending in _LOG_SUFFIXES):
            found = self._stat(path, _NOTHING_CHANGED)
            self._known[path] = _FileId(found.st_dev, found.st_ino)

    def check(self, *, outcome: str = _NOTHING_CHANGED) -> None:
        """Raise an error if a path points to another file than before, or to none."""
        for path, mark in self._known.items():
            found = self._stat(path, outcome)
            if (found.st_dev, found.st_ino) != mark:
                raise _removed_error(path, outcome)

    def check_before_commit(self) -> None:
        """Raise an error before a commit to a file that was replaced or became read-only."""
        self.check()
        if not os.access(self.path, os.W_OK):
            raise StoreError(
                f"cannot use {self.path}: it is read-only: check its permissions and its file system;"
                f" {_NOTHING_CHANGED}",
                reason=_READ_ONLY_MESSAGE,
            )

    def check_after_commit(self) -> None:
        """Raise an error if the file was removed during the commit."""
        self.check(outcome=_OUTCOME_UNKNOWN)

    def _stat(self, path: str, outcome: str) -> os.stat_result:
        try:
            return os.stat(path)
        except OSError:
            raise _removed_error(path, outcome) from None


class ServerLock:
    """The lock of the only server of a file; the system releases it when the process ends."""

    def __init__(self, file: FileIdentity) -> None:
        name = f".assent-{file.mark.device:x}-{file.mark.inode:x}.lock"
        path = os.path.join(os.path.dirname(file.path), name)
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(
                f"cannot make {path}: {_describe_os_error(error)}; its directory must be writable"
            ) from None
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._handle)
            raise StoreError(
                f"cannot serve {file.path}: another server uses it; stop that server first"
            ) from None

    def release(self) -> None:
        """Release the lock."""
        os.close(self._handle)


class _FileId(NamedTuple):
    """Device and inode, which identify a file whatever its name."""

    device: int
    inode: int


def file_uri(path: str, option: str) -> str:
    """The URI of a file for SQLite, with an option for how to open it."""
    return f"file:{quote(os.fsencode(path))}?{option}"


@contextmanager
def atomic_file(target: str, purpose: str) -> Generator[str]:
    """A temporary path to write to; the complete file is then renamed, and never replaces another file."""
    if os.path.lexists(target):
        raise StoreError(f"cannot {purpose} {target}: it exists already; name a new file")
    unfinished = f"{target}.unfinished"
    _remove_if_exists(unfinished)
    prepare_file(unfinished)
    try:
        yield unfinished
        _flush_to_disk(unfinished)
        os.rename(unfinished, target)
        _flush_to_disk(os.path.dirname(target) or ".")
    except OSError as error:
        _remove_if_exists(unfinished)
        raise StoreError(f"cannot {purpose} {target}: {(error.strerror or str(error)).lower()}") from error
    except BaseException:
        _remove_if_exists(unfinished)
        raise


def copy_file(path: str, target: str) -> None:
    """Copy a file while other processes may write to it; the copy is consistent."""
    if not os.path.isfile(path):
        raise StoreError(f"cannot back up {path}: there is no such file")
    try:
        source_uri = FileIdentity(path).uri
        with (
            closing(sqlite3.connect(source_uri, uri=True)) as source,
            closing(sqlite3.connect(target)) as copy,
        ):
            source.backup(copy)
            # A backup is one file, without a log beside it.
            copy.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        raise to_store_error(error, path) from error


def upgrade_file(connection: CoreConnection, path: str) -> str:
    """Back up a file and upgrade its schema; returns the path of the backup, or an empty text.

    The caller's transaction prevents writes between the backup and the upgrade, and makes the upgrade all or
    nothing.
    """
    found = schema.read_version(connection)
    if found.is_usable or found.is_newer:
        return ""
    backup = "" if found.is_empty else _make_backup(path, f"{path}.schema-{found.found}")
    schema.upgrade(connection)
    return backup


def _check_permissions(path: str) -> None:
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"cannot use {path}: it is not a file")
    if found.st_mode & _WRITABLE_BY_OTHERS:
        raise StoreError(f"cannot use {path}: others may write to it; run `chmod 600 {path}`")
    if found.st_size and not is_sqlite_file(path):
        raise StoreError(f"cannot use {path}: it is not an SQLite database; name another file")


def _describe_os_error(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _removed_error(path: str, outcome: str) -> StoreError:
    return StoreError(
        f"cannot use {path}: it was removed or replaced while it was in use: stop this process, put the file"
        f" back or restore a backup with `assent db restore`, and start again; {outcome}",
        reason=_REMOVED_MESSAGE,
    )


def _remove_if_exists(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)


def _flush_to_disk(path: str) -> None:
    """Make sure that the content of the file is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _make_backup(path: str, name: str) -> str:
    """Make a backup under this name or the next free one; an identical earlier backup is reused."""
    names = (f"{name}.{number}" if number else name for number in count())
    taken: list[str] = []
    while os.path.lexists(free := next(names)):
        taken.append(free)
    with atomic_file(free, "back up to") as unfinished:
        copy_file(path, unfinished)
    if taken and os.path.isfile(taken[-1]) and filecmp.cmp(taken[-1], free, shallow=False):
        os.unlink(free)
        return taken[-1]
    return free
