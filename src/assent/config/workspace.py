"""Collects facts about the paths of a call, from the file system and the index of Git."""

import hashlib
import os
import posixpath
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping

from assent.config.file_kinds import exists, is_directory, is_link
from assent.engine.base.facts import CallDirectories, EditablePath, Facts, FileState, is_inside
from assent.engine.base.globs import has_glob, matches_component

MAX_CASE_PROBES = 16


def directories_on_disk(cwd: str, roots: Iterable[str], home: str) -> CallDirectories:
    """Build a workspace that exists on disk, with the real paths of its root directories."""
    real = tuple(dict.fromkeys(os.path.realpath(root) for root in roots))
    return CallDirectories(
        roots=real, cwd=cwd, home=home and os.path.realpath(home), case_sensitive=is_case_sensitive(real[0])
    )


def directories_without_disk(root: str, home: str) -> CallDirectories:
    """Build a workspace that does not exist on disk; its paths are not resolved."""
    root = posixpath.normpath(root)
    return CallDirectories(roots=(root,), cwd=root, home=home)


def gather_facts(
    directories: CallDirectories,
    wanted: Iterable[str],
    *,
    trusts: Callable[[str], bool],
    contents: Mapping[str, str] | None = None,
    findings: Mapping[str, str] | None = None,
) -> Facts:
    """Resolve the paths of a call; a path that cannot be resolved counts as outside the workspace.

    `trusts` returns whether the repository that contains a directory is trusted.
    `contents` are the digests of files that commands read as input, `findings` those of searches.
    """
    real: dict[str, tuple[str, ...]] = {}
    files: dict[str, FileState] = {}
    for path in wanted:
        try:
            real[path] = _real_paths(path)
        except (OSError, UnresolvableError, ValueError):
            continue
        if any(map(_is_owned_by_another, real[path])) and not _are_inside(real[path], directories):
            # Another user may exchange it, so it counts as a path outside of every place.
            real[path] += ("/",)
        if isinstance(path, EditablePath) and (state := find_file_state(path, real[path])) is not None:
            files[path] = state
    trusted = _are_repositories_trusted(directories, real, trusts)
    return Facts(
        directories=directories,
        real=real,
        contents=contents or {},
        files=files,
        trusted_repository=trusted,
        findings=findings or {},
    )


def facts_without_disk(
    directories: CallDirectories,
    wanted: Iterable[str],
    *,
    trusted_repository: bool,
    findings: Mapping[str, str] | None = None,
    clean: bool = False,
) -> Facts:
    """Build facts for a workspace that does not exist on disk: paths without links, no file contents.

    In a clean workspace, every file is recorded in the index and unchanged.
    """
    real = {path: (posixpath.normpath(path),) for path in wanted}
    edited = (path for path in real if clean and isinstance(path, EditablePath))
    return Facts(
        directories=directories,
        real=real,
        files=dict.fromkeys(map(str, edited), FileState.CLEAN),
        trusted_repository=trusted_repository,
        findings=findings or {},
    )


def is_case_sensitive(directory: str) -> bool:
    """Whether `A` and `a` are different files in this directory; checked without writing a file."""
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for entry, _ in zip(entries, range(MAX_CASE_PROBES), strict=False)]
    except OSError:
        return True
    for path in (*(os.path.join(directory, name) for name in names), directory):
        other = os.path.join(os.path.dirname(path), os.path.basename(path).swapcase())
        if other != path:
            return not _is_same_file(path, other)
    return True


MAX_LINKS = 40
MAX_MATCHES = 1_000
MAX_ENTRIES = 20_000
"""Maximum number of directory entries that one glob expansion reads."""

_TEMPORARY_OF_USER = re.compile(r"(?:/private)?/tmp/claude-([0-9]{1,9})(?=/)")
"""Where Claude Code keeps files of a user for the time of a conversation."""
_UNSUPPORTED_GLOBS = ("[:", "[.", "[=", "?(", "*(", "+(", "@(", "!(")


class UnresolvableError(Exception):
    """A path or a glob cannot be resolved to files."""


def resolve_path(path: str) -> str:
    """Resolve all links of an absolute path; components that do not exist are kept as written."""
    waiting = _reversed_components(path)
    reached: list[str] = []
    links = 0
    while waiting:
        name = waiting.pop()
        if name == "..":
            del reached[-1:]
            continue
        here = "/" + "/".join((*reached, name))
        target = _read_link(here)
        if target is None:
            reached.append(name)
            continue
        links += 1
        if links > MAX_LINKS:
            raise UnresolvableError(f"{path} has a cycle of links")
        if target.startswith("/"):
            reached.clear()
        waiting.extend(_reversed_components(target))
    return "/" + "/".join(reached)


