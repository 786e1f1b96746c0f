"""A database file: who else may touch it, whether its name still leads to it, and which server uses it.

INVARIANT: nothing here opens and closes a file that SQLite may have open. Closing any descriptor of a file
drops all locks that the process holds on it, those of SQLite included.
"""

import fcntl
import os
import sqlite3
import stat
import threading
from contextlib import closing
from typing import NamedTuple
from urllib.parse import quote

from assent.errors import StoreError

_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_SMALLEST = 512
"""Bytes of the smallest page, and so of the smallest SQLite database that is not empty."""
_LOGS = ("-wal", "-shm")
_UNDONE = "nothing was changed"
_UNHEARD = "whether it was done is not known"
_REMOVED = "the database file was removed or replaced while it was in use"
_READ_ONLY = "the database file is read-only"
_creating = threading.Lock()
"""Held while a file is created, so that no other thread has it open in SQLite when it is closed."""


def checked_file(path: str) -> bool:
    """Make the file for its owner alone, or refuse one that others may write; whether it is new."""
    with _creating:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            _check(path)
            return os.path.getsize(path) == 0
        except OSError as error:
            raise StoreError(
                f"cannot make {path}: {_reason(error)}; its directory must exist and be writable"
            ) from None
    return True


def is_sqlite(path: str) -> bool:
    """Whether SQLite takes a file for a database of its own."""
    if os.path.getsize(path) < _SMALLEST:
        # SQLite itself would take a short file for an empty one, and write over it.
        return False
    try:
        with closing(sqlite3.connect(uri_of(path, "immutable=1"), uri=True)) as connection:
            connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.DatabaseError as error:
        return getattr(error, "sqlite_errorname", "") != "SQLITE_NOTADB"
    return True


class FileIdentity:
    """Which file a path led to when it was opened, by device and inode; links are resolved."""

    def __init__(self, path: str) -> None:
        self.path = os.path.realpath(path)
        found = self._stat(self.path, _UNDONE)
        if found.st_nlink > 1:
            # By another name SQLite would look for another log beside it, and lose what is in this one.
            raise StoreError(
                f"cannot use {path}: it has {found.st_nlink} hard links;"
                " remove its other names, or copy it to a new file and use that",
                reason="the database file has more than one hard link",
            )
        self.mark = _Mark(found.st_dev, found.st_ino)
        self._known = {self.path: self.mark}

    @property
    def uri(self) -> str:
        """What SQLite opens; a file that is gone is not made anew."""
        return uri_of(self.path, "mode=rw")

    def add_logs(self) -> None:
        """Know the files beside it, too: what is written to a log that was removed is lost in a crash."""
        for path in (self.path + ending for ending in _LOGS):
            found = self._stat(path, _UNDONE)
            self._known[path] = _Mark(found.st_dev, found.st_ino)

    def check(self, *, outcome: str = _UNDONE) -> None:
        """Refuse to go on when a path leads to another file than before, or to none."""
        for path, mark in self._known.items():
            found = self._stat(path, outcome)
            if (found.st_dev, found.st_ino) != mark:
                raise _removed(path, outcome)

    def check_before_commit(self) -> None:
        """Refuse to commit to a file that nobody will find again, or that became read-only."""
        self.check()
        if not os.access(self.path, os.W_OK):
            raise StoreError(
                f"cannot use {self.path}: it is read-only: check its permissions and its file system;"
                f" {_UNDONE}",
                reason=_READ_ONLY,
            )

    def check_after_commit(self) -> None:
        """Refuse to acknowledge a commit if the file was removed while it was made."""
        self.check(outcome=_UNHEARD)

    def _stat(self, path: str, outcome: str) -> os.stat_result:
        try:
            return os.stat(path)
        except OSError:
            raise _removed(path, outcome) from None


class ServerLock:
    """Held by the one server of a file; the system lets go of it when the process ends, however it ends."""

    def __init__(self, file: FileIdentity) -> None:
        name = f".assent-{file.mark.device:x}-{file.mark.inode:x}.lock"
        path = os.path.join(os.path.dirname(file.path), name)
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(
                f"cannot make {path}: {_reason(error)}; its directory must be writable"
            ) from None
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._handle)
            raise StoreError(
                f"cannot serve {file.path}: another server uses it; end that one first"
            ) from None

    def release(self) -> None:
        """Let another server have it."""
        os.close(self._handle)


class _Mark(NamedTuple):
    """What tells a file from every other one on this machine, whatever its name."""

    device: int
    inode: int


def _check(path: str) -> None:
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"cannot use {path}: it is not a file")
    if found.st_mode & _OTHERS:
        raise StoreError(f"cannot use {path}: others may write to it; run `chmod 600 {path}`")
    if found.st_size and not is_sqlite(path):
        raise StoreError(f"cannot use {path}: it is not an SQLite database; name another file")


def _removed(path: str, outcome: str) -> StoreError:
    return StoreError(
        f"cannot use {path}: it was removed or replaced while it was in use: stop this process, put the file"
        f" back or restore a backup with `assent db restore`, and start again; {outcome}",
        reason=_REMOVED,
    )


def uri_of(path: str, option: str) -> str:
    """The address of a file for SQLite, opened in some way."""
    return f"file:{quote(os.fsencode(path))}?{option}"


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
