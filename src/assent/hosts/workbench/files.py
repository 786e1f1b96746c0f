"""Lists, reads and changes the files below a root; never through a link, and never more than was asked."""

import ctypes
import errno
import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

from assent.config.workspace import UnresolvableError, resolve_path
from assent.engine.base.sensitive_paths import is_protected
from assent.gate.file_preview import MAX_FILE_BYTES, UnreadReason
from assent.gate.workspaces import is_below
from assent.hosts.workbench.refusal import Reason, WorkbenchError, os_refusal, report_os_errors
from assent.hosts.workbench.tree import (
    DirectoryEntry,
    join_path,
    open_directory,
    open_directory_entry,
    read_status,
    refuse_link,
    split_path,
)

MAX_ENTRIES = 5_000
"""The maximum number of entries that one listing returns."""
MAX_DELETED_ENTRIES = 10_000
"""The maximum number of files and directories that one deletion removes."""
_DRAFT_PREFIX = ".assent-draft-"


class EntryKind(StrEnum):
    """The kind of an entry of a directory."""

    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"
    OTHER = "other"


class Entry(NamedTuple):
    """An entry of a directory."""

    name: str
    kind: EntryKind
    size: int
    modified: datetime
    target: str | None = None
    """Where a link leads, from the root; None if that is outside, or the entry is not a link."""


class Listing(NamedTuple):
    """The entries of a directory by name."""

    path: str
    entries: tuple[Entry, ...]
    truncated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FileShown:
    """A file or directory as it is now."""

    path: str
    size: int
    modified: datetime | None
    digest: str
    """The SHA-256 of a file; empty for a directory, `absent` after a deletion."""
    data: bytes = b""
    """The content, only after reading."""

    @property
    def text(self) -> str | None:
        """The content as text; None if it is binary."""
        if b"\0" in self.data:
            return None
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError:
            return None


class _Content(NamedTuple):
    data: bytes
    digest: str
    status: os.stat_result


def list_directory(root: str, path: str) -> Listing:
    """List a directory."""
    names = split_path(path)
    shown = join_path(names)
    entries: list[Entry] = []
    with open_directory(root, names) as directory, report_os_errors(shown), os.scandir(directory) as found:
        for one in found:
            if len(entries) == MAX_ENTRIES:
                return Listing(shown, tuple(sorted(entries)), truncated=True)
            with suppress(FileNotFoundError):
                status = os.stat(one.name, dir_fd=directory, follow_symlinks=False)
                entries.append(_to_entry(root, names, one.name, status))
    return Listing(shown, tuple(sorted(entries)), truncated=False)


def read_file(root: str, path: str) -> FileShown:
    """Read a regular file."""
    with open_directory_entry(root, split_path(path)) as place:
        content = _read_content(place)
    return _file_shown(place.path, content.status, content.digest, content.data)


def create_file(root: str, path: str, data: bytes) -> FileShown:
    """Create a file that does not exist yet."""
    return write_file(root, path, data, UnreadReason.ABSENT, conflict=Reason.EXISTS)


def create_directory(root: str, path: str) -> FileShown:
    """Create a directory that does not exist yet."""
    with open_directory_entry(root, split_path(path)) as place:
        with report_os_errors(place.path):
            os.mkdir(place.name, dir_fd=place.directory)
        return _file_shown(place.path, read_status(place), "")


def write_file(
    root: str, path: str, data: bytes, digest: str | None, *, conflict: Reason = Reason.CHANGED
) -> FileShown:
    """Replace a file atomically, if it has this digest; `absent` for a file that must not exist.

    Without a digest, the file must only stay as it was when the change began.
    """
    _check_size(data)
    with open_directory_entry(root, split_path(path)) as place:
        before = _read_if_exists(place)
        current = UnreadReason.ABSENT.value if before is None else before.digest
        if digest is not None and digest != current:
            raise _changed_file_error(place.path, current, conflict)
        with _open_draft(place, data, None if before is None else before.status.st_mode) as draft:
            if before is None:
                _put_new(draft, place, conflict)
            else:
                _refuse_if_changed(place, before)
                with report_os_errors(place.path):
                    os.replace(draft, place.name, src_dir_fd=place.directory, dst_dir_fd=place.directory)
            _sync_directory(place.directory)
        return _file_shown(place.path, read_status(place), hashlib.sha256(data).hexdigest())


