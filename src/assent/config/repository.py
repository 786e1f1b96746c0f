"""A Git repository on disk, and a fingerprint of everything in it that can name a program to run."""

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from assent.config.gitconfig import MalformedGitConfigError, Setting, read_settings
from assent.engine.lines.options import value_of
from assent.engine.programs.word import Word

_NAME = re.compile(r"[^\s\"'`;|&()<>=$]+")
LARGEST_FILE = 1_000_000
MOST_FILES = 500
DEEPEST_INCLUDE = 10


@dataclass(frozen=True, slots=True)
class Repository:
    """Where a repository's working files, its own directory and its shared directory are."""

    worktree: str
    directory: str
    common: str


class _UnknowableError(Exception):
    """Something of a repository that cannot be read whole, so that it cannot be trusted."""


def find_repository(start: str) -> Repository | None:
    """The repository that Git would use in a directory; a bare one in disguise is found, too."""
    directory = os.path.realpath(start)
    while True:
        found = _repository_at(directory)
        if found is not None:
            return found
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent


def fingerprint(repository: Repository) -> str | None:
    """One digest of configuration, includes, attributes and hooks; None when one cannot be read."""
    digest = hashlib.sha256()
    try:
        for number, (name, data) in enumerate(_pieces(repository)):
            if number > MOST_FILES:
                return None
            digest.update(f"{name}\0{len(data)}\0".encode("utf-8", "surrogateescape") + data)
    except (OSError, MalformedGitConfigError, _UnknowableError):
        return None
    return digest.hexdigest()


def _repository_at(directory: str) -> Repository | None:
    marker = os.path.join(directory, ".git")
    if os.path.isdir(marker):
        own = os.path.realpath(marker)
    elif os.path.isfile(marker):
        own = _pointed_at(marker, directory)
    elif all(os.path.exists(os.path.join(directory, name)) for name in ("HEAD", "objects", "refs")):
        own = directory
    else:
        return None
    return Repository(directory, own, _common(own))


def _pointed_at(marker: str, directory: str) -> str:
    """Where a `.git` file points to; one that says something else points nowhere."""
    with open(marker, "rb") as file:
        said = os.fsdecode(file.read(4096)).removeprefix("gitdir:").strip()
    return os.path.realpath(os.path.join(directory, said))


def _common(directory: str) -> str:
    path = os.path.join(directory, "commondir")
    if not os.path.isfile(path):
        return directory
    with open(path, "rb") as file:
        said = os.fsdecode(file.read(4096)).strip()
    return os.path.realpath(os.path.join(directory, said))


def _pieces(repository: Repository) -> Iterator[tuple[str, bytes]]:
    """Everything that counts, by name, in an order that does not change."""
    yield "directory", os.fsencode(f"{repository.directory}\0{repository.common}")
    configs = (
        os.path.join(repository.common, "config"),
        os.path.join(repository.directory, "config.worktree"),
    )
    settings: list[Setting] = []
    for path in configs:
        yield from _config(path, settings, repository, depth=0)
    yield from _attributes(repository, settings)
    yield from _hooks(repository, settings)
    yield from _programs(repository.worktree, settings)
    yield from _modules(repository)


def _config(
    path: str, settings: list[Setting], repository: Repository, *, depth: int
) -> Iterator[tuple[str, bytes]]:
    """A configuration file and those that it includes, whatever the condition."""
    if depth > DEEPEST_INCLUDE:
        raise _UnknowableError(path)
    data = _read(path)
    yield path, data
    found = read_settings(data)
    settings.extend(found)
    for setting in found:
        if setting.section in ("include", "includeif") and setting.key == "path":
            included = _resolved(setting.value, os.path.dirname(path))
            yield from _config(included, settings, repository, depth=depth + 1)


def _attributes(repository: Repository, settings: list[Setting]) -> Iterator[tuple[str, bytes]]:
    named = [_resolved(value, repository.worktree) for value in _core(settings, "attributesfile")]
    own = os.path.join(repository.worktree, ".gitattributes")
    for path in (own, os.path.join(repository.common, "info", "attributes"), *named):
        yield path, _read(path)


def _hooks(repository: Repository, settings: list[Setting]) -> Iterator[tuple[str, bytes]]:
    named = [_resolved(value, repository.worktree) for value in _core(settings, "hookspath")]
    for directory in named or [os.path.join(repository.common, "hooks")]:
        for name in _listed(directory):
            path = os.path.join(directory, name)
            if not name.endswith(".sample") and not os.path.isdir(path):
                yield path, _read(path)


def _programs(worktree: str, settings: list[Setting]) -> Iterator[tuple[str, bytes]]:
    """The working files that a setting names as a program, or as a script for one."""
    inside = worktree.rstrip("/") + "/"
    for setting in settings:
        command = value_of(f"{setting.section}.{setting.key}", Word(setting.value))
        for name in _NAME.findall(command.text) if command is not None else ():
            path = _resolved(name, worktree)
            # A file that is not there yet counts by its name; without a slash it would be sought elsewhere.
            if path.startswith(inside) and not os.path.isdir(path) and ("/" in name or os.path.isfile(path)):
                yield path, _read(path)


def _modules(repository: Repository) -> Iterator[tuple[str, bytes]]:
    """Git looks into submodules when it shows the status, so their configuration counts, too."""
    top = os.path.join(repository.common, "modules")
    for directory, directories, files in os.walk(top):
        directories.sort()
        if "HEAD" in files:
            directories[:] = [name for name in directories if name == "modules"]
        for name in sorted({"config", "config.worktree"}.intersection(files)):
            path = os.path.join(directory, name)
            data = _read(path)
            yield path, data
            settings = read_settings(data)
            for place in _core(settings, "worktree"):
                yield from _programs(_resolved(place, directory), settings)


def _core(settings: list[Setting], key: str) -> list[str]:
    return [setting.value for setting in settings if (setting.section, setting.key) == ("core", key)]


def _resolved(value: str, base: str) -> str:
    return os.path.normpath(os.path.join(base, os.path.expanduser(value)))


def _listed(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except FileNotFoundError:
        return []


def _read(path: str) -> bytes:
    """A file's whole content; one that does not exist is empty."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise _UnknowableError(path)
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    if len(data) > LARGEST_FILE:
        raise _UnknowableError(path)
    return data
