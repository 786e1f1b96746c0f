"""The files that define what the commands of packs run, and the digests of them that a person approved."""

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Generator, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import cast

from assent.config.file_kinds import exists, is_directory, is_link
from assent.config.files import read_source
from assent.config.small_files import UnsafeFileError, read_small_file
from assent.config.strictjson import read_json
from assent.engine.base.facts import CallDirectories
from assent.engine.programs.packs import PACKS
from assent.errors import ConfigError, InputError

Pins = Mapping[str, str]
"""The approved digest of each task file, by its absolute path."""

MAX_TASK_FILES = 500
MAX_NAMES = 20_000
"""The maximal number of directory entries that one search reads."""
UNREAD = "-"
"""The mark of a file that cannot be read, instead of its digest."""
_SKIPPED = frozenset("node_modules target dist build vendor venv __pycache__ site-packages".split())
"""Directories that no package of a project is in."""


def find_changed_tasks(
    start: str, patterns: tuple[str, ...], pins: Pins, directories: CallDirectories
) -> str:
    """The task files without an approved digest, one per line after their digest; empty if there is none."""
    found: list[str] = []
    budget = iter(range(MAX_NAMES))
    try:
        for count, path in enumerate(_task_files(start, patterns, directories, budget)):
            digest = _file_digest(path, directories)
            if count >= MAX_TASK_FILES:
                return f"{UNREAD} {start}"
            if digest == UNREAD or pins.get(path) != digest:
                found.append(f"{digest} {path}")
    except (OSError, UnsafeFileError):
        return f"{UNREAD} {start}"
    # A name with a line break could look like another file.
    return "\n".join(found) if all("\n" not in one for one in found) else f"{UNREAD} {start}"


def fitting_packs(directory: str) -> list[str]:
    """The packs whose files are present in a directory."""
    return [
        name
        for name, pack in PACKS.items()
        if any(os.path.lexists(os.path.join(directory, file)) for file in pack.files)
    ]


def load_pins(path: str) -> Pins:
    """Load the approved digests; a missing file approves nothing, an invalid file is an error."""
    if not os.path.lexists(path):
        return {}
    source = read_source(path, guarded=True)
    try:
        value = read_json(source.data, "it")
    except InputError as error:
        raise ConfigError(path, f"{error}; remove it to approve no task file") from None
    found = cast("dict[str, object]", value).get("files") if isinstance(value, dict) else None
    pins = cast("dict[str, object]", found) if isinstance(found, dict) else {"": None}
    if not all(isinstance(digest, str) for digest in pins.values()):
        raise ConfigError(path, "`files` must hold digests; remove the file to approve no task file")
    return cast("dict[str, str]", pins)


def add_pins(path: str, more: Pins) -> None:
    """Approve these files with these digests, also if other processes do so at the same time."""
    if not more:
        return
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with _lock_file(f"{path}.lock"):
            text = json.dumps({"files": {**load_pins(path), **more}}, indent=2)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(f"{path}.new", flags, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(f"{path}.new", path)
    except OSError as error:
        raise ConfigError(path, f"cannot be written: {error.strerror}") from None


@contextlib.contextmanager
def _lock_file(path: str) -> Generator[None]:
    """Hold a lock that other processes of this user respect."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _task_files(
    start: str, patterns: tuple[str, ...], directories: CallDirectories, budget: Iterator[int]
) -> Iterator[str]:
    """Yield the task files of a directory and of those above it, up to the root of the workspace.

    Patterns with a directory count in the root and in the start directory only.
    """
    place = start if is_directory(start) else os.path.dirname(start)
    seen: set[str] = set()
    while True:
        is_root = place in directories.roots
        for pattern in patterns:
            if pattern.startswith("*/") and not (is_root or place == start):
                continue
            for path in _matches(place, pattern.split("/"), budget):
                if path not in seen:
                    seen.add(path)
                    yield path
        parent = os.path.dirname(place)
        if is_root or parent == place:
            return
        place = parent


def _matches(place: str, names: list[str], budget: Iterator[int]) -> Iterator[str]:
    """Yield the files below a directory whose path matches names, which may be globs."""
    name, *rest = names
    if "*" not in name:
        found = [os.path.join(place, name)]
    elif not rest or is_directory(place):
        found = [os.path.join(place, one) for one in _list_names(place, budget) if _is_match(one, name, rest)]
    else:
        found = []
    for path in found:
        if rest:
            # A link to a directory is not followed: its target is checked where it is.
            if "*" not in name or not is_link(path):
                yield from _matches(path, rest, budget)
        elif exists(path) and (is_link(path) or not is_directory(path)):
            yield path


def _is_match(found: str, name: str, rest: list[str]) -> bool:
    """Whether a name in a directory matches a glob; hidden and generated directories hold no packages."""
    return fnmatchcase(found, name) and not (rest and (found.startswith(".") or found in _SKIPPED))


def _list_names(place: str, budget: Iterator[int]) -> list[str]:
    try:
        with os.scandir(place) as entries:
            names: list[str] = []
            for entry in entries:
                if next(budget, None) is None:
                    raise UnsafeFileError(f"`{place}` has too many names")
                names.append(entry.name)
            return sorted(names)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _file_digest(path: str, directories: CallDirectories) -> str:
    """The SHA-256 of a file; a mark for a file that cannot be read safely, such as a link that leads out."""
    try:
        data = read_small_file(path, directories.roots)
    except UnsafeFileError:
        return UNREAD
    return UNREAD if data is None else hashlib.sha256(data).hexdigest()
