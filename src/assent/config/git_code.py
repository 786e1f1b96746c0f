"""Finds the settings with which a repository makes Git run programs, without running Git.

Only the repository's own files are searched: the settings of the user and of the system are the user's own.
"""

import os
import re
import stat
import struct
import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from assent.config.file_kinds import exists, is_link, is_regular_file
from assent.config.git_settings import GitSetting, MalformedGitConfigError, read_git_settings
from assent.config.repository import IncompleteReadError, Repository, iterate_repositories
from assent.config.small_files import UnsafeFileError, read_small_file
from assent.config.workspace import UnresolvableError, resolve_path

MAX_CONFIG_FILES = 50
MAX_SUBMODULES = 500
MAX_SUBMODULE_DEPTH = 10
_BOOLEAN = re.compile(r"(?i)true|yes|on|false|no|off|\d*")
_TRUE = re.compile(r"(?i)true|yes|on|0*[1-9]\d*")
_GROUPS: dict[str, tuple[str, ...]] = {
    "fsmonitor": ("core.fsmonitor",),
    "filters": ("filter.*.clean", "filter.*.process"),
    "hooks": ("hook.*.command",),
    "diff": ("diff.external", "diff.*.command"),
    "textconv": ("diff.*.textconv",),
    "merge": ("merge.*.driver",),
    "gpg": ("gpg.program", "gpg.*.program", "gpg.*.defaultkeycommand"),
    "alternates": ("core.alternaterefscommand",),
    "objects": ("remote.*.promisor", "remote.*.partialclonefilter", "extensions.partialclone"),
    "pager": ("core.pager",),
    "network": (
        "core.sshcommand",
        "core.gitproxy",
        "core.askpass",
        "credential.helper",
        "credential.*.helper",
        "remote.*.uploadpack",
        "remote.*.vcs",
    ),
    "lfs": ("lfs.*",),
    "editor": ("core.editor", "sequence.editor"),
}
"""The settings of each group; `*` stands for a name."""
_PLAIN_VALUES = frozenset({"", "cat", "false", "no", "off", "0"})
"""Values of a pager that run nothing, or only `cat`."""
_HOOKS = ("post-index-change",)
"""The hooks that commands run although they only read."""


class _Uses(NamedTuple):
    """The groups, pagers and aliases that a command uses."""

    groups: frozenset[str]
    pagers: frozenset[str]
    aliases: frozenset[str]

    @classmethod
    def from_text(cls, text: str) -> "_Uses":
        """Read the groups of an entry of Git: `objects pager.log alias.log`."""
        words = text.split()
        pagers = {word.removeprefix("pager.") for word in words if word.startswith("pager.")}
        aliases = {word.removeprefix("alias.") for word in words if word.startswith("alias.")}
        groups = {word for word in words if "." not in word}
        if pagers:
            groups.add("pager")
        return cls(frozenset(groups), frozenset(pagers), frozenset(aliases))


class NamedCode(NamedTuple):
    """A setting or a file that makes a program run code, or that cannot be read."""

    what: str
    file: str


def find_git_code(start: str, settings: str) -> NamedCode | None:
    """What a repository makes Git run when a command with these groups of settings starts in a directory."""
    uses = _Uses.from_text(settings)
    try:
        for repository, _ in iterate_repositories(start):
            if "toplevel" in uses.groups and repository.worktree != resolve_path(os.path.abspath(start)):
                return NamedCode("this command reaches beyond its directory", repository.worktree)
            found = _find_in_repository(repository, uses, 0)
            if found is not None:
                return found
    except (
        OSError,
        UnsafeFileError,
        UnresolvableError,
        IncompleteReadError,
        MalformedGitConfigError,
        ValueError,
    ) as error:
        return NamedCode(f"it cannot be read completely ({error})", os.path.join(start, ".git"))
    return None


def _find_in_repository(repository: Repository, uses: _Uses, depth: int) -> NamedCode | None:
    """The first setting, hook or submodule of a repository that makes Git run something."""
    if is_link(os.path.join(repository.worktree, ".git")):
        return NamedCode("it is a link", os.path.join(repository.worktree, ".git"))
    if is_regular_file(repository.directory):
        return NamedCode("it names no repository", repository.directory)
    if "plain" in uses.groups and ".git" not in repository.directory.split("/"):
        return NamedCode("its files may come with the project", repository.directory)
    found = list(_iterate_settings(repository))
    for file, setting in found:
        if _moves_worktree(setting, repository):
            return NamedCode("it sets `core.worktree`, so that Git works in another directory", file)
        if _names_code(setting, uses):
            return NamedCode(f"it sets `{_full_name(setting)}`, which this command uses", file)
    if "hooks" in uses.groups and (hook := _find_hook(repository, found)) is not None:
        return NamedCode("this command runs this hook", hook)
    if "submodules" in uses.groups or any(_is_setting(one, "diff.submodule") for _, one in found):
        return _find_in_submodules(repository, uses, depth)
    return None


