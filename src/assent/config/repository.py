"""A Git repository on disk, and a fingerprint of everything in it that can make Git run a program."""

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from assent.engine.lines.options import value_of
from assent.engine.programs.word import Word

_NAME = re.compile(r"[^\s\"'`;|&()<>=$]+")
MAX_FILE_BYTES = 1_000_000
MAX_FILES = 500
MAX_INCLUDE_DEPTH = 10


class MalformedGitConfigError(Exception):
    """A file that Git refuses, or that we might read differently from Git."""


class GitSetting(NamedTuple):
    """A key and its value; section and key are in lower case, because Git ignores case."""

    section: str
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Repository:
    """The paths of a repository: working files, Git directory, and common directory."""

    worktree: str
    directory: str
    common: str


class _UnknowableError(Exception):
    """A part of a repository that cannot be read completely, so that it cannot be trusted."""


def find_repository(start: str) -> Repository | None:
    """Find the repository that Git would use in a directory, also a bare one."""
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
    """A digest of configuration, includes, attributes and hooks; None if one cannot be read."""
    digest = hashlib.sha256()
    try:
        for number, (name, data) in enumerate(_pieces(repository)):
            if number > MAX_FILES:
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
    """The Git directory that a `.git` file names."""
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
    """All files of the fingerprint, by name, in a fixed order."""
    yield "directory", os.fsencode(f"{repository.directory}\0{repository.common}")
    configs = (
        os.path.join(repository.common, "config"),
        os.path.join(repository.directory, "config.worktree"),
    )
    settings: list[GitSetting] = []
    for path in configs:
        yield from _config(path, settings, repository, depth=0)
    yield from _attributes(repository, settings)
    yield from _hooks(repository, settings)
    yield from _programs(repository.worktree, settings)
    yield from _modules(repository)


def _config(
    path: str, settings: list[GitSetting], repository: Repository, *, depth: int
) -> Iterator[tuple[str, bytes]]:
    """A configuration file and the files that it includes under any condition."""
    if depth > MAX_INCLUDE_DEPTH:
        raise _UnknowableError(path)
    data = _read(path)
    yield path, data
    found = read_git_settings(data)
    settings.extend(found)
    for setting in found:
        if setting.section in ("include", "includeif") and setting.key == "path":
            included = _resolved(setting.value, os.path.dirname(path))
            yield from _config(included, settings, repository, depth=depth + 1)


def _attributes(repository: Repository, settings: list[GitSetting]) -> Iterator[tuple[str, bytes]]:
    named = [_resolved(value, repository.worktree) for value in _core(settings, "attributesfile")]
    own = os.path.join(repository.worktree, ".gitattributes")
    for path in (own, os.path.join(repository.common, "info", "attributes"), *named):
        yield path, _read(path)


def _hooks(repository: Repository, settings: list[GitSetting]) -> Iterator[tuple[str, bytes]]:
    named = [_resolved(value, repository.worktree) for value in _core(settings, "hookspath")]
    for directory in named or [os.path.join(repository.common, "hooks")]:
        for name in _listed(directory):
            path = os.path.join(directory, name)
            if not name.endswith(".sample") and not os.path.isdir(path):
                yield path, _read(path)


def _programs(worktree: str, settings: list[GitSetting]) -> Iterator[tuple[str, bytes]]:
    """The working files that a setting names as a program or a script."""
    inside = worktree.rstrip("/") + "/"
    for setting in settings:
        command = value_of(f"{setting.section}.{setting.key}", Word(setting.value))
        for name in _NAME.findall(command.text) if command is not None else ():
            path = _resolved(name, worktree)
            # A missing file counts by its name; a name without a slash would be searched in PATH.
            if path.startswith(inside) and not os.path.isdir(path) and ("/" in name or os.path.isfile(path)):
                yield path, _read(path)


