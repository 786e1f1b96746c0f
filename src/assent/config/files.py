"""Reads files safely: once, without following links, and only if other users cannot change them."""

import hashlib
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from assent.errors import ConfigError

MAX_SOURCE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Source:
    """A file that is read only once, so that its digest belongs to the content that is parsed."""

    path: str
    data: bytes

    @property
    def text(self) -> str:
        """The content, decoded as UTF-8."""
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            raise ConfigError(self.path, "it is not UTF-8 text", line=line) from None

    @property
    def digest(self) -> str:
        """The SHA-256 digest of the content."""
        return hashlib.sha256(self.data).hexdigest()

    def find_line(self, *words: str) -> int | None:
        """The line number of the last word, searching for the words one after another, outside comments."""
        found, at = None, 0
        lines = [line.partition(" # ")[0] for line in self.text.splitlines()]
        for word in words:
            spelled = (word, word.replace("\\", "\\\\").replace('"', '\\"'))
            for number in range(at, len(lines)):
                if not lines[number].lstrip().startswith("#") and any(
                    each in lines[number] for each in spelled
                ):
                    found, at = number + 1, number
                    break
        return found

    def error(self, reason: str, *words: str) -> ConfigError:
        """Build an error that names this file and the line of these words."""
        return ConfigError(self.path, reason, line=self.find_line(*words))


def read_source(path: str, *, guarded: bool = False, piped: bool = False) -> Source:
    """Read a whole file; with `guarded`, raise an error if other users can change the file.

    Pipes and devices could block forever, so they are read only with `piped`.
    """
    try:
        if not piped and not stat.S_ISREG(os.stat(path).st_mode):
            raise ConfigError(path, "it is not a regular file")
        with open(path, "rb") as file:
            if guarded:
                _refuse_writable_by_others(path, file)
            data = file.read(MAX_SOURCE_BYTES + 1)
    except OSError as error:
        raise ConfigError(path, _error_reason(error)) from None
    if len(data) > MAX_SOURCE_BYTES:
        raise ConfigError(path, f"it is larger than {MAX_SOURCE_BYTES} bytes")
    return Source(path, data)


_OTHER_USERS_MODE = stat.S_IRWXG | stat.S_IRWXO


def make_private_directory(path: str) -> str:
    """Create a directory with mode 0700; raise an error if it exists and other users can access it."""
    path = os.path.abspath(path)
    try:
        if not os.path.lexists(path):
            os.makedirs(path, mode=0o700)
        _refuse_shared_directory(path)
    except OSError as error:
        raise ConfigError(path, f"it cannot be created: {(error.strerror or str(error)).lower()}") from None
    return path


_DIRECTORY_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""Flags to open a directory that is not a link, only for looking up names in it."""


def open_without_links(path: str, flags: int, mode: int = 0o666) -> int:
    """Open an absolute path without following links or blocking; returns the file descriptor."""
    with open_parent(path) as (directory, name):
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, mode, dir_fd=directory)


@contextmanager
def open_parent(path: str, *, create: bool = False) -> Generator[tuple[int, str]]:
    """Open the parent directory of a path without following links; yield its descriptor and the file name.

    With `create`, missing directories are created.
    """
    *way, name = [word for word in path.split("/") if word] or ["."]
    here = os.open("/", _DIRECTORY_FLAGS)
    try:
        for word in way:
            if create:
                _make_directory_if_missing(word, here)
            there = os.open(word, _DIRECTORY_FLAGS, dir_fd=here)
            os.close(here)
            here = there
        yield here, name
    finally:
        os.close(here)


def _refuse_writable_by_others(path: str, file: BinaryIO) -> None:
    """Raise an error if another user could have written the file; sudo applies the same rule."""
    if os.name != "posix":
        return
    directory = os.path.dirname(os.path.realpath(path))
    for name, status in ((path, os.fstat(file.fileno())), (directory, os.stat(directory))):
        if status.st_uid not in (0, os.geteuid()):
            raise ConfigError(path, f"`{name}` belongs to another user, who could change the policy")
        sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not sticky:
            raise ConfigError(path, f"other users may write to `{name}`; run `chmod go-w {name}`")


def _error_reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def _refuse_shared_directory(path: str) -> None:
    found = os.stat(path)
    if not stat.S_ISDIR(found.st_mode):
        raise ConfigError(path, "it is not a directory")
    if os.name != "posix":
        return
    if found.st_uid != os.geteuid():
        raise ConfigError(path, "it belongs to another user")
    if found.st_mode & _OTHER_USERS_MODE:
        raise ConfigError(
            path,
            f"other users can access it; run `chmod 700 {path}` if it is yours, or choose another directory",
        )


def _make_directory_if_missing(name: str, directory: int) -> None:
    try:
        os.mkdir(name, dir_fd=directory)
    except FileExistsError:
        return
