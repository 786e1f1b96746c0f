"""Reading files safely: once, without following links, and only if other users cannot change them."""

import hashlib
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from assent.errors import ConfigError

MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Source:
    """The content of a file, read once, so that the parsed bytes are the hashed bytes."""

    path: str
    data: bytes

    @property
    def text(self) -> str:
        """The content as text."""
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            raise ConfigError(self.path, "it is not UTF-8 text", line=line) from None

    @property
    def digest(self) -> str:
        """The SHA-256 digest of the content."""
        return hashlib.sha256(self.data).hexdigest()

    def line_of(self, *words: str) -> int | None:
        """The line of the last word; each word is searched after the one before it, outside comments."""
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
        """An error for this file, with the line of these words."""
        return ConfigError(self.path, reason, line=self.line_of(*words))


def read_source(path: str, *, guarded: bool = False, piped: bool = False) -> Source:
    """Read a file; with `guarded`, other users must not be able to change it.

    Pipes and devices, which could block forever, are read only with `piped`.
    """
    try:
        if not piped and not stat.S_ISREG(os.stat(path).st_mode):
            raise ConfigError(path, "it is not a regular file")
        with open(path, "rb") as file:
            if guarded:
                _check_guarded(path, file)
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(path, _error_reason(error)) from None
    if len(data) > MAX_BYTES:
        raise ConfigError(path, f"it is larger than {MAX_BYTES} bytes")
    return Source(path, data)


_OTHERS_ACCESS = stat.S_IRWXG | stat.S_IRWXO


def make_private_directory(path: str) -> str:
    """Create a directory with mode 0700, or refuse an existing one that other users can access."""
    path = os.path.abspath(path)
    try:
        if not os.path.lexists(path):
            os.makedirs(path, mode=0o700)
        _refuse_shared(path)
    except OSError as error:
        raise ConfigError(path, f"it cannot be created: {(error.strerror or str(error)).lower()}") from None
    return path


_PATH_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""Flags that open a directory only to search in it, and only if it is not a link."""


def open_without_links(path: str, flags: int, mode: int = 0o666) -> int:
    """Open an absolute path without following any link; a device or a pipe never blocks."""
    with open_parent(path) as (directory, name):
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, mode, dir_fd=directory)


@contextmanager
def open_parent(path: str, *, create: bool = False) -> Generator[tuple[int, str]]:
    """Open the parent directory of a path without following links; `create` creates missing directories."""
    *way, name = [word for word in path.split("/") if word] or ["."]
    here = os.open("/", _PATH_FLAGS)
    try:
        for word in way:
            if create:
                _make_directory(word, here)
            there = os.open(word, _PATH_FLAGS, dir_fd=here)
            os.close(here)
            here = there
        yield here, name
    finally:
        os.close(here)


def _check_guarded(path: str, file: BinaryIO) -> None:
    """Refuse a file that another user could have written, by the same rule as sudo."""
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


def _refuse_shared(path: str) -> None:
    found = os.stat(path)
    if not stat.S_ISDIR(found.st_mode):
        raise ConfigError(path, "it is not a directory")
    if os.name != "posix":
        return
    if found.st_uid != os.geteuid():
        raise ConfigError(path, "it belongs to another user")
    if found.st_mode & _OTHERS_ACCESS:
        raise ConfigError(
            path,
            f"other users can access it; run `chmod 700 {path}` if it is yours, or choose another directory",
        )


def _make_directory(name: str, directory: int) -> None:
    try:
        os.mkdir(name, dir_fd=directory)
    except FileExistsError:
        return