def _modules(repository: Repository) -> Iterator[tuple[str, bytes]]:
    """The configuration of submodules, which Git reads when it shows the status."""
    top = os.path.join(repository.common, "modules")
    for directory, directories, files in os.walk(top):
        directories.sort()
        if "HEAD" in files:
            directories[:] = [name for name in directories if name == "modules"]
        for name in sorted({"config", "config.worktree"}.intersection(files)):
            path = os.path.join(directory, name)
            data = _read(path)
            yield path, data
            settings = read_git_settings(data)
            for place in _core(settings, "worktree"):
                yield from _programs(_resolved(place, directory), settings)


def _core(settings: list[GitSetting], key: str) -> list[str]:
    return [setting.value for setting in settings if (setting.section, setting.key) == ("core", key)]


def _resolved(value: str, base: str) -> str:
    return os.path.normpath(os.path.join(base, os.path.expanduser(value)))


def _listed(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except FileNotFoundError:
        return []


def _read(path: str) -> bytes:
    """The whole content of a file; empty if it does not exist."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise _UnknowableError(path)
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    if len(data) > MAX_FILE_BYTES:
        raise _UnknowableError(path)
    return data


def read_git_settings(data: bytes) -> list[GitSetting]:
    """Parse all settings of a configuration file, in order."""
    return list(_settings(_join_lines(data.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))))


def _join_lines(text: str) -> Iterator[str]:
    """Yield lines, each joined with the next one while it ends with a backslash."""
    held = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        if held != held.rstrip() and line.lstrip()[:1] in ("", "#", ";"):
            raise MalformedGitConfigError("versions of Git differ about a space before the end of the value")
        trailing = len(line) - len(line.rstrip("\\"))
        if trailing % 2:
            held += line[:-1]
        else:
            yield held + line
            held = ""
    if held:
        raise MalformedGitConfigError("the last line is continued after the end of the file")


def _settings(lines: Iterator[str]) -> Iterator[GitSetting]:
    section = ""
    for line in lines:
        rest = line.strip()
        if rest.startswith("["):
            section, rest = _header(rest)
        if not rest or rest[0] in "#;":
            continue
        key, equals, value = rest.partition("=")
        name = key.strip().lower()
        if not equals:
            name = name.split("#")[0].split(";")[0].strip()
        if not section or not name.replace("-", "").isalnum():
            raise MalformedGitConfigError(f"`{line}` is not a setting")
        yield GitSetting(section, name, _value(value) if equals else "true")


def _header(line: str) -> tuple[str, str]:
    """The section of a header without its subsection, and the rest of the line."""
    quoted = False
    position = 1
    while position < len(line) and (quoted or line[position] != "]"):
        if quoted and line[position] == "\\":
            position += 1
        elif line[position] == '"':
            quoted = not quoted
        position += 1
    if position >= len(line):
        raise MalformedGitConfigError(f"`{line}` is not closed")
    name = line[1:position].partition('"')[0].strip()
    return name.partition(".")[0].lower(), line[position + 1 :].strip()


def _value(text: str) -> str:
    """A value without quotes, escapes and comment."""
    found: list[str] = []
    quoted = False
    kept = 0
    characters = iter(text.strip())
    for character in characters:
        if character in "#;" and not quoted:
            break
        if character == '"':
            quoted = not quoted
            kept = len(found)
        elif character == "\\":
            found.append(_escape(next(characters, "")))
            kept = len(found)
        elif found or quoted or not character.isspace():  # Git drops spaces before the first character.
            found.append(character)
            kept = len(found) if quoted or not character.isspace() else kept
    if quoted:
        raise MalformedGitConfigError(f"`{text}` has an open quote")
    value = "".join(found[:kept])
    if "\t" in value:
        raise MalformedGitConfigError(f"`{text}` holds a tab, which versions of Git read differently")
    return value


def _escape(character: str) -> str:
    escapes = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}
    if character not in escapes:
        raise MalformedGitConfigError(f"`\\{character}` is not an escape")
    return escapes[character]
