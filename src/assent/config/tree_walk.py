"""Walks a tree of the workspace: do its links lead out, does it hold secrets, are its names plain?"""

import os
import re
import stat
import time
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from assent.config.file_kinds import exists
from assent.config.git_code import MAX_INDEX_BYTES
from assent.config.repository import find_repository
from assent.config.workspace import UnresolvableError, resolve_path
from assent.engine.base.facts import CallDirectories
from assent.engine.base.sensitive_paths import is_secret

MAX_DIRECTORIES = 50_000
MAX_NAMES = 400_000
"""The maximal number of names of one walk."""
MAX_CACHED_DIRECTORIES = 100_000
CLOCK_GRAIN_NS = 2_000_000_000
"""A directory that changed less than this time ago may change again without another time stamp."""
_ODD_NAME = re.compile(r"\s$|\s[-.~/]|[\"'\\\n\r\0]|^-")
"""A name that a reader of a list may take for an option, a quote, or a path elsewhere."""


class TreeSearch(NamedTuple):
    """What to search in a tree."""

    links: bool = False
    names: bool = False
    secrets: bool = False
    flat: bool = False
    """True if only the directory itself is listed."""
    visible: bool = False
    """True if hidden files and directories are left out."""
    tracked: bool = False
    """True if only files in the index of Git are listed."""
    excluded: tuple[str, ...] = ()
    included: tuple[str, ...] = ()

    @classmethod
    def from_text(cls, text: str) -> "TreeSearch":
        """Read the settings of a search: `secrets visible exclude=*.md`."""
        words = text.split()
        return cls(
            links="links" in words,
            names="names" in words,
            secrets="secrets" in words,
            flat="flat" in words,
            visible="visible" in words,
            tracked="tracked" in words,
            excluded=tuple(word.removeprefix("exclude=") for word in words if word.startswith("exclude=")),
            included=tuple(word.removeprefix("include=") for word in words if word.startswith("include=")),
        )

    def shows(self, name: str) -> bool:
        """Whether the walk does not leave out this name."""
        return not (self.visible and name.startswith("."))

    def lists(self, name: str) -> bool:
        """Whether the name of a link may match one of the only patterns that are listed."""
        folded = name.casefold()
        return not self.included or any(fnmatchcase(folded, one.casefold()) for one in self.included)

    def wants_secret(self, path: str) -> bool:
        """Whether a walk would read this file, and the file may hold secrets."""
        name = os.path.basename(path)
        if any(fnmatchcase(name, pattern) for pattern in self.excluded):
            return False
        if self.included and not any(fnmatchcase(name, pattern) for pattern in self.included):
            return False
        return is_secret(path)


class _Directory(NamedTuple):
    """The names in one directory that matter to a search."""

    directories: tuple[str, ...]
    links: tuple[str, ...]
    secrets: tuple[str, ...]
    odd: str
    size: int


_known: dict[tuple[int, ...], tuple[str, _Directory]] = {}


def find_in_tree(start: str, search: TreeSearch, directories: CallDirectories) -> str:
    """What a walk below a directory finds: a path, or why the tree cannot be walked; empty if nothing."""
    try:
        device = os.stat(start).st_dev
    except (FileNotFoundError, NotADirectoryError):
        return ""
    index = _read_index(start) if search.tracked else None
    waiting, seen, count = [start], {start}, 0
    while waiting:
        here = waiting.pop()
        status = os.lstat(here)
        if not stat.S_ISDIR(status.st_mode):
            continue
        if status.st_dev != device:
            return here
        found = _list_directory(here, status)
        count += found.size
        if len(seen) > MAX_DIRECTORIES or count > MAX_NAMES:
            return f"{here}, where the tree is too large"
        met, below = _find_in_directory(here, found, search, directories, index)
        if met:
            return met
        for path in below:
            if path not in seen:
                seen.add(path)
                waiting.append(path)
    return ""


def _find_in_directory(
    here: str, found: _Directory, search: TreeSearch, directories: CallDirectories, index: bytes | None
) -> tuple[str, list[str]]:
    """What a search finds in one directory, and the directories that it walks next."""
    if search.names and found.odd:
        return os.path.join(here, found.odd), []
    names = () if search.flat else found.directories
    below = [os.path.join(here, name) for name in names if search.shows(name)]
    paths = [os.path.join(here, name) for name in found.secrets if search.secrets and search.shows(name)]
    met = next((path for path in paths if search.wants_secret(path) and _is_tracked(path, index)), "")
    for name in found.links if search.links and not met else ():
        path = os.path.join(here, name)
        if not search.shows(name) or not search.lists(name) or not _is_tracked(path, index):
            continue
        target = _link_target(path, directories)
        if target is None:
            return path, []
        below += [] if search.flat else [target]
    return met, below


def _read_index(start: str) -> bytes | None:
    """The index of the repository that contains a directory; None if it is not known."""
    repository = find_repository(start)
    if repository is None:
        return None
    with open(os.path.join(repository.directory, "index"), "rb") as file:
        data = file.read(MAX_INDEX_BYTES)
    # Version 4 leaves out the beginning of paths.
    return data if data[:8] in (b"DIRC\0\0\0\2", b"DIRC\0\0\0\3") else None


def _is_tracked(path: str, index: bytes | None) -> bool:
    """Whether a file may be in the index; every file may be if the index is not known."""
    return index is None or os.fsencode(os.path.basename(path)) + b"\0" in index


def _link_target(path: str, directories: CallDirectories) -> str | None:
    """The target of a link; None if it leads out, holds secrets or is in a cycle."""
    try:
        target = resolve_path(path)
    except (OSError, UnresolvableError, ValueError):
        return None
    inside = any(target == root or target.startswith(root.rstrip("/") + "/") for root in directories.roots)
    return target if inside and not is_secret(target) and exists(target) else None


def _list_directory(path: str, status: os.stat_result) -> _Directory:
    """The names in a directory, from the cache if it did not change since it was read."""
    identity = (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
    known = _known.get(identity)
    if known is not None and known[0] == path:
        return known[1]
    now = time.time_ns()
    found = _read_directory(path)
    if now - max(status.st_mtime_ns, status.st_ctime_ns) > CLOCK_GRAIN_NS:
        if len(_known) >= MAX_CACHED_DIRECTORIES:
            _known.clear()
        _known[identity] = (path, found)
    return found


def _read_directory(path: str) -> _Directory:
    """Read the names in a directory."""
    inner: list[str] = []
    links: list[str] = []
    secrets: list[str] = []
    odd, count = "", 0
    for entry in _entries(path):
        count += 1
        if not odd and _ODD_NAME.search(entry.name):
            odd = entry.name
        if entry.is_symlink():
            links.append(entry.name)
        elif entry.is_dir(follow_symlinks=False):
            inner.append(entry.name)
        elif is_secret(entry.path):
            secrets.append(entry.name)
    return _Directory(tuple(inner), tuple(links), tuple(secrets), odd, count)


def _entries(path: str) -> Iterator[os.DirEntry[str]]:
    """Yield the entries of a directory, up to the limit of one walk."""
    with os.scandir(path) as entries:
        for count, entry in enumerate(entries):
            yield entry
            if count > MAX_NAMES:
                return