def rename(root: str, path: str, to: str, *, links: bool = False) -> FileShown:
    """Move a file or directory to a path that does not exist; with `links`, also a link itself."""
    with (
        open_directory_entry(root, split_path(path)) as source,
        open_directory_entry(root, split_path(to)) as target,
    ):
        if not links:
            refuse_link(source)
        with report_os_errors(target.path):
            rename_to_new(source, target)
        status = read_status(target)
        digest = ""
        if stat.S_ISREG(status.st_mode):
            # A large file was moved all the same; only its digest is not known.
            with suppress(WorkbenchError):
                digest = _read_content(target).digest
        return _file_shown(target.path, status, digest)


def delete(root: str, path: str, digest: str | None = None, *, by_agent: bool = False) -> FileShown:
    """Delete a file with this digest, or a directory with everything in it.

    A person may also delete a link itself. An agent's deletion must not include protected paths
    inside of a directory, because the question did not name them.
    """
    names = split_path(path)
    with open_directory_entry(root, names) as place:
        status = refuse_link(place) if by_agent else read_status(place)
        if stat.S_ISDIR(status.st_mode):
            _check_deletable(root, names, by_agent=by_agent)
            with report_os_errors(place.path):
                shutil.rmtree(place.name, dir_fd=place.directory)
        else:
            if digest is not None and (now := _read_content(place).digest) != digest:
                raise _changed_file_error(place.path, now)
            with report_os_errors(place.path):
                os.unlink(place.name, dir_fd=place.directory)
    return FileShown(path=place.path, size=0, modified=None, digest=UnreadReason.ABSENT.value)


def _to_entry(root: str, names: tuple[str, ...], name: str, status: os.stat_result) -> Entry:
    mode = status.st_mode
    kind = (
        EntryKind.FILE
        if stat.S_ISREG(mode)
        else EntryKind.DIRECTORY
        if stat.S_ISDIR(mode)
        else EntryKind.LINK
        if stat.S_ISLNK(mode)
        else EntryKind.OTHER
    )
    target = _find_target(root, (*names, name)) if kind is EntryKind.LINK else None
    return Entry(name, kind, status.st_size, _modification_time(status), target)


def _find_target(root: str, names: tuple[str, ...]) -> str | None:
    """Where a link leads, from the root; it is shown only, and never opened."""
    try:
        real = resolve_path(root + join_path(names))
    except (OSError, UnresolvableError, ValueError):
        return None
    return (real[len(root) :] or "/") if is_below(real, root) else None


def _read_if_exists(place: DirectoryEntry) -> _Content | None:
    try:
        return _read_content(place)
    except WorkbenchError as error:
        if error.reason is Reason.ABSENT:
            return None
        raise


