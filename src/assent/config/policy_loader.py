"""Loads the policy files for a server, and reloads them when a file has changed."""

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
from assent.gate.policy import FilePolicies, FilePolicy
from assent.gate.preset import Preset

_log = logging.getLogger("assent.policy")
LARGE_POLICY_RULES = 1000
"""Minimum number of rules of a policy that is hidden from the garbage collector."""
_ENVIRONMENT_VARIABLES = ("ASSENT_MODE", "ASSENT_PRESET")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _LoadedFiles:
    """The content of all policy files after one load."""

    layer_files: tuple[LayerFile, ...]
    trust: Trust
    policy: Policy
    version: str
    file_policies: dict[str, FilePolicy] = field(default_factory=dict[str, FilePolicy])
    """The policy of each preset, built when the preset is first used."""


class PolicyLoader:
    """Loads and reloads the policy files; while a file is invalid, the last valid policy stays in effect."""

    def __init__(self, where: ConfigPaths, environ: Mapping[str, str], *, preset: str | None = None) -> None:
        """Load the files; raises an error if a file is invalid."""
        self._where = where
        self._environ = environ
        self._preset = preset
        self._stats_at_load = self._file_stats()
        self._loaded = self._load_files()
        self.error = ""
        """The mistake in the current files; empty if they are valid."""

    @property
    def version(self) -> str:
        """A short digest that differs after every change of the policy."""
        return self._loaded.version

    @property
    def digest(self) -> str:
        """A short digest of the files' contents, equal on servers with the same policy files."""
        words = [f"{one.layer} {one.file.source.digest} {one.trusted}" for one in self._loaded.layer_files]
        words += [f"{variable}={self._environ.get(variable, '')}" for variable in _ENVIRONMENT_VARIABLES]
        words += [f"{os.path.basename(path)} {_file_digest(path)}" for path in self._preset_files()]
        return _short_digest([*words, self._preset or ""])

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the loaded policy files, weakest layer first."""
        return tuple(one.file.source.path for one in self._loaded.layer_files)

    @property
    def presets(self) -> tuple[str, ...]:
        """The names of all presets, including presets that the policy files make unusable."""
        return tuple(preset_names(*self._preset_directories))

    @property
    def policy(self) -> Policy:
        """The merged policy with the default preset."""
        return self._loaded.policy

    @property
    def trust(self) -> Trust:
        """The files and repositories that the user trusts."""
        return self._loaded.trust

    def __call__(self, preset: str) -> FilePolicy:
        """Return the policy with a preset; an empty name means the default preset."""
        return self._file_policy(self._loaded, preset)

    def for_project(self, where: ConfigPaths) -> "PolicyLoader":
        """A loader for the files of another project, with the same environment and the same preset."""
        return PolicyLoader(where, self._environ, preset=self._preset)

    def freeze(self) -> FilePolicies:
        """The policies of all presets as they are now; a later reload does not change them."""
        loaded = self._loaded
        return lambda preset: self._file_policy(loaded, preset)

    def has_changed(self) -> bool:
        """Whether a file changed on disk since the last load."""
        return self._file_stats() != self._stats_at_load

    def reload(self) -> bool:
        """Load the files again and return whether the policy changed; an invalid file only sets `error`."""
        self._stats_at_load = self._file_stats()
        try:
            loaded = self._load_files()
        except (AssentError, OSError) as error:
            self.error = str(error)
            _log.warning("the last valid policy stays in effect: %s", error)
            return False
        self.error = ""
        if loaded.version == self.version:
            return False
        self._loaded = loaded
        _log.info("policy %s is now in effect", loaded.version)
        return True

    def _file_policy(self, loaded: _LoadedFiles, preset: str) -> FilePolicy:
        name = preset or loaded.policy.preset
        if name not in loaded.file_policies:
            loaded.file_policies[name] = self._build_file_policy(loaded, name)
        return loaded.file_policies[name]

    def _load_files(self) -> _LoadedFiles:
        trust = load_trust(self._where.trust_file)
        layer_files = tuple(read_layers(self._where, trust))
        policy = merge_layers(layer_files, self._where, self._environ, preset=self._preset)
        loaded = _LoadedFiles(
            layer_files=layer_files,
            trust=trust,
            policy=policy,
            version=self._compute_version(layer_files),
        )
        loaded.file_policies[policy.preset] = self._build_file_policy(loaded, policy.preset)
        _hide_from_garbage_collector(loaded.file_policies[policy.preset])
        return loaded

    def _build_file_policy(self, loaded: _LoadedFiles, preset: str) -> FilePolicy:
        policy = loaded.policy
        if preset != policy.preset:
            policy = merge_layers(loaded.layer_files, self._where, self._environ, preset=preset)
        return FilePolicy(
            preset=_with_file_settings(load_preset(policy.preset, *self._preset_directories), policy),
            tools=policy.tools,
            file_tools=frozenset(policy.tools) - frozenset(KNOWN_TOOLS),
            rules=policy.rules,
            tiers=policy.tiers,
            options=policy.options,
            attended=policy.attended,
            version=loaded.version,
        )

    @property
    def _preset_directories(self) -> tuple[str, str]:
        return os.path.join(self._where.managed, "presets"), os.path.join(self._where.user, "presets")

    def _compute_version(self, layer_files: tuple[LayerFile, ...]) -> str:
        """A short digest of all files and environment variables that were read."""
        words = [f"{one.file.source.path} {one.file.source.digest} {one.trusted}" for one in layer_files]
        words += [f"{variable}={self._environ.get(variable, '')}" for variable in _ENVIRONMENT_VARIABLES]
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
    """A copy of the preset with the mode, fallback and budget of the policy files; their mode comes first."""
    others = [word for word in preset.modes if parse_mode(word) is not policy.mode]
    modes = (policy.mode_word, *others) if policy.mode is not None else ()
    return replace(preset, modes=modes, fallback=policy.fallback, budget=policy.budget)


def _hide_from_garbage_collector(file_policy: FilePolicy) -> None:
    """Exclude the objects of a large policy from garbage collection; they stay until a file changes."""
    if sum(map(len, file_policy.rules.values())) >= LARGE_POLICY_RULES:
        gc.unfreeze()
        gc.collect()
        gc.freeze()


def _file_stat(path: str) -> object:
    try:
        found = os.stat(path)
    except OSError:
        return os.path.lexists(path)  # A broken link differs from a missing file.
    return path, found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode, found.st_uid


def _short_digest(words: list[str]) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:12]


def _file_digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
