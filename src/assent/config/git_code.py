"""Finds the settings with which a repository makes Git run programs, without running Git.

Only the repository's own files are searched: the settings of the user and of the system are the user's own.
"""

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from assent.config.git_index import find_submodules
from assent.config.git_settings import GitSetting, MalformedGitConfigError, read_git_settings
from assent.config.repository import Repository, iterate_repositories
from assent.config.small_files import UnsafeFileError, read_small_file

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
            if "toplevel" in uses.groups and repository.worktree != os.path.realpath(start):
                return NamedCode("this command reaches beyond its directory", repository.worktree)
            found = _find_in_repository(repository, uses, 0)
            if found is not None:
                return found
    except (OSError, UnsafeFileError, MalformedGitConfigError, ValueError) as error:
        return NamedCode(f"it cannot be read completely ({error})", os.path.join(start, ".git"))
    return None


def _find_in_repository(repository: Repository, uses: _Uses, depth: int) -> NamedCode | None:
    """The first setting, hook or submodule of a repository that makes Git run something."""
    if os.path.islink(os.path.join(repository.worktree, ".git")):
        return NamedCode("it is a link", os.path.join(repository.worktree, ".git"))
    if os.path.isfile(repository.directory):
        return NamedCode("it names no repository", repository.directory)
    found = list(_iterate_settings(repository))
    for file, setting in found:
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
            if os.path.lexists(os.path.join(place, name)):
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
        if not os.path.lexists(os.path.join(worktree, ".git")):
            continue
        if os.path.realpath(worktree) != worktree:
            return NamedCode("a submodule is behind a link", worktree)
        for own, _ in iterate_repositories(worktree):
            if own.worktree != worktree:
                break
            found = _find_in_repository(own, inner, depth + 1)
            if found is not None:
                return found
    return None
