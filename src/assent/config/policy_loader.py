"""Loading the policy files for a server, and reloading them when one has changed."""

import gc
import hashlib
import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from assent.config.layers import LayerFile, merge_layers, read_layers
from assent.config.paths import ConfigPaths
from assent.config.policy import Policy
from assent.config.preset import load_preset, preset_names
from assent.config.repository import Trust, load_trust
from assent.config.tools import KNOWN_TOOLS
from assent.engine.policy.modes import parse_mode
from assent.errors import AssentError
from assent.gate.policy import FilePolicy
from assent.gate.preset import Preset

_log = logging.getLogger("assent.policy")
MANY_RULES = 1000
"""Number of rules from which a policy is hidden from the garbage collector."""
_VARIABLES = ("ASSENT_MODE", "ASSENT_PRESET")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _LoadedFiles:
    """The content of all policy files at one time."""

    layer_files: tuple[LayerFile, ...]
    trust: Trust
    policy: Policy
    version: str
    file_policies: dict[str, FilePolicy] = field(default_factory=dict[str, FilePolicy])
    """By preset, filled on demand."""


class PolicyLoader:
    """The current policy; when a file becomes invalid, only `error` changes."""

    def __init__(self, where: ConfigPaths, environ: Mapping[str, str], *, preset: str | None = None) -> None:
        """Load the files; an invalid file raises here."""
        self._where = where
        self._environ = environ
        self._preset = preset
        self._seen = self._file_stats()
        self._reading = self._read()
        self.error = ""
        """Why the present files are not valid; empty if they are valid."""

    @property
    def version(self) -> str:
        """A short digest of the policy; it differs after every change."""
        return self._reading.version

    @property
    def digest(self) -> str:
        """A short digest without paths: servers with the same digest have the same policy files."""
        words = [f"{one.layer} {one.file.source.digest} {one.trusted}" for one in self._reading.layer_files]
        words += [f"{variable}={self._environ.get(variable, '')}" for variable in _VARIABLES]
        words += [f"{os.path.basename(path)} {_file_digest(path)}" for path in self._preset_files()]
        return _short_digest([*words, self._preset or ""])

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the current policy, weakest layer first."""
        return tuple(one.file.source.path for one in self._reading.layer_files)

    @property
    def presets(self) -> tuple[str, ...]:
        """The names of all presets, also of those that the files make unusable."""
        return tuple(preset_names(*self._preset_directories))

    @property
    def policy(self) -> Policy:
        """The merged policy under the default preset."""
        return self._reading.policy

    @property
    def trust(self) -> Trust:
        """The files and repositories that the user trusts."""
        return self._reading.trust

    def __call__(self, preset: str) -> FilePolicy:
        """The policy under a preset; an empty name is the default preset."""
        reading = self._reading
        name = preset or reading.policy.preset
        if name not in reading.file_policies:
            reading.file_policies[name] = self._file_policy(reading, name)
        return reading.file_policies[name]

    def has_changed(self) -> bool:
        """Whether a file changed on disk since the last load."""
        return self._file_stats() != self._seen

    def reload(self) -> bool:
        """Load the files again; return whether the policy changed. An invalid file changes nothing."""
        self._seen = self._file_stats()
        try:
            reading = self._read()
        except (AssentError, OSError) as error:
            self.error = str(error)
            _log.warning("the last valid policy stays in effect: %s", error)
            return False
        self.error = ""
        if reading.version == self.version:
            return False
        self._reading = reading
        _log.info("policy %s is now in effect", reading.version)
        return True

    def _read(self) -> _LoadedFiles:
        trust = load_trust(self._where.trust_file)
        layer_files = tuple(read_layers(self._where, trust))
        policy = merge_layers(layer_files, self._where, self._environ, preset=self._preset)
        reading = _LoadedFiles(
            layer_files=layer_files,
            trust=trust,
            policy=policy,
            version=self._compute_version(layer_files),
        )
        reading.file_policies[policy.preset] = self._file_policy(reading, policy.preset)
        _freeze_policy(reading.file_policies[policy.preset])
        return reading

    def _file_policy(self, reading: _LoadedFiles, preset: str) -> FilePolicy:
        policy = reading.policy
        if preset != policy.preset:
            policy = merge_layers(reading.layer_files, self._where, self._environ, preset=preset)
        return FilePolicy(
            preset=_with_file_settings(load_preset(policy.preset, *self._preset_directories), policy),
            tools=policy.tools,
            file_tools=frozenset(policy.tools) - frozenset(KNOWN_TOOLS),
            rules=policy.rules,
            tiers=policy.tiers,
            options=policy.options,
            attended=policy.attended,
            version=reading.version,
        )

    @property
    def _preset_directories(self) -> tuple[str, str]:
        return os.path.join(self._where.managed, "presets"), os.path.join(self._where.user, "presets")

    def _compute_version(self, layer_files: tuple[LayerFile, ...]) -> str:
        """A short digest of everything that was read."""
        words = [f"{one.file.source.path} {one.file.source.digest} {one.trusted}" for one in layer_files]
        words += [f"{variable}={self._environ.get(variable, '')}" for variable in _VARIABLES]
        words += [f"{path} {_file_digest(path)}" for path in (self._where.trust_file, *self._preset_files())]
        return _short_digest([*words, self._preset or ""])

    def _preset_files(self) -> Iterator[str]:
        for directory in self._preset_directories:
            if os.path.isdir(directory):
                yield from sorted(os.path.join(directory, name) for name in os.listdir(directory))

    def _file_stats(self) -> list[object]:
        where = self._where
        ours = (where.managed_file, where.user_file, where.project_file, where.local_file, where.trust_file)
        return [_file_stat(path) for path in (*ours, *where.claude_files, *self._preset_files())]


def _with_file_settings(preset: Preset, policy: Policy) -> Preset:
    """The preset with the mode, fallback and budget of the files; their mode comes first."""
    others = [word for word in preset.modes if parse_mode(word) is not policy.mode]
    modes = (policy.mode_word, *others) if policy.mode is not None else ()
    return replace(preset, modes=modes, fallback=policy.fallback, budget=policy.budget)


def _freeze_policy(file_policy: FilePolicy) -> None:
    """Hide a large policy from the garbage collector, as it stays until a file changes."""
    if sum(map(len, file_policy.rules.values())) >= MANY_RULES:
        gc.unfreeze()
        gc.collect()
        gc.freeze()


def _file_stat(path: str) -> object:
    try:
        found = os.stat(path)
    except OSError:
        return os.path.lexists(path)  # A dangling link differs from a missing file.
    return path, found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode, found.st_uid


def _short_digest(words: list[str]) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:12]


def _file_digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
