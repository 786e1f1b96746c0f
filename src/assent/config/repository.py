"""Git repositories: a fingerprint of all that can make Git run a program, and which ones are trusted."""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

from assent.config.files import read_source
from assent.config.strictjson import read_json
from assent.engine.lines.options import setting_program
from assent.engine.programs.word import Word
from assent.errors import ConfigError, InputError

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


class _UnreadableError(Exception):
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
        for number, (name, data) in enumerate(_fingerprint_parts(repository)):
            if number > MAX_FILES:
                return None
            digest.update(f"{name}\0{len(data)}\0".encode("utf-8", "surrogateescape") + data)
    except (OSError, MalformedGitConfigError, _UnreadableError):
        return None
    return digest.hexdigest()


def read_git_settings(data: bytes) -> list[GitSetting]:
    """Parse all settings of a configuration file, in order."""
    return list(_parse_settings(_join_lines(data.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Trusted digests by absolute path; a changed file is no longer trusted."""

    files: Mapping[str, str] = field(default_factory=dict[str, str])
    repositories: Mapping[str, str] = field(default_factory=dict[str, str])

    def trusts_file(self, path: str, digest: str) -> bool:
        """Whether the file at this path is trusted with this digest; links are not followed."""
        return self.files.get(os.path.abspath(path)) == digest

    def trusts_repository(self, repository: Repository) -> bool:
        """Whether a repository is trusted and unchanged."""
        known = self.repositories.get(repository.directory)
        return known is not None and known == fingerprint(repository)

    def trusts_directory(self, directory: str) -> bool:
        """Whether the repository that contains a directory is trusted; False if there is none."""
        repository = find_repository(directory)
        return repository is not None and self.trusts_repository(repository)

    def with_file(self, path: str, digest: str) -> "Trust":
        """The same trust with a file added."""
        return replace(self, files={**self.files, os.path.abspath(path): digest})

    def with_repository(self, repository: Repository) -> "Trust":
        """The same trust with a repository added as it is now."""
        digest = fingerprint(repository)
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


def _repository_at(directory: str) -> Repository | None:
    marker = os.path.join(directory, ".git")
    if os.path.isdir(marker):
        own = os.path.realpath(marker)
    elif os.path.isfile(marker):
        own = _read_git_pointer(marker, directory)
    elif all(os.path.exists(os.path.join(directory, name)) for name in ("HEAD", "objects", "refs")):
        own = directory
    else:
        return None
    return Repository(directory, own, _common_directory(own))


def _read_git_pointer(marker: str, directory: str) -> str:
    """The Git directory that a `.git` file names."""
    with open(marker, "rb") as file:
        said = os.fsdecode(file.read(4096)).removeprefix("gitdir:").strip()
    return os.path.realpath(os.path.join(directory, said))


def _common_directory(directory: str) -> str:
    path = os.path.join(directory, "commondir")
    if not os.path.isfile(path):
        return directory
    with open(path, "rb") as file:
        said = os.fsdecode(file.read(4096)).strip()
    return os.path.realpath(os.path.join(directory, said))


def _fingerprint_parts(repository: Repository) -> Iterator[tuple[str, bytes]]:
    """All files of the fingerprint, by name, in a fixed order."""
    yield "directory", os.fsencode(f"{repository.directory}\0{repository.common}")
    configs = (
        os.path.join(repository.common, "config"),
        os.path.join(repository.directory, "config.worktree"),
    )
    settings: list[GitSetting] = []
    for path in configs:
        yield from _config_parts(path, settings, repository, depth=0)
    yield from _attribute_parts(repository, settings)
    yield from _hook_parts(repository, settings)
    yield from _program_parts(repository.worktree, settings)
    yield from _module_parts(repository)


def _config_parts(
    path: str, settings: list[GitSetting], repository: Repository, *, depth: int
) -> Iterator[tuple[str, bytes]]:
    """A configuration file and the files that it includes under any condition."""
    if depth > MAX_INCLUDE_DEPTH:
        raise _UnreadableError(path)
    data = _read_bounded(path)
    yield path, data
    found = read_git_settings(data)
    settings.extend(found)
    for setting in found:
        if setting.section in ("include", "includeif") and setting.key == "path":
            included = _resolve_path(setting.value, os.path.dirname(path))
            yield from _config_parts(included, settings, repository, depth=depth + 1)


def _read_bounded(path: str) -> bytes:
    """The whole content of a file; empty if it does not exist."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise _UnreadableError(path)
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    if len(data) > MAX_FILE_BYTES:
        raise _UnreadableError(path)
    return data


def _resolve_path(value: str, base: str) -> str:
    return os.path.normpath(os.path.join(base, os.path.expanduser(value)))


def _attribute_parts(repository: Repository, settings: list[GitSetting]) -> Iterator[tuple[str, bytes]]:
    named = [_resolve_path(value, repository.worktree) for value in _core_setting(settings, "attributesfile")]
    own = os.path.join(repository.worktree, ".gitattributes")
    for path in (own, os.path.join(repository.common, "info", "attributes"), *named):
        yield path, _read_bounded(path)


def _core_setting(settings: list[GitSetting], key: str) -> list[str]:
    return [setting.value for setting in settings if (setting.section, setting.key) == ("core", key)]


def _hook_parts(repository: Repository, settings: list[GitSetting]) -> Iterator[tuple[str, bytes]]:
    named = [_resolve_path(value, repository.worktree) for value in _core_setting(settings, "hookspath")]
    for directory in named or [os.path.join(repository.common, "hooks")]:
        for name in _list_directory(directory):
            path = os.path.join(directory, name)
            if not name.endswith(".sample") and not os.path.isdir(path):
                yield path, _read_bounded(path)


def _list_directory(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except FileNotFoundError:
        return []


def _program_parts(worktree: str, settings: list[GitSetting]) -> Iterator[tuple[str, bytes]]:
    """The working files that a setting names as a program or a script."""
    inside = worktree.rstrip("/") + "/"
    for setting in settings:
        command = setting_program(f"{setting.section}.{setting.key}", Word(setting.value))
        for name in _NAME.findall(command.text) if command is not None else ():
            path = _resolve_path(name, worktree)
            # A missing file counts by its name; a name without a slash would be searched in PATH.
            if path.startswith(inside) and not os.path.isdir(path) and ("/" in name or os.path.isfile(path)):
                yield path, _read_bounded(path)


def _module_parts(repository: Repository) -> Iterator[tuple[str, bytes]]:
    """The configuration of submodules, which Git reads when it shows the status."""
    top = os.path.join(repository.common, "modules")
    for directory, directories, files in os.walk(top):
        directories.sort()
        if "HEAD" in files:
            directories[:] = [name for name in directories if name == "modules"]
        for name in sorted({"config", "config.worktree"}.intersection(files)):
            path = os.path.join(directory, name)
            data = _read_bounded(path)
            yield path, data
            settings = read_git_settings(data)
            for place in _core_setting(settings, "worktree"):
                yield from _program_parts(_resolve_path(place, directory), settings)


def _parse_settings(lines: Iterator[str]) -> Iterator[GitSetting]:
    section = ""
    for line in lines:
        rest = line.strip()
        if rest.startswith("["):
            section, rest = _parse_header(rest)
        if not rest or rest[0] in "#;":
            continue
        key, equals, value = rest.partition("=")
        name = key.strip().lower()
        if not equals:
            name = name.split("#")[0].split(";")[0].strip()
        if not section or not name.replace("-", "").isalnum():
            raise MalformedGitConfigError(f"`{line}` is not a setting")
        yield GitSetting(section, name, _parse_value(value) if equals else "true")


def _parse_header(line: str) -> tuple[str, str]:
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


def _parse_value(text: str) -> str:
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
            found.append(_unescape(next(characters, "")))
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


def _unescape(character: str) -> str:
    escapes = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}
    if character not in escapes:
        raise MalformedGitConfigError(f"`\\{character}` is not an escape")
    return escapes[character]


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


def _read_digests(path: str, value: object, key: str) -> dict[str, str]:
    found = cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None
    if not isinstance(found, dict):
        raise ConfigError(path, f"`{key}` must be an object; remove the file to trust nothing")
    pairs = cast("dict[str, object]", found)
    if not all(isinstance(digest, str) for digest in pairs.values()):
        raise ConfigError(path, f"`{key}` must hold digests; remove the file to trust nothing")
    return cast("dict[str, str]", pairs)
