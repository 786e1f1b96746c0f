"""Reads files of the workspace: once, up to a size limit, and never from a secret path."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterable

from assent.config.files import open_without_links
from assent.config.workspace import UnresolvableError, resolve_path
from assent.engine.base.facts import CallDirectories, is_inside
from assent.engine.base.sensitive_paths import is_secret
from assent.gate.file_preview import MAX_FILE_BYTES, FileContent, UnreadReason


def read_workspace_file(path: str, directories: CallDirectories) -> FileContent:
    """Read the file at an absolute path; the result contains its content, or why it is not read."""
    try:
        real = resolve_path(path)
    except (OSError, UnresolvableError, ValueError):
        return FileContent(path, unread=UnreadReason.UNREACHABLE)
    if not is_inside(real, directories):
        return FileContent(real, unread=UnreadReason.OUTSIDE)
    if is_secret(path) or is_secret(real):
        return FileContent(real, unread=UnreadReason.SECRET)
    try:
        descriptor = open_without_links(real, os.O_RDONLY)
    except FileNotFoundError:
        # If the working directory is missing too, the file may be on the caller's machine.
        is_here = os.path.isdir(directories.cwd)
        return FileContent(real, unread=UnreadReason.ABSENT if is_here else UnreadReason.UNREACHABLE)
    except OSError as error:
        # The path was replaced by a link after it was resolved, so the target is unknown.
        outside = error.errno == errno.ELOOP
        return FileContent(real, unread=UnreadReason.OUTSIDE if outside else UnreadReason.UNREACHABLE)
    try:
        data = _read_limited(descriptor)
    except OSError:
        return FileContent(real, unread=UnreadReason.UNREACHABLE)
    finally:
        os.close(descriptor)
    return FileContent(real, unread=data) if isinstance(data, UnreadReason) else FileContent(real, data)


def file_digests(directories: CallDirectories, paths: Iterable[str]) -> dict[str, str]:
    """The SHA-256 digest of each readable file; rules identify input files by these digests."""
    found = ((path, read_workspace_file(path, directories)) for path in paths)
    return {path: hashlib.sha256(one.data).hexdigest() for path, one in found if one.unread is None}


def _read_limited(descriptor: int) -> bytes | UnreadReason:
    """Read an open regular file; returns a reason instead if the file is too large."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return UnreadReason.UNREACHABLE
    if status.st_size > MAX_FILE_BYTES:
        return UnreadReason.LARGE
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        # Reading one byte more than the limit detects a file that has grown since fstat.
        data = file.read(MAX_FILE_BYTES + 1)
    return data if len(data) <= MAX_FILE_BYTES else UnreadReason.LARGE
