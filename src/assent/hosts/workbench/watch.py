"""Notices changes of directories by comparing them about once a second; no link is followed."""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from assent.hosts.workbench.files import MAX_ENTRIES
from assent.hosts.workbench.refusal import Reason, WorkbenchError
from assent.hosts.workbench.roots import Root
from assent.hosts.workbench.tree import open_directory, split_path

MAX_WATCHED = 200
"""The maximum number of directories that one page watches."""
COMPARE_SECONDS = 1.0
Fingerprint = int | None
"""What is compared of a directory; None if it cannot be read."""


class WatchedDirectory(NamedTuple):
    """A directory that a page shows."""

    root: Root
    path: str


class DirectoryState(StrEnum):
    """What happened to a watched directory."""

    CHANGED = "changed"
    GONE = "gone"


class DirectoryChange(NamedTuple):
    """A change of a watched directory."""

    directory: WatchedDirectory
    state: DirectoryState


class DirectoryWatch:
    """The directories that one page watches."""

    def __init__(self, *, seconds: float = COMPARE_SECONDS) -> None:
        self._seconds = seconds
        self._known: Mapping[WatchedDirectory, Fingerprint] = {}

    async def replace(self, directories: Sequence[WatchedDirectory]) -> None:
        """Watch these directories, and no others, from their current state."""
        if len(directories) > MAX_WATCHED:
            raise WorkbenchError(Reason.LARGE, f"a page watches at most {MAX_WATCHED} directories")
        self._known = await asyncio.to_thread(_fingerprints, directories)

    async def compare(self) -> Sequence[DirectoryChange]:
        """The directories that changed since the last comparison."""
        before = self._known
        now = await asyncio.to_thread(_fingerprints, list(before))
        if self._known is not before:
            return ()  # The list was replaced meanwhile.
        self._known = now
        return [
            DirectoryChange(one, DirectoryState.GONE if now[one] is None else DirectoryState.CHANGED)
            for one in before
            if now[one] != before[one]
        ]

    async def changes(self) -> AsyncGenerator[DirectoryChange]:
        """All changes, for as long as the page watches."""
        while True:
            await asyncio.sleep(self._seconds)
            for change in await self.compare():
                yield change


def _fingerprints(directories: Sequence[WatchedDirectory]) -> Mapping[WatchedDirectory, Fingerprint]:
    return {one: _fingerprint(one) for one in directories}


def _fingerprint(watched: WatchedDirectory) -> Fingerprint:
    try:
        with (
            open_directory(watched.root.directory, split_path(watched.path)) as directory,
            os.scandir(directory) as found,
        ):
            return hash(frozenset(_entry_facts(one) for one in islice(found, MAX_ENTRIES)))
    except (OSError, WorkbenchError):
        return None


def _entry_facts(entry: "os.DirEntry[str]") -> tuple[object, ...]:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return (entry.name,)
    return entry.name, status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns
