"""Reaches files below a root without following any link: each directory on the way is opened by its name."""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from assent.config.files import open_without_links
from assent.hosts.workbench.refusal import Reason, WorkbenchError, os_refusal, report_os_errors

MAX_PATH_LENGTH = 4096
_WALK_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class DirectoryEntry(NamedTuple):
    """An open directory and a name in it."""

    directory: int
    name: str
    path: str
    """The path from the root, for messages."""


def split_path(path: str) -> tuple[str, ...]:
    """The names of a path from the root; raises `WorkbenchError` for a path that could leave the root."""
    if len(path) > MAX_PATH_LENGTH or not path.isprintable() or "\\" in path:
        raise WorkbenchError(
            Reason.OUTSIDE, "a path has at most 4,096 visible characters, and no backslashes"
        )
    names = path.removeprefix("/").removesuffix("/").split("/")
    if names == [""]:
        return ()
    if any(name in ("", ".", "..") for name in names):
        raise WorkbenchError(Reason.OUTSIDE, f"`{path}` must not contain `.`, `..` or empty names")
    return tuple(names)


def join_path(names: tuple[str, ...]) -> str:
    """The path from the root."""
    return "/" + "/".join(names)


@contextmanager
def open_directory(root: str, names: tuple[str, ...]) -> Generator[int]:
    """Open a directory below a root, for reading."""
    if not names:
        here = _open_root(root, _READ_FLAGS)
    else:
        with open_directory_entry(root, names) as place:
            here = _open_step(place.directory, place.name, _READ_FLAGS, place.path)
    try:
        yield here
    finally:
        os.close(here)


@contextmanager
def open_directory_entry(root: str, names: tuple[str, ...]) -> Generator[DirectoryEntry]:
    """Open the directory that contains the last name of a path; the name itself is not looked up."""
    if not names:
        raise WorkbenchError(Reason.KIND, "this is a root: name a file or directory in it")
    here = _open_root(root, _WALK_FLAGS)
    try:
        for depth, name in enumerate(names[:-1], start=1):
            there = _open_step(here, name, _WALK_FLAGS, join_path(names[:depth]))
            os.close(here)
            here = there
        yield DirectoryEntry(here, names[-1], join_path(names))
    finally:
        os.close(here)


def read_status(place: DirectoryEntry) -> os.stat_result:
    """The status of what is at a place, also of a link itself."""
    with report_os_errors(place.path):
        return os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)


def refuse_link(place: DirectoryEntry) -> os.stat_result:
    """The status of what is at a place; raises `WorkbenchError` for a link."""
    status = read_status(place)
    if stat.S_ISLNK(status.st_mode):
        raise WorkbenchError(Reason.LINK, f"`{place.path}` is a link")
    return status


def _open_root(root: str, flags: int) -> int:
    try:
        return open_without_links(root, flags)
    except FileNotFoundError:
        raise WorkbenchError(Reason.ABSENT, "the directory of this root is gone") from None
    except NotADirectoryError:
        raise WorkbenchError(Reason.LINK, "the directory of this root was replaced") from None
    except OSError as error:
        raise os_refusal(error, "/") from None


def _open_step(directory: int, name: str, flags: int, path: str) -> int:
    try:
        return os.open(name, flags, dir_fd=directory)
    except NotADirectoryError as error:
        # A link gives the same error as a file; the status only chooses the message.
        with suppress(OSError):
            if stat.S_ISLNK(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
                raise WorkbenchError(Reason.LINK, f"`{path}` is a link") from None
        raise os_refusal(error, path) from None
    except OSError as error:
        raise os_refusal(error, path) from None