def _iterate_settings(repository: Repository) -> Iterator[tuple[str, GitSetting]]:
    """Yield all settings of a repository with their files, including files of includes with any condition."""
    allowed = (repository.worktree, repository.directory, repository.common)
    waiting = [
        os.path.join(repository.directory, "config.worktree"),
        os.path.join(repository.common, "config"),
    ]
    seen: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        if len(seen) > MAX_CONFIG_FILES:
            raise UnsafeFileError(f"more than {MAX_CONFIG_FILES} files of settings")
        for setting in read_git_settings(read_small_file(path, allowed) or b""):
            yield path, setting
            if setting.section in ("include", "includeif") and setting.key == "path":
                waiting.append(os.path.normpath(os.path.join(os.path.dirname(path), setting.value)))
                if setting.value.startswith(("~", "%")):
                    raise UnsafeFileError(f"`{setting.value}` is outside the repository")


def _moves_worktree(setting: GitSetting, repository: Repository) -> bool:
    """Whether a setting names another working tree than the directory in which Git finds the repository."""
    if not _is_setting(setting, "core.worktree"):
        return False
    return resolve_path(os.path.join(repository.directory, setting.value)) != repository.worktree


def _names_code(setting: GitSetting, uses: _Uses) -> bool:
    """Whether a setting names something that a command with these uses would run."""
    value = setting.value
    if setting.section == "alias":
        name = setting.subsection.lower() or setting.key
        return name in uses.aliases
    if setting.section == "pager":
        return setting.key in uses.pagers and not _BOOLEAN.fullmatch(value)
    if (
        "objects" in uses.groups
        and setting.section in ("remote", "url")
        and "::" in f"{value}{setting.subsection}"
    ):
        return True
    if not any(_is_setting(setting, name) for group in uses.groups for name in _GROUPS.get(group, ())):
        return False
    if setting.key == "fsmonitor":
        return not _BOOLEAN.fullmatch(value)
    if setting.key == "promisor":
        return _TRUE.fullmatch(value) is not None
    if (setting.section, setting.key) == ("core", "pager"):
        return value not in _PLAIN_VALUES
    return value != ""


def _is_setting(setting: GitSetting, name: str) -> bool:
    """Whether a setting has this name; `*` is any subsection, or any key of a section."""
    section, *between, key = name.split(".")
    if setting.section != section or key not in ("*", setting.key):
        return False
    return bool(between) == bool(setting.subsection) or key == "*" or section == "core"


def _full_name(setting: GitSetting) -> str:
    """The name of a setting as people write it."""
    return ".".join(filter(None, (setting.section, setting.subsection, setting.key)))


def _find_hook(repository: Repository, settings: Iterable[tuple[str, GitSetting]]) -> str | None:
    """The first hook that a command may run although it only reads."""
    named = [one.value for _, one in settings if _is_setting(one, "core.hookspath")]
    places = [os.path.join(repository.worktree, os.path.expanduser(value)) for value in named]
    for place in (
        *places,
        os.path.join(repository.common, "hooks"),
        os.path.join(repository.directory, "hooks"),
    ):
        for name in _HOOKS:
            if exists(os.path.join(place, name)):
                return os.path.join(place, name)
    return None


def _find_in_submodules(repository: Repository, uses: _Uses, depth: int) -> NamedCode | None:
    """What a submodule with a repository of its own makes Git run."""
    if depth >= MAX_SUBMODULE_DEPTH:
        raise UnsafeFileError("too many levels of submodules")
    inner = uses._replace(groups=uses.groups | {"submodules"})
    for count, path in enumerate(find_submodules(os.path.join(repository.directory, "index"))):
        if count >= MAX_SUBMODULES:
            raise UnsafeFileError("too many submodules")
        worktree = os.path.join(repository.worktree, path)
        if not exists(os.path.join(worktree, ".git")):
            continue
        if resolve_path(worktree) != worktree:
            return NamedCode("a submodule is behind a link", worktree)
        for own, _ in iterate_repositories(worktree):
            if own.worktree != worktree:
                break
            found = _find_in_repository(own, inner, depth + 1)
            if found is not None:
                return found
    return None


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
