"""The content of a file of the workspace: read once, within a bound, and never from a place for secrets."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterable

from assent.config.opening import open_path
from assent.config.resolve import Unresolvable, resolve
from assent.engine.facts import Place, is_inside
from assent.engine.secret_paths import is_secret
from assent.gate.file_preview import MAX_FILE_BYTES, FileContent, UnreadReason


def read_content(path: str, place: Place) -> FileContent:
    """The bytes of the file that an absolute path leads to, or why they are not read."""
    try:
        real = resolve(path)
    except (OSError, Unresolvable, ValueError):
        return FileContent(path, unread=UnreadReason.UNREACHABLE)
    if not is_inside(real, place):
        return FileContent(real, unread=UnreadReason.OUTSIDE)
    if is_secret(path) or is_secret(real):
        return FileContent(real, unread=UnreadReason.SECRET)
    try:
        descriptor = open_path(real, os.O_RDONLY)
    except FileNotFoundError:
        # A directory that is not here may be on the caller's machine, and so may the file be.
        is_here = os.path.isdir(place.cwd)
        return FileContent(real, unread=UnreadReason.ABSENT if is_here else UnreadReason.UNREACHABLE)
    except OSError as error:
        # A link that came in between leads nobody knows where.
        outside = error.errno == errno.ELOOP
        return FileContent(real, unread=UnreadReason.OUTSIDE if outside else UnreadReason.UNREACHABLE)
    try:
        data = _read(descriptor)
    except OSError:
        return FileContent(real, unread=UnreadReason.UNREACHABLE)
    finally:
        os.close(descriptor)
    return FileContent(real, unread=data) if isinstance(data, UnreadReason) else FileContent(real, data)


def digests(place: Place, paths: Iterable[str]) -> dict[str, str]:
    """The SHA-256 of each of these files that can be read; what a rule names a fed file by."""
    found = ((path, read_content(path, place)) for path in paths)
    return {path: hashlib.sha256(one.data).hexdigest() for path, one in found if one.unread is None}


def _read(descriptor: int) -> bytes | UnreadReason:
    """The bytes of an open file, up to the bound."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return UnreadReason.UNREACHABLE
    if status.st_size > MAX_FILE_BYTES:
        return UnreadReason.LARGE
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        # One byte more than the bound shows that there is more, whatever the size said.
        data = file.read(MAX_FILE_BYTES + 1)
    return data if len(data) <= MAX_FILE_BYTES else UnreadReason.LARGE
