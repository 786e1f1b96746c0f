"""Trust in Git repositories, by a fingerprint of all files that can make Git run a program."""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from assent.config.file_kinds import exists, is_directory, is_link, is_regular_file
from assent.config.files import read_source
from assent.config.git_settings import GitSetting, MalformedGitConfigError, read_git_settings
from assent.config.strictjson import read_json
from assent.config.workspace import UnresolvableError, resolve_path
from assent.engine.lines.options import program_in_setting_value
from assent.engine.programs.word import Word
from assent.errors import ConfigError, InputError

_FILE_NAME = re.compile(r"[^\s\"'`;|&()<>=$]+")
MAX_FILE_BYTES = 1_000_000
MAX_FINGERPRINT_FILES = 500
MAX_INCLUDE_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Repository:
    """The paths of a repository: working tree, Git directory, and the directory shared by all worktrees."""

    worktree: str
    directory: str
    common: str


class IncompleteReadError(Exception):
    """A file of a repository cannot be read completely, so the repository cannot be trusted."""


def find_repository(start: str) -> Repository | None:
    """Find the repository, also a bare one, that Git would use in a directory."""
    return next((found for found, certain in iterate_repositories(start) if certain), None)


def iterate_repositories(start: str) -> Iterator[tuple[Repository, bool]]:
    """Yield the repositories that Git may use in a directory, up to the first that it certainly uses.

    The second value is True for this one. Versions of Git differ about damaged repositories.
    """
    directory = resolve_path(os.path.abspath(start))
    while True:
        for found in _iterate_repositories_at(directory):
            certain = _is_git_directory(found.directory, found.common)
            yield found, certain
            if certain:
                return
        parent = os.path.dirname(directory)
        if parent == directory:
            return
        directory = parent


def repository_fingerprint(repository: Repository) -> str | None:
    """A digest of all configuration, attribute and hook files; None if one of them cannot be read."""
    digest = hashlib.sha256()
    try:
        for number, (name, data) in enumerate(_fingerprinted_files(repository)):
            if number > MAX_FINGERPRINT_FILES:
                return None
            digest.update(f"{name}\0{len(data)}\0".encode("utf-8", "surrogateescape") + data)
    except (OSError, MalformedGitConfigError, IncompleteReadError):
        return None
    return digest.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """The trusted files and repositories: a digest for each absolute path; after a change, trust ends."""

    files: Mapping[str, str] = field(default_factory=dict[str, str])
    repositories: Mapping[str, str] = field(default_factory=dict[str, str])

    def trusts_file(self, path: str, digest: str) -> bool:
        """Whether the user trusts the file at this path with this content; links are not followed."""
        return digest != "" and self.files.get(os.path.abspath(path)) == digest

    def trusts_repository(self, repository: Repository) -> bool:
        """Whether the user trusts a repository, and its fingerprint is unchanged."""
        known = self.repositories.get(repository.directory)
        return known is not None and known == repository_fingerprint(repository)

    def trusts_directory(self, directory: str) -> bool:
        """Whether the repository that contains a directory is trusted; False outside repositories."""
        try:
            found = list(iterate_repositories(directory))
        except (OSError, ValueError, UnresolvableError, IncompleteReadError):
            return False
        return bool(found) and all(self.trusts_repository(repository) for repository, _ in found)

    def with_file(self, path: str, digest: str) -> "Trust":
        """A copy that also trusts this file."""
        return replace(self, files={**self.files, os.path.abspath(path): digest})

    def with_repository(self, repository: Repository) -> "Trust":
        """A copy that also trusts this repository in its current state."""
        digest = repository_fingerprint(repository)
        if digest is None:
            reason = "its configuration or hooks cannot be read completely, so a change would not be noticed"
            raise ConfigError(repository.directory, reason)
        return replace(self, repositories={**self.repositories, repository.directory: digest})


NO_TRUST = Trust()


def load_trust(path: str) -> Trust:
    """Load the trust file; a missing file trusts nothing, an invalid file is an error."""
    if not os.path.lexists(path):
        return NO_TRUST
    source = read_source(path, guarded=True)
    try:
        value = read_json(source.data, "it")
    except InputError as error:
        raise ConfigError(path, f"{error}; remove it to trust nothing") from None
    return Trust(
        files=_read_digests(path, value, "files"), repositories=_read_digests(path, value, "repositories")
    )


def save_trust(path: str, trust: Trust) -> None:
    """Write the trust file atomically, readable only by the user."""
    text = json.dumps({"files": dict(trust.files), "repositories": dict(trust.repositories)}, indent=2)
    beside = f"{path}.new"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor = os.open(
            beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600
        )
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            os.chmod(beside, 0o600)
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        raise ConfigError(path, f"cannot be written: {error.strerror}") from None


def _iterate_repositories_at(directory: str) -> Iterator[Repository]:
    """Yield what Git may take for a repository in this directory: `.git`, or the directory itself."""
    marker = os.path.join(directory, ".git")
    if is_directory(marker):
        own = resolve_path(marker)
        yield Repository(directory, own, _common_directory(own))
    elif is_regular_file(marker):
        # Git fails if the file contains no path; then the path of the file stands for no directory.
        own = _read_git_pointer(marker, directory) or marker
        yield Repository(directory, own, _common_directory(own))
    if exists(os.path.join(directory, "HEAD")):
        common = _common_directory(directory)
        if common != directory or is_directory(os.path.join(directory, "objects")):
            yield Repository(directory, directory, common)


