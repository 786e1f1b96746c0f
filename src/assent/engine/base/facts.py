"""Facts: what a decision needs to know about the file system, collected before it and stored with it."""

import posixpath
import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.lazy import regex
from assent.engine.base.value import Value

_TRAILING_DOTS = regex(r"(?<=[^/. ])[. ]+(?=/|$)")
"""Dots and blanks at the end of a name, which file systems without letter case ignore."""

_WINDOWS_PATH = regex(r"::|^[^\W\d_]:")
"""A path with a drive letter or a provider of PowerShell."""


class CallDirectories(Value):
    """The directories in which a call runs."""

    roots: tuple[str, ...]
    """The directories of the workspace as absolute real paths; the first is the workspace root."""
    cwd: str
    home: str = ""
    case_sensitive: bool = True
    """False if the file system ignores the letter case of names."""
    made: tuple[str, ...] = ()
    """Real paths outside of the workspace that this conversation made with a person's yes, and that exist."""


class FileState(StrEnum):
    """What is at a path, if an edit there loses nothing and reaches nothing else."""

    NEW = "new"
    """Nothing."""
    CLEAN = "clean"
    """A regular file with one name, whose content the index of its repository records."""
    FILE = "file"
    """Another regular file with one name; an edit would lose its content."""
    DIRECTORY = "directory"


class EditablePath(str):
    """An absolute path whose file state a decision needs, besides its real path."""

    __slots__ = ()


class Search(NamedTuple):
    """A search in the file system: which file could make a program run code, or lead out of the workspace?"""

    program: str
    """The program whose files are searched; empty to search the links and the secrets of a tree."""
    settings: str = ""
    """The groups of Git settings that the command uses, or what is searched in a tree."""


class DirectorySearch(NamedTuple):
    """A search in one directory."""

    search: Search
    directory: str
    """The absolute directory as written."""

    @property
    def key(self) -> str:
        """The name of the search in the facts."""
        return f"{self.search.program} {self.search.settings} in {self.directory}"


class Facts(Value):
    """Directories of a call and real paths of its files; a path without facts is outside the workspace."""

    directories: CallDirectories
    real: Mapping[str, tuple[str, ...]] = dict[str, tuple[str, ...]]()
    """The real paths of each absolute path as written; a glob can have several."""
    contents: Mapping[str, str] = dict[str, str]()
    """The SHA-256 digest of each input file of a command, by its absolute path as written."""
    files: Mapping[str, FileState] = dict[str, FileState]()
    """The states of the files that a command would edit, by absolute path as written."""
    trusted_repository: bool = False
    """True if a person trusts the configuration of this repository, and it is unchanged since then."""
    findings: Mapping[str, str] = dict[str, str]()
    """What each search found, by its key: empty if nothing. A search without a finding was not made."""


class PathUse(NamedTuple):
    """A path as a call writes it, and how to resolve it."""

    text: str
    directory: str = ""
    """The directory that the line changed to with `cd`, relative to the start directory."""
    tilde: bool = False
    glob: bool = False
    listed: bool = False
    """True if the path means names that a listing finds below its directory."""
    if_unset: str = ""
    """The text of the path if the variables in it are not set, as far as the call states it."""
    certain: bool = False
    """True if the listed names certainly exist, and none of them is a link."""
    anchored: bool = False
    """True if the path starts at the workspace root, even with a leading slash."""

    def to_absolute_path(self, directories: CallDirectories) -> str | None:
        """The absolute path as written, including `..`; None if it is unknown."""
        if self.anchored:
            return (
                posixpath.join(directories.roots[0], self.text.lstrip("/"))
                if UNKNOWN_MARK not in self.text
                else None
            )
        path = _expand_home(self.text, directories) if self.tilde else self.text
        if path is None or _has_unknown_piece(path):
            return None
        if path.startswith("/"):
            return path
        base = self._base_directory(directories) if self.directory else directories.cwd
        if base is None or path in ("", ".", "./"):
            return base
        return f"{base}/{path}" if base != "/" else base + path

    def _base_directory(self, directories: CallDirectories) -> str | None:
        """The absolute directory that the line changed to."""
        directory = self.directory
        base = _expand_home(directory, directories) if directory.startswith("~") else directory
        if base is None or _has_unknown_piece(base):
            return None
        return posixpath.join(directories.cwd, base)


def normalize_path(path: str, directories: CallDirectories) -> str:
    """An absolute path as rules compare it: without `..`, in one Unicode form, and perhaps in lower case."""
    plain = path[:1] == "/" and not ("/." in path or "//" in path or path[-1] == "/")
    if plain and directories.case_sensitive and path.isascii():
        return path
    normalize = _normalize_cached if len(path) <= _MAX_CACHED_LENGTH else _normalize_uncached
    return normalize(path, directories.case_sensitive)


def is_inside(path: str, directories: CallDirectories) -> bool:
    """Whether an absolute path is in the workspace."""
    path = normalize_path(path, directories)
    return any(_is_below(path, normalize_path(root, directories)) for root in directories.roots)


def to_rule_path(path: str, directories: CallDirectories) -> str:
    """A path in the syntax of rules: relative to the workspace root if it is inside."""
    root = normalize_path(directories.roots[0], directories)
    if is_inside(path, directories) and (path == root or path.startswith(root.rstrip("/") + "/")):
        return "/" + path[len(root) :].lstrip("/")
    return "/" + path


def _normalize_uncached(path: str, case_sensitive: bool) -> str:  # noqa: FBT001 - a cache accepts no keyword arguments
    """Normalize a path without the cache."""
    path = unicodedata.normalize("NFC", posixpath.normpath(path))
    path = path if not path.startswith("//") else path[1:]
    return path if case_sensitive else _TRAILING_DOTS.sub("", path).casefold()


_MAX_CACHED_LENGTH = 256
_normalize_cached = lru_cache(maxsize=4096)(_normalize_uncached)


def _is_below(path: str, root: str) -> bool:
    """Whether a path is a directory or inside it."""
    return path == root or path.startswith(root if root.endswith("/") else root + "/")


def _has_unknown_piece(path: str) -> bool:
    """Whether a path has an unknown piece, or a drive, share or provider that no POSIX workspace contains."""
    return UNKNOWN_MARK in path or "\\" in path or (":" in path and _WINDOWS_PATH.search(path) is not None)


def _expand_home(path: str, directories: CallDirectories) -> str | None:
    """The path with the home directory instead of `~`; None if the home is unknown."""
    return (
        directories.home + path[1:] if directories.home and (path == "~" or path.startswith("~/")) else None
    )
