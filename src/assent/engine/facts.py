"""Facts: what deciding needs to know of the world, gathered before it and stored with it."""

import posixpath
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from assent.engine.globs import HOLE
from assent.engine.regex import regex
from assent.engine.value import Value

_TRAILING = regex(r"(?<=[^/. ])[. ]+(?=/|$)")
"""Dots and blanks at the end of a name, which file systems that fold letter case leave out, too."""

_ELSEWHERE = regex(r"::|^[^\W\d_]:")
"""A drive letter or a provider."""


class Place(Value):
    """Where a call would happen."""

    roots: tuple[str, ...]
    """The workspace: absolute real paths, the first one being *the* root."""
    cwd: str
    home: str = ""
    case_sensitive: bool = True


class Facts(Value):
    """A place and what its file system says; a path without a fact is outside."""

    place: Place
    real: Mapping[str, tuple[str, ...]] = dict[str, tuple[str, ...]]()
    """For each absolute path as written, the real paths it stands for (a glob may have many)."""
    contents: Mapping[str, str] = dict[str, str]()
    """For each absolute path as written of a regular file that is fed to a command, its SHA-256."""
    trusted_repository: bool = False
    """A person trusted this repository's own configuration, and it has not changed since."""


class PathUse(NamedTuple):
    """A path as a call spells it, and how to read it."""

    text: str
    directory: str = ""
    """Where the line had gone by `cd`, relative to the place."""
    tilde: bool = False
    glob: bool = False
    listed: bool = False
    """It stands for names found below its directory."""
    otherwise: str = ""
    """What it is if the variables in it are not set, where the call says that."""
    surely: bool = False
    """They are sure to be there: none of them is a link."""
    anchored: bool = False
    """Its root is the workspace's, whatever it begins with."""

    def absolute(self, place: Place) -> str | None:
        """The absolute path as written, `..` and all, or None when it cannot be known."""
        if self.anchored:
            return posixpath.join(place.roots[0], self.text.lstrip("/")) if HOLE not in self.text else None
        path = _home(self.text, place) if self.tilde else self.text
        if path is None or _unknown(path):
            return None
        if path.startswith("/"):
            return path
        base = self._base(place) if self.directory else place.cwd
        if base is None or path in ("", ".", "./"):
            return base
        return f"{base}/{path}" if base != "/" else base + path

    def _base(self, place: Place) -> str | None:
        """The directory that the line had gone to."""
        directory = self.directory
        base = _home(directory, place) if directory.startswith("~") else directory
        if base is None or _unknown(base):
            return None
        return posixpath.join(place.cwd, base)


def spelled(path: str, place: Place) -> str:
    """An absolute path as rules compare it: no `..`, one Unicode form, folded where files are."""
    plain = path[:1] == "/" and not ("/." in path or "//" in path or path[-1] == "/")
    if plain and place.case_sensitive and path.isascii():
        return path
    spell = _kept_spelling if len(path) <= _LONGEST_KEPT else _spell
    return spell(path, place.case_sensitive)


def inside(path: str, place: Place) -> bool:
    """Whether an absolute path lies in the workspace."""
    path = spelled(path, place)
    return any(_below(path, spelled(root, place)) for root in place.roots)


def from_root(path: str, place: Place) -> str:
    """A path as a rule writes it: from the workspace's root if it is in there."""
    root = spelled(place.roots[0], place)
    if inside(path, place) and (path == root or path.startswith(root.rstrip("/") + "/")):
        return "/" + path[len(root) :].lstrip("/")
    return "/" + path


def _spell(path: str, case_sensitive: bool) -> str:  # noqa: FBT001 - a cache takes no keywords
    path = unicodedata.normalize("NFC", posixpath.normpath(path))
    path = path if not path.startswith("//") else path[1:]
    return path if case_sensitive else _TRAILING.sub("", path).casefold()


_LONGEST_KEPT = 256
_kept_spelling = lru_cache(maxsize=4096)(_spell)


def _below(path: str, root: str) -> bool:
    return path == root or path.startswith(root if root.endswith("/") else root + "/")


def _unknown(path: str) -> bool:
    """Whether it holds a hole; or a drive, a share or a provider, none of which is in a POSIX workspace."""
    return HOLE in path or "\\" in path or (":" in path and _ELSEWHERE.search(path) is not None)


def _home(path: str, place: Place) -> str | None:
    return place.home + path[1:] if place.home and (path == "~" or path.startswith("~/")) else None
