"""Opening a file by its real path, through no link, even one that is put in its way meanwhile."""

import os
from collections.abc import Generator
from contextlib import contextmanager

_PASS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""How a directory on the way is opened: to go through it, and only if it is no link."""


def open_path(path: str, flags: int, mode: int = 0o666) -> int:
    """Open an absolute path, following no link anywhere on the way; a device or a pipe never blocks."""
    with parent_of(path) as (directory, name):
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, mode, dir_fd=directory)


@contextmanager
def parent_of(path: str, *, create: bool = False) -> Generator[tuple[int, str]]:
    """The directory that holds a path, open, and the name in it; with `create`, made where it is missing."""
    *way, name = [word for word in path.split("/") if word] or ["."]
    here = os.open("/", _PASS)
    try:
        for word in way:
            if create:
                _make(word, here)
            there = os.open(word, _PASS, dir_fd=here)
            os.close(here)
            here = there
        yield here, name
    finally:
        os.close(here)


def _make(name: str, directory: int) -> None:
    try:
        os.mkdir(name, dir_fd=directory)
    except FileExistsError:
        return
