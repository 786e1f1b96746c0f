"""Reads small files of a workspace that make programs run code: never through a link that leads out."""

import os
import stat
from collections.abc import Iterable

from assent.config.workspace import UnresolvableError, resolve_path

MAX_FILE_BYTES = 1_000_000


class UnsafeFileError(Exception):
    """A file cannot be read completely and safely, so its content is unknown."""


def read_small_file(path: str, allowed: Iterable[str]) -> bytes | None:
    """Read a regular file in one of the allowed directories; None if it does not exist."""
    try:
        real = resolve_path(path)
        if not any(real == one or real.startswith(one.rstrip("/") + "/") for one in allowed):
            raise UnsafeFileError(f"`{path}` leads out of its directory")
        # Without O_NONBLOCK, opening a pipe would wait for its writer.
        descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnresolvableError, ValueError) as error:
        raise UnsafeFileError(f"`{path}`: {error}") from None
    try:
        return _read_limited(path, descriptor)
    except OSError as error:
        raise UnsafeFileError(f"`{path}`: {error}") from None
    finally:
        os.close(descriptor)


def _read_limited(path: str, descriptor: int) -> bytes:
    """Read an open file up to the limit."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise UnsafeFileError(f"`{path}` is not a regular file")
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise UnsafeFileError(f"`{path}` is larger than {MAX_FILE_BYTES} bytes")
    return data
