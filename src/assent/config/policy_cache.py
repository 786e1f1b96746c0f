"""A cache of the merged policy: a hook process starts without the modules that read policy files.

The cache holds the exact text of every file that the policy comes from, so that a changed file is
noticed for certain. Only its user can write it, as for the file of trusted repositories beside it.
"""

import binascii
import json
import os
import stat
from collections.abc import Mapping
from typing import cast

from assent.config.paths import ConfigPaths
from assent.config.policy import Origin, Policy
from assent.config.tools import KNOWN_TOOLS
from assent.engine.base.tool import Dialect, Effect, PathKind, Tool
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import Layer, Rule, RuleList
from assent.engine.policy.snapshot import PolicyOptions, Tier, TierSetting
from assent.engine.policy.verdict import Verdict
from assent.version import __version__

FORMAT = 1
_MAX_INPUT_BYTES = 200_000
"""A larger file is read anew each time."""

CacheInputs = dict[str, object]
_Json = dict[str, object]


def read_cache_inputs(paths: ConfigPaths) -> CacheInputs | None:
    """The text, owner and permissions of every file that the policy comes from.

    None if a file is too large, or if there are presets besides the shipped ones: then nothing is cached.
    """
    if any(os.path.lexists(os.path.join(directory, "presets")) for directory in (paths.managed, paths.user)):
        return None
    files = (
        *(paths.managed_file, paths.user_file, paths.project_file, paths.local_file),
        *paths.claude_files,
        paths.trust_file,
    )
    found: CacheInputs = {"version": __version__, "format": FORMAT, "root": paths.root}
    for path in files:
        state = _read_state(path)
        if state is not None and len(str(state[0])) > _MAX_INPUT_BYTES:
            return None
        found[path] = state
    return found


def load_cached_policy(paths: ConfigPaths, inputs: CacheInputs) -> Policy | None:
    """The policy that was made of exactly these inputs; None if it is not in the cache."""
    try:
        with open(_cache_file(paths), "rb") as file:
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid() or status.st_mode & 0o077:
                return None
            stored = json.loads(file.read())
        return _from_json(stored["policy"]) if stored["inputs"] == inputs else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def save_cached_policy(paths: ConfigPaths, inputs: CacheInputs, policy: Policy) -> None:
    """Store the policy; without the cache, the next process only starts more slowly."""
    path = _cache_file(paths)
    temporary = f"{path}.{os.getpid()}"
    try:
        # One at a time: parents that `makedirs` creates would be open to other users.
        os.makedirs(paths.data, mode=0o700, exist_ok=True)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(handle, "w", encoding="ascii") as file:
            json.dump({"inputs": inputs, "policy": _to_json(policy)}, file)
        os.replace(temporary, path)
    except OSError:
        return


def _cache_file(paths: ConfigPaths) -> str:
    # Two roots with the same name of the file would only overwrite each other: the inputs name the root.
    name = f"{binascii.crc32(os.fsencode(paths.root)):08x}.json"
    return os.path.join(paths.data, "policy-cache", name)


def _read_state(path: str) -> list[object] | None:
    """The text of a file, and the owner and permissions of the file and its directory."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return ["", "irregular"]
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            text = file.read(_MAX_INPUT_BYTES + 1).decode("utf-8", "surrogateescape")
        directory = os.stat(os.path.dirname(os.path.realpath(path)))
    except FileNotFoundError:
        return ["", "dangling"] if os.path.lexists(path) else None
    except OSError as error:
        return ["", error.errno]
    return [text, status.st_uid, status.st_mode, directory.st_uid, directory.st_mode]


def _to_json(policy: Policy) -> _Json:
    """The parts of a policy that decide calls."""
    declared = [_tool_to_json(tool) for name, tool in policy.tools.items() if KNOWN_TOOLS.get(name) != tool]
    return {
        "declared": declared,
        "tools": None if policy.tools.keys() >= KNOWN_TOOLS.keys() else list(policy.tools),
        "rules": {
            kind.value: [
                [rule.tool, rule.specifier, rule.layer.value, rule.source, rule.why] for rule in rules
            ]
            for kind, rules in policy.rules.items()
        },
        "tiers": [
            [agent, tool, setting.tier.value, setting.explicit]
            for (agent, tool), setting in policy.tiers.items()
        ],
        "mode": None if policy.mode is None else policy.mode.value,
        "mode_word": policy.mode_word,
        "preset": policy.preset,
        "fallback": policy.fallback.name,
        "reads_bypass_rules": policy.options.reads_bypass_rules,
        "shell_edits": policy.options.shell_edits,
        "strip_privilege_wrappers": policy.options.strip_privilege_wrappers,
        "attended": policy.attended,
        "roots": list(policy.roots),
        "origins": {key: list(origin) for key, origin in policy.origins.items()},
        "held_back": list(policy.held_back),
    }


def _from_json(stored: Mapping[str, object]) -> Policy:
    names = cast("list[str] | None", stored["tools"])
    declared = {tool.name: tool for tool in map(_tool_from_json, cast("list[_Json]", stored["declared"]))}
    known = (
        KNOWN_TOOLS if names is None else {name: KNOWN_TOOLS[name] for name in names if name in KNOWN_TOOLS}
    )
    rules = cast("dict[str, list[list[str]]]", stored["rules"])
    tiers = cast("list[tuple[str, str, str, bool]]", stored["tiers"])
    mode = cast("str | None", stored["mode"])
    return Policy(
        tools={**known, **declared} if declared or names is not None else KNOWN_TOOLS,
        rules={RuleList(kind): tuple(map(_rule_from_json, texts)) for kind, texts in rules.items()},
        tiers={(agent, tool): TierSetting(Tier(tier), explicit) for agent, tool, tier, explicit in tiers},
        mode=None if mode is None else Mode(mode),
        mode_word=str(stored["mode_word"]),
        preset=str(stored["preset"]),
        fallback=Verdict[str(stored["fallback"])],
        options=PolicyOptions(
            reads_bypass_rules=stored["reads_bypass_rules"] is True,
            strip_privilege_wrappers=stored["strip_privilege_wrappers"] is True,
            shell_edits=stored.get("shell_edits") is True,
        ),
        attended=stored["attended"] is True,
        roots=tuple(cast("list[str]", stored["roots"])),
        origins={
            key: Origin(*origin) for key, origin in cast("dict[str, list[str]]", stored["origins"]).items()
        },
        held_back=tuple(cast("list[str]", stored["held_back"])),
    )


def _rule_from_json(stored: list[str]) -> Rule:
    tool, specifier, layer, source, why = stored
    return Rule(tool=tool, specifier=specifier, layer=Layer(layer), source=source, why=why)


def _tool_to_json(tool: Tool) -> _Json:
    return {name: getattr(tool, name) for name in type(tool).field_names}


def _tool_from_json(stored: _Json) -> Tool:
    read = {"effect": Effect, "dialect": Dialect, "paths": PathKind}
    return Tool(**{name: read.get(name, _same_value)(value) for name, value in stored.items()})  # type: ignore[arg-type]


def _same_value(value: object) -> object:
    return value
