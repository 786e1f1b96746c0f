"""A file that has its name only once it is whole."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress

from assent.errors import StoreError
from assent.stores.file import checked_file


@contextmanager
def finished(target: str, purpose: str) -> Generator[str]:
    """Another name to write under, for the owner alone; what is there already is never written over."""
    if os.path.lexists(target):
        raise StoreError(f"cannot {purpose} {target}: it exists already; name a new file")
    unfinished = f"{target}.unfinished"
    _forget(unfinished)
    checked_file(unfinished)
    try:
        yield unfinished
        _synced(unfinished)
        os.rename(unfinished, target)
        _synced(os.path.dirname(target) or ".")
    except OSError as error:
        _forget(unfinished)
        raise StoreError(f"cannot {purpose} {target}: {(error.strerror or str(error)).lower()}") from error
    except BaseException:
        _forget(unfinished)
        raise


def _forget(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)


def _synced(path: str) -> None:
    """Let the disk have it, so that a power cut leaves all of it or nothing."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
