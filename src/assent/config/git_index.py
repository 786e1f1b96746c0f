"""Reads the index of a Git repository: the paths of its submodules."""

import os
import re
import stat
import struct
import time
from functools import lru_cache

from assent.config.small_files import UnsafeFileError

MAX_INDEX_BYTES = 256 * 1024 * 1024
_GITLINK_MODE = b"\0\0\xe0\0"
"""The mode of a submodule in an entry."""
_GITLINK_SEARCH = re.compile(re.escape(_GITLINK_MODE))
_MODE_AT = 24
"""The position of the mode in an entry."""
_CLOCK_GRAIN_NS = 2_000_000_000
"""A file that changed less than this time ago may change again without another time stamp."""


def find_submodules(path: str) -> tuple[str, ...]:
    """The paths of all submodules in an index file; an index that cannot be read is an error."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return ()
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_INDEX_BYTES:
        raise UnsafeFileError(f"`{path}` is no regular file, or too large")
    identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    if time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) < _CLOCK_GRAIN_NS:
        return _read_submodules(path)
    return _read_submodules_once(path, identity)


@lru_cache(maxsize=256)
def _read_submodules_once(path: str, identity: tuple[int, ...]) -> tuple[str, ...]:  # noqa: ARG001 - part of the key
    """Read an index that did not change since it was last read."""
    return _read_submodules(path)


def _read_submodules(path: str) -> tuple[str, ...]:
    """Read an index, and list its submodules."""
    with open(path, "rb") as file:
        data = file.read(MAX_INDEX_BYTES + 1)
    try:
        return _list_submodules(data)
    except (struct.error, ValueError, IndexError):
        raise UnsafeFileError(f"`{path}` is no index that can be read") from None


def _list_submodules(data: bytes) -> tuple[str, ...]:
    """List the submodules in the content of an index."""
    signature, version, count = struct.unpack_from(">4sII", data)
    if signature != b"DIRC" or version not in (2, 3, 4):
        raise ValueError(version)
    if b"link" in data[-1_000_000:] and _has_shared_index(data):
        raise ValueError("split index")
    # Most indexes have no submodule; this search is much faster than a loop over all entries, and than `in`.
    if _GITLINK_SEARCH.search(data) is None:
        return ()
    found: list[str] = []
    for hash_size in (20, 32):
        try:
            found.extend(_parse_entries(data, version, count, hash_size))
        except (struct.error, ValueError, IndexError):
            continue
        return tuple(found)
    raise ValueError("entries")


def _has_shared_index(data: bytes) -> bool:
    """Whether an extension names another file with more entries."""
    at = data.rfind(b"link")
    while at > 0:
        size = int.from_bytes(data[at + 4 : at + 8], "big")
        if 20 <= size <= len(data) - at:
            return True
        at = data.rfind(b"link", 0, at)
    return False


def _parse_entries(data: bytes, version: int, count: int, hash_size: int) -> list[str]:
    """Parse all entries, and return the paths of submodules."""
    found: list[str] = []
    at, previous = 12, b""
    for _ in range(count):
        mode = data[at + _MODE_AT : at + _MODE_AT + 4]
        if mode[:2] != b"\0\0" or len(mode) < 4:
            raise ValueError("mode")
        name_at = at + 40 + hash_size + 2
        if data[name_at - 2] & 0x40:
            name_at += 2
        if version == 4:
            removed, name_at = _read_number(data, name_at)
            end = data.index(b"\0", name_at)
            name = previous[: len(previous) - removed] + data[name_at:end]
            at, previous = end + 1, name
        else:
            end = data.index(b"\0", name_at)
            name = data[name_at:end]
            at += (end - at + 8) // 8 * 8
        if not name or b"\0" in name:
            raise ValueError("name")
        if mode == _GITLINK_MODE:
            found.append(os.fsdecode(name))
    return found


def _read_number(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of variable length, and return it with the position after it."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
    return value, at + 1
