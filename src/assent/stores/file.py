"""A database file: who else may touch it, and which one server uses it."""

import fcntl
import os
import stat

from assent.errors import StoreError

_BEGINNING = b"SQLite format 3\0"
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def checked_file(path: str) -> bool:
    """Make the file for its owner alone, or refuse one that others may write; whether it is new."""
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


def _check(path: str) -> None:
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"cannot use {path}: it is not a file")
    if found.st_mode & _OTHERS:
        raise StoreError(f"cannot use {path}: others may write to it; run `chmod 600 {path}`")
    if found.st_size and not is_sqlite(path):
        # SQLite itself would take a short file for an empty one, and write over it.
        raise StoreError(f"cannot use {path}: it is not an SQLite database; name another file")


def is_sqlite(path: str) -> bool:
    """Whether a file begins as SQLite's do."""
    with open(path, "rb") as file:
        return file.read(len(_BEGINNING)) == _BEGINNING


class ServerLock:
    """Held by the one server of a file; the system lets go of it when the process ends, however it ends."""

    def __init__(self, path: str) -> None:
        self._handle = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._handle)
            raise StoreError(f"cannot serve {path}: another server uses it; end that one first") from None

    def release(self) -> None:
        """Let another server have it."""
        os.close(self._handle)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