def _read_content(place: DirectoryEntry) -> _Content:
    """Read a regular file of limited size, through no link."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    with report_os_errors(place.path):
        descriptor = os.open(place.name, flags, dir_fd=place.directory)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise WorkbenchError(Reason.KIND, f"`{place.path}` is not a file")
            data = b"" if status.st_size > MAX_FILE_BYTES else file.read(MAX_FILE_BYTES + 1)
    if max(len(data), status.st_size) > MAX_FILE_BYTES:
        raise WorkbenchError(Reason.LARGE, f"`{place.path}` is larger than {MAX_FILE_BYTES:,} bytes")
    return _Content(data, hashlib.sha256(data).hexdigest(), status)


@contextmanager
def _open_draft(place: DirectoryEntry, data: bytes, mode: int | None) -> Generator[str]:
    """Write the new content beside the file; the draft is removed if it was not moved to its place."""
    draft = _DRAFT_PREFIX + secrets.token_hex(8)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with report_os_errors(place.path):
        descriptor = os.open(draft, flags, 0o666, dir_fd=place.directory)
    try:
        with report_os_errors(place.path), os.fdopen(descriptor, "wb") as file:
            if mode is not None:
                os.fchmod(descriptor, stat.S_IMODE(mode))
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        yield draft
    finally:
        with suppress(OSError):
            os.unlink(draft, dir_fd=place.directory)


def _put_new(draft: str, place: DirectoryEntry, conflict: Reason) -> None:
    """Give the draft its name, unless something has this name by now."""
    try:
        rename_to_new(place._replace(name=draft), place)
    except FileExistsError:
        status = read_status(place)
        reason = Reason.LINK if stat.S_ISLNK(status.st_mode) else conflict
        raise WorkbenchError(reason, f"`{place.path}` was created meanwhile") from None
    except OSError as error:
        raise os_refusal(error, place.path) from None


def _refuse_if_changed(place: DirectoryEntry, before: _Content) -> None:
    """Refuse to replace a file that is not the one that was read."""
    now = _read_if_exists(place)
    if now is None or now.digest != before.digest:
        raise _changed_file_error(place.path, UnreadReason.ABSENT.value if now is None else now.digest)


def _changed_file_error(path: str, digest: str, reason: Reason = Reason.CHANGED) -> WorkbenchError:
    message = "exists already" if reason is Reason.EXISTS else "has changed since it was shown"
    return WorkbenchError(reason, f"`{path}` {message}", digest=digest)


def _check_size(data: bytes) -> None:
    if len(data) > MAX_FILE_BYTES:
        raise WorkbenchError(Reason.LARGE, f"the text is larger than {MAX_FILE_BYTES:,} bytes")


def _check_deletable(root: str, names: tuple[str, ...], *, by_agent: bool) -> None:
    """Refuse to delete a directory with too many entries, and for an agent one with protected paths."""
    count = 0
    waiting = [names]
    while waiting:
        here = waiting.pop()
        with (
            open_directory(root, here) as directory,
            report_os_errors(join_path(here)),
            os.scandir(directory) as found,
        ):
            entries = [(one.name, one.is_dir(follow_symlinks=False)) for one in found]
        for name, is_directory in entries:
            count += 1
            if count > MAX_DELETED_ENTRIES:
                raise WorkbenchError(
                    Reason.LARGE, f"`{join_path(names)}` has more than {MAX_DELETED_ENTRIES:,} entries"
                )
            below = (*here, name)
            if by_agent and is_protected(join_path(below)) and not is_protected(join_path(names)):
                raise WorkbenchError(
                    Reason.PROTECTED, f"`{join_path(names)}` contains the protected path `{join_path(below)}`"
                )
            if is_directory:
                waiting.append(below)


def _sync_directory(directory: int) -> None:
    """Make a new name survive a power failure, where the file system supports this."""
    with suppress(OSError):
        readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=directory)
        try:
            os.fsync(readable)
        finally:
            os.close(readable)


def _modification_time(status: os.stat_result) -> datetime:
    return datetime.fromtimestamp(status.st_mtime, UTC)


def _file_shown(path: str, status: os.stat_result, digest: str, data: bytes = b"") -> FileShown:
    return FileShown(
        path=path, size=status.st_size, modified=_modification_time(status), digest=digest, data=data
    )


_NO_REPLACE = 1
"""RENAME_NOREPLACE of Linux."""
_NOT_SUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})


def rename_to_new(source: DirectoryEntry, target: DirectoryEntry) -> None:
    """Rename; raises `FileExistsError` if something has the new name."""
    call = _load_renameat2()
    if call is not None:
        old, new = os.fsencode(source.name), os.fsencode(target.name)
        if call(source.directory, old, target.directory, new, _NO_REPLACE) == 0:
            return
        number = ctypes.get_errno()
        if number not in _NOT_SUPPORTED:
            raise OSError(number, os.strerror(number))
    _check_then_rename(source, target)


def _check_then_rename(source: DirectoryEntry, target: DirectoryEntry) -> None:
    """Two steps, for systems and file systems without the single one."""
    try:
        os.stat(target.name, dir_fd=target.directory, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(source.name, target.name, src_dir_fd=source.directory, dst_dir_fd=target.directory)
    else:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))


@cache
def _load_renameat2() -> Any:
    """The function of the C library; None if it has none."""
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
