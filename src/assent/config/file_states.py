"""What a file is before a command edits it: new, a directory, or unchanged since Git recorded it.

The index of the repository is read directly, and Git is never started, because its configuration may
name programs. Every doubt gives no state, and then the command asks.
"""

import hashlib
import os
import stat

from assent.engine.base.facts import FileState
from assent.engine.base.globs import has_glob

MAX_FILE_SIZE = 4 * 1024 * 1024
"""The maximal size of a file whose content is compared with the index."""
MAX_INDEX_SIZE = 64 * 1024 * 1024
MAX_NAME_LENGTH = 255
_INDEX_VERSIONS = (2, 3)
"""Versions in which names stand as written; version 4 shortens them."""
_HEADER_SIZE = 12
_HASH_SIZE = 20
_FLAGS_SIZE = 2
_REGULAR_MODES = (0o100644, 0o100755)
_MODE_OFFSET = 24
_ENTRY_SIZE = 62
"""The size of an index entry before its name."""
_INTENT_TO_ADD = b"\xe6\x9d\xe2\x9b\xb2\xd1\xd6\x43\x4b\x8b\x29\xae\x77\x5a\xd8\xc2\xe4\x8c\x53\x91"
"""The hash of an empty file, which the index also has for a file without a recorded content."""


def find_file_state(path: str, real: tuple[str, ...]) -> FileState | None:
    """The state of a path whose real paths are known; None if an edit of it could lose or open something."""
    try:
        if has_glob(path):
            states = {_state_of_file(one) for one in real} if path not in real else {None}
            return FileState.CLEAN if states == {FileState.CLEAN} else None
        return _state_of_path(path, real[0]) if len(real) == 1 else None
    except (OSError, ValueError):
        return None


def _state_of_path(path: str, real: str) -> FileState | None:
    """The state of a path without globs."""
    if os.path.islink(path.rstrip("/") or "/"):
        return None
    return _state_of_file(real)


def _state_of_file(path: str) -> FileState | None:
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return FileState.NEW
    if stat.S_ISDIR(found.st_mode):
        return FileState.DIRECTORY
    if (
        not stat.S_ISREG(found.st_mode)
        or found.st_nlink != 1
        or found.st_mode & (stat.S_ISUID | stat.S_ISGID)
    ):
        return None
    if found.st_size > MAX_FILE_SIZE:
        return FileState.FILE
    return FileState.CLEAN if _is_recorded(path) else FileState.FILE


def _is_recorded(path: str) -> bool:
    """Whether the index of the repository records exactly this content of the file."""
    repository = _find_repository(os.path.dirname(path))
    if repository is None:
        return False
    root, folder = repository
    name = os.fsencode(os.path.relpath(path, root))
    index = _read_regular_file(os.path.join(folder, "index"), MAX_INDEX_SIZE)
    if index is None or len(name) > MAX_NAME_LENGTH or not _is_supported(index):
        return False
    recorded = _find_recorded_hash(index, name)
    if recorded is None or recorded == _INTENT_TO_ADD:
        return False
    content = _read_regular_file(path, MAX_FILE_SIZE)
    return content is not None and _blob_hash(content) == recorded


def _find_repository(directory: str) -> tuple[str, str] | None:
    """The root of the work tree that contains a directory, and its folder of Git."""
    while True:
        named = os.path.join(directory, ".git")
        if os.path.isdir(named) and not os.path.islink(named):
            return directory, named
        if os.path.lexists(named):
            link = _read_regular_file(named, MAX_NAME_LENGTH * 16)
            if link is None or not link.startswith(b"gitdir:"):
                return None
            folder = os.fsdecode(link.removeprefix(b"gitdir:").strip())
            return directory, os.path.join(directory, folder)
        above = os.path.dirname(directory)
        if above == directory:
            return None
        directory = above


def _is_supported(index: bytes) -> bool:
    """Whether this is an index whose names can be searched."""
    return index[:4] == b"DIRC" and int.from_bytes(index[4:8], "big") in _INDEX_VERSIONS


def _find_recorded_hash(index: bytes, name: bytes) -> bytes | None:
    """The hash that the index records for a name; None if the name is missing or in conflict."""
    # The flags before the name hold its length and the stage 0; no name can imitate their zero byte.
    at = index.find(b"\0" + bytes([len(name)]) + name + b"\0", _HEADER_SIZE)
    start = at + _FLAGS_SIZE - _ENTRY_SIZE
    if at < 0 or start < _HEADER_SIZE:
        return None
    mode = int.from_bytes(index[start + _MODE_OFFSET : start + _MODE_OFFSET + 4], "big")
    return index[at - _HASH_SIZE : at] if mode in _REGULAR_MODES else None


def _blob_hash(content: bytes) -> bytes:
    """The hash under which Git stores a file with this content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).digest()


def _read_regular_file(path: str, limit: int) -> bytes | None:
    """The content of a regular file; None if it is a link, something else or too large."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > limit:
            return None
        return file.read(limit + 1)
