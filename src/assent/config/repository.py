"""Trust in Git repositories, by a fingerprint of all files that can make Git run a program."""

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
from assent.engine.lines.options import program_in_setting_value
from assent.engine.programs.word import Word
from assent.errors import ConfigError, InputError

_FILE_NAME = re.compile(r"[^\s\"'`;|&()<>=$]+")
MAX_FILE_BYTES = 1_000_000
MAX_FINGERPRINT_FILES = 500
MAX_INCLUDE_DEPTH = 10


class MalformedGitConfigError(Exception):
    """A Git configuration that Git refuses, or that Git might read differently from this parser."""


class GitSetting(NamedTuple):
    """A setting of a Git configuration; section and key are in lower case, because Git ignores case."""

    section: str
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Repository:
    """The paths of a repository: working tree, Git directory, and the directory shared by all worktrees."""

    worktree: str
    directory: str
    common: str


class _IncompleteReadError(Exception):
    """A file of a repository cannot be read completely, so the repository cannot be trusted."""


def find_repository(start: str) -> Repository | None:
    """Find the repository, also a bare one, that Git would use in a directory."""
    directory = os.path.realpath(start)
    while True:
        found = _find_repository_at(directory)
        if found is not None:
            return found
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent


def repository_fingerprint(repository: Repository) -> str | None:
    """A digest of all configuration, attribute and hook files; None if one of them cannot be read."""
    digest = hashlib.sha256()
    try:
        for number, (name, data) in enumerate(_fingerprinted_files(repository)):
            if number > MAX_FINGERPRINT_FILES:
                return None
            digest.update(f"{name}\0{len(data)}\0".encode("utf-8", "surrogateescape") + data)
    except (OSError, MalformedGitConfigError, _IncompleteReadError):
        return None
    return digest.hexdigest()


def read_git_settings(data: bytes) -> list[GitSetting]:
    """Parse all settings of a Git configuration file, in the order of the file."""
    return list(_parse_settings(_join_lines(data.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """The trusted files and repositories: a digest for each absolute path; after a change, trust ends."""

    files: Mapping[str, str] = field(default_factory=dict[str, str])
    repositories: Mapping[str, str] = field(default_factory=dict[str, str])

    def trusts_file(self, path: str, digest: str) -> bool:
        """Whether the user trusts the file at this path with this content; links are not followed."""
        return self.files.get(os.path.abspath(path)) == digest

    def trusts_repository(self, repository: Repository) -> bool:
        """Whether the user trusts a repository, and its fingerprint is unchanged."""
        known = self.repositories.get(repository.directory)
        return known is not None and known == repository_fingerprint(repository)

    def trusts_directory(self, directory: str) -> bool:
        """Whether the repository that contains a directory is trusted; False outside repositories."""
        repository = find_repository(directory)
        return repository is not None and self.trusts_repository(repository)

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


def _find_repository_at(directory: str) -> Repository | None:
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
    """Read the path of the Git directory from a `.git` file."""
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
        raise _IncompleteReadError(path)
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
            raise _IncompleteReadError(path)
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    if len(data) > MAX_FILE_BYTES:
        raise _IncompleteReadError(path)
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
    """Return the section name of a header, without its subsection, and the rest of the line."""
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
    """Parse a value: remove quotes and comments, and replace escapes."""
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
        elif found or quoted or not character.isspace():  # Git ignores spaces before the first character.
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
    """Yield the lines of a text; a line that ends with a backslash is joined with the next line."""
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