def expand_glob(pattern: str) -> list[str]:
    """List the files that a glob matches; hidden files only match a glob that starts with a dot.

    `**` matches like `*` and also any number of components, because shells differ.
    """
    if any(mark in pattern for mark in _UNSUPPORTED_GLOBS):
        raise UnresolvableError(f"{pattern} is a pattern that shells expand differently")
    budget = iter(range(MAX_ENTRIES))
    paths = ["/"]
    for component in pattern.split("/"):
        if component in ("", "."):
            continue
        paths = list(_match_component(paths, component, budget))
        if len(paths) > MAX_MATCHES:
            raise UnresolvableError(f"{pattern} matches too many files")
    return paths


def _real_paths(path: str) -> tuple[str, ...]:
    """Resolve a path or a glob to real paths; a glob without matches is resolved like a plain path."""
    if path.endswith("/.") and not is_directory(path):
        raise UnresolvableError(f"{path} is not a directory")
    if not has_glob(path):
        return (resolve_path(path),)
    found = {resolve_path(match) for match in expand_glob(path)}
    return tuple(sorted(found)) or (resolve_path(path),)


def _is_owned_by_another(path: str) -> bool:
    """Whether a path is below a name in a shared directory that another user may have taken."""
    found = _TEMPORARY_OF_USER.match(path)
    if found is None:
        return False
    try:
        status = os.lstat(found[0])
    except OSError:
        return True
    own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() == int(found[1])
    return not own or bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _are_inside(paths: Iterable[str], directories: CallDirectories) -> bool:
    """Whether all paths are in the workspace."""
    return all(is_inside(path, directories) for path in paths)


def _are_repositories_trusted(
    directories: CallDirectories, real: Mapping[str, tuple[str, ...]], trusts: Callable[[str], bool]
) -> bool:
    """Whether every repository that a command may use is trusted, including nested repositories."""
    if not trusts(directories.cwd):
        return False
    resolved = {path for paths in real.values() for path in paths if is_directory(path)}
    return all(map(trusts, resolved))


def _is_same_file(path: str, other: str) -> bool:
    try:
        one, two = os.lstat(path), os.lstat(other)
    except OSError:
        return False
    return (one.st_dev, one.st_ino) == (two.st_dev, two.st_ino)


def _reversed_components(path: str) -> list[str]:
    """The components of a path in reverse order."""
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]


def _read_link(path: str) -> str | None:
    """The target of a link; None for other files, an error for links below /proc, which differ by process."""
    try:
        target = os.readlink(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == _NOT_A_LINK_ERRNO:
            return None
        raise
    of_process = path.startswith("/proc/") and path.count("/") > len(("", "proc"))
    if of_process and not (path.endswith("/root") and target == "/"):
        raise UnresolvableError(f"{path} is different for every process")
    return target


def _match_component(paths: list[str], component: str, budget: Iterator[int]) -> Iterator[str]:
    for path in paths:
        if not has_glob(component):
            below = os.path.join(path, component)
            if exists(below):
                yield below
        elif component == "**":
            yield path
            yield from _list_paths_below(path, budget)
        else:
            yield from (
                os.path.join(path, name)
                for name in _list_names(path, budget)
                if _matches_name(component, name)
            )


def _list_paths_below(path: str, budget: Iterator[int]) -> Iterator[str]:
    """Yield all paths below a directory, except hidden ones, without following links."""
    waiting = [path]
    while waiting:
        directory = waiting.pop()
        for name in _list_names(directory, budget):
            if not name.startswith("."):
                below = os.path.join(directory, name)
                yield below
                if not is_link(below):
                    waiting.append(below)


def _list_names(path: str, budget: Iterator[int]) -> Iterator[str]:
    """Yield the names in a directory; nothing if it is not a directory, an error if it cannot be read."""
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if next(budget, None) is None:
                    raise UnresolvableError(f"{path} is too large to list")
                yield entry.name
    except (FileNotFoundError, NotADirectoryError):
        return


def _matches_name(component: str, name: str) -> bool:
    return (component.startswith(".") or not name.startswith(".")) and matches_component(component, name)


_NOT_A_LINK_ERRNO = 22
"""EINVAL, the error of `readlink` for a path that is not a link."""


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
            if any(map(is_link, expand_glob(path))):
                return None
            states = {_state_of_file(one) for one in real} if path not in real else {None}
            return FileState.CLEAN if states == {FileState.CLEAN} else None
        return _state_of_path(path, real[0]) if len(real) == 1 else None
    except (OSError, UnresolvableError, ValueError):
        return None


def _state_of_path(path: str, real: str) -> FileState | None:
    """The state of a path without globs."""
    if is_link(path.rstrip("/") or "/"):
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
        if is_directory(named) and not is_link(named):
            return directory, named
        if exists(named):
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
