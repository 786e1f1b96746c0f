"""The files and repositories that the user trusts, by their digests."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from assent.config.files import read_source
from assent.config.repository import Repository, find_repository, fingerprint
from assent.config.strictjson import read_json
from assent.errors import ConfigError, InputError


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
    return Trust(files=_digests(path, value, "files"), repositories=_digests(path, value, "repositories"))


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


def _digests(path: str, value: object, key: str) -> dict[str, str]:
    found = cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None
    if not isinstance(found, dict):
        raise ConfigError(path, f"`{key}` must be an object; remove the file to trust nothing")
    pairs = cast("dict[str, object]", found)
    if not all(isinstance(digest, str) for digest in pairs.values()):
        raise ConfigError(path, f"`{key}` must hold digests; remove the file to trust nothing")
    return cast("dict[str, str]", pairs)