def _is_git_directory(directory: str, common: str) -> bool:
    """Whether Git takes this directory for a repository: with a valid HEAD, objects and refs."""
    head = os.path.join(directory, "HEAD")
    if not is_link(head):
        try:
            text = _read_limited_file(head).lstrip()
        except IncompleteReadError:
            return False
        if not (text.startswith(b"ref:") or re.match(rb"[0-9a-fA-F]{40}", text)):
            return False
    return all(is_directory(os.path.join(common, name)) for name in ("objects", "refs"))


def _read_git_pointer(marker: str, directory: str) -> str | None:
    """Read the path of the Git directory from a `.git` file; None if the file contains no path."""
    with open(marker, "rb") as file:
        text = os.fsdecode(file.read(4096))
    if not text.startswith("gitdir: "):
        return None
    return resolve_path(os.path.join(directory, text.removeprefix("gitdir: ").rstrip("\r\n")))


def _common_directory(directory: str) -> str:
    path = os.path.join(directory, "commondir")
    if not is_regular_file(path):
        return directory
    with open(path, "rb") as file:
        said = os.fsdecode(file.read(4096)).strip()
    return resolve_path(os.path.join(directory, said))


def _fingerprinted_files(repository: Repository) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of every file of the fingerprint, in a fixed order."""
    yield "directory", os.fsencode(f"{repository.directory}\0{repository.common}")
    configs = (
        os.path.join(repository.common, "config"),
        os.path.join(repository.directory, "config.worktree"),
    )
    settings: list[GitSetting] = []
    for path in configs:
        yield from _config_files(path, settings, repository, depth=0)
    yield from _attribute_files(repository, settings)
    yield from _hook_files(repository, settings)
    yield from _program_files(repository.worktree, settings)
    yield from _submodule_files(repository)


def _config_files(
    path: str, settings: list[GitSetting], repository: Repository, *, depth: int
) -> Iterator[tuple[str, bytes]]:
    """Yield a configuration file and all files that it includes, whatever the condition of the include."""
    if depth > MAX_INCLUDE_DEPTH:
        raise IncompleteReadError(path)
    data = _read_limited_file(path)
    yield path, data
    found = read_git_settings(data)
    settings.extend(found)
    for setting in found:
        if setting.section in ("include", "includeif") and setting.key == "path":
            included = _resolve_path(setting.value, os.path.dirname(path))
            yield from _config_files(included, settings, repository, depth=depth + 1)


def _read_limited_file(path: str) -> bytes:
    """Read a whole file; empty if it does not exist, an error if it is too large."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise IncompleteReadError(path)
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    if len(data) > MAX_FILE_BYTES:
        raise IncompleteReadError(path)
    return data


def _resolve_path(value: str, base: str) -> str:
    return os.path.normpath(os.path.join(base, os.path.expanduser(value)))


def _attribute_files(repository: Repository, settings: list[GitSetting]) -> Iterator[tuple[str, bytes]]:
    named = [
        _resolve_path(value, repository.worktree) for value in _core_settings(settings, "attributesfile")
    ]
    own = os.path.join(repository.worktree, ".gitattributes")
    for path in (own, os.path.join(repository.common, "info", "attributes"), *named):
        yield path, _read_limited_file(path)


def _core_settings(settings: list[GitSetting], key: str) -> list[str]:
    return [setting.value for setting in settings if (setting.section, setting.key) == ("core", key)]


def _hook_files(repository: Repository, settings: list[GitSetting]) -> Iterator[tuple[str, bytes]]:
    named = [_resolve_path(value, repository.worktree) for value in _core_settings(settings, "hookspath")]
    for directory in named or [os.path.join(repository.common, "hooks")]:
        for name in _list_directory(directory):
            path = os.path.join(directory, name)
            if not name.endswith(".sample") and not os.path.isdir(path):
                yield path, _read_limited_file(path)


def _list_directory(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except FileNotFoundError:
        return []


def _program_files(worktree: str, settings: list[GitSetting]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the working tree that a setting names as a program or a script."""
    inside = worktree.rstrip("/") + "/"
    for setting in settings:
        command = program_in_setting_value(f"{setting.section}.{setting.key}", Word(setting.value))
        for name in _FILE_NAME.findall(command.text) if command is not None else ():
            path = _resolve_path(name, worktree)
            # A missing file is included with empty content. Git searches PATH for a name without a slash.
            if path.startswith(inside) and not os.path.isdir(path) and ("/" in name or os.path.isfile(path)):
                yield path, _read_limited_file(path)


def _submodule_files(repository: Repository) -> Iterator[tuple[str, bytes]]:
    """Yield the configuration files of submodules, which `git status` reads."""
    top = os.path.join(repository.common, "modules")
    for directory, directories, files in os.walk(top):
        directories.sort()
        if "HEAD" in files:
            directories[:] = [name for name in directories if name == "modules"]
        for name in sorted({"config", "config.worktree"}.intersection(files)):
            path = os.path.join(directory, name)
            data = _read_limited_file(path)
            yield path, data
            settings = read_git_settings(data)
            for worktree in _core_settings(settings, "worktree"):
                yield from _program_files(_resolve_path(worktree, directory), settings)


def _read_digests(path: str, value: object, key: str) -> dict[str, str]:
    found = cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None
    if not isinstance(found, dict):
        raise ConfigError(path, f"`{key}` must be an object; remove the file to trust nothing")
    pairs = cast("dict[str, object]", found)
    if not all(isinstance(digest, str) for digest in pairs.values()):
        raise ConfigError(path, f"`{key}` must hold digests; remove the file to trust nothing")
    return cast("dict[str, str]", pairs)
