"""Facts: what a decision needs to know about the file system, gathered before it and stored with it."""

import posixpath
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.lazy import regex
from assent.engine.base.value import Value

_TRAILING = regex(r"(?<=[^/. ])[. ]+(?=/|$)")
"""Dots and blanks at the end of a name, which file systems without letter case also ignore."""

_NOT_POSIX = regex(r"::|^[^\W\d_]:")
"""A drive letter, or a provider of PowerShell."""


class Place(Value):
    """Where a call runs."""

    roots: tuple[str, ...]
    """The directories of the workspace as absolute real paths; the first one is the workspace root."""
    cwd: str
    home: str = ""
    case_sensitive: bool = True


class Facts(Value):
    """A place and the paths of its file system; a path that is not in here counts as outside."""

    place: Place
    real: Mapping[str, tuple[str, ...]] = dict[str, tuple[str, ...]]()
    """The real paths of each absolute path as written; a glob can have several."""
    contents: Mapping[str, str] = dict[str, str]()
    """The SHA-256 of each regular file that is fed to a command, by its absolute path as written."""
    trusted_repository: bool = False
    """A person trusted the configuration of this repository, and it has not changed since."""


class PathUse(NamedTuple):
    """A path as a call writes it, and how to read it."""

    text: str
    directory: str = ""
    """The directory that the line changed to with `cd`, relative to the place."""
    tilde: bool = False
    glob: bool = False
    listed: bool = False
    """It means names that a listing finds below its directory."""
    if_unset: str = ""
    """Its text if the variables in it are not set, where the call states that."""
    certain: bool = False
    """The listed names certainly exist, and none of them is a link."""
    anchored: bool = False
    """It starts at the workspace root, even with a leading slash."""

    def absolute(self, place: Place) -> str | None:
        """The absolute path as written, including `..`; None when it cannot be known."""
        if self.anchored:
            return (
                posixpath.join(place.roots[0], self.text.lstrip("/"))
                if UNKNOWN_MARK not in self.text
                else None
            )
        path = _expand_home(self.text, place) if self.tilde else self.text
        if path is None or _is_unknown(path):
            return None
        if path.startswith("/"):
            return path
        base = self._base_directory(place) if self.directory else place.cwd
        if base is None or path in ("", ".", "./"):
            return base
        return f"{base}/{path}" if base != "/" else base + path

    def _base_directory(self, place: Place) -> str | None:
        """The absolute directory that the line changed to."""
        directory = self.directory
        base = _expand_home(directory, place) if directory.startswith("~") else directory
        if base is None or _is_unknown(base):
            return None
        return posixpath.join(place.cwd, base)


def normalize_path(path: str, place: Place) -> str:
    """An absolute path as rules compare it: without `..`, in one Unicode form, and folded if the place is."""
    plain = path[:1] == "/" and not ("/." in path or "//" in path or path[-1] == "/")
    if plain and place.case_sensitive and path.isascii():
        return path
    normalize = _cached_normal_path if len(path) <= _LONGEST_CACHED else _normal_path
    return normalize(path, place.case_sensitive)


def is_inside(path: str, place: Place) -> bool:
    """Whether an absolute path lies in the workspace."""
    path = normalize_path(path, place)
    return any(_is_below(path, normalize_path(root, place)) for root in place.roots)


def to_rule_path(path: str, place: Place) -> str:
    """A path as a rule writes it: relative to the workspace root if it is inside."""
    root = normalize_path(place.roots[0], place)
    if is_inside(path, place) and (path == root or path.startswith(root.rstrip("/") + "/")):
        return "/" + path[len(root) :].lstrip("/")
    return "/" + path


def _normal_path(path: str, case_sensitive: bool) -> str:  # noqa: FBT001 - a cache takes no keywords
    path = unicodedata.normalize("NFC", posixpath.normpath(path))
    path = path if not path.startswith("//") else path[1:]
    return path if case_sensitive else _TRAILING.sub("", path).casefold()


_LONGEST_CACHED = 256
_cached_normal_path = lru_cache(maxsize=4096)(_normal_path)


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root if root.endswith("/") else root + "/")


def _is_unknown(path: str) -> bool:
    """Whether it has an unknown piece, or a drive, share or provider, which no POSIX workspace contains."""
    return UNKNOWN_MARK in path or "\\" in path or (":" in path and _NOT_POSIX.search(path) is not None)


def _expand_home(path: str, place: Place) -> str | None:
    return place.home + path[1:] if place.home and (path == "~" or path.startswith("~/")) else None
