"""Layers: the files of administrator, person and repository, merged from the lightest to the heaviest."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from assent.config.claude import is_claude_settings, read_claude_settings
from assent.config.declaration import declared
from assent.config.examples import check_examples
from assent.config.file import PolicyFile, check_tools, read_policy
from assent.config.joining import override, tighten
from assent.config.policy import Origin, Policy
from assent.config.preset import load_preset
from assent.config.source import Source, read_source
from assent.config.tools import KNOWN
from assent.config.trust import Trust
from assent.config.whereabouts import Whereabouts
from assent.engine.model import Tool
from assent.engine.policy.rule import Layer
from assent.gate.preset import Preset

DEFAULT_PRESET = "assent"


class Said(NamedTuple):
    """What one file says, on which layer, and whether it may loosen anything."""

    layer: Layer
    file: PolicyFile
    trusted: bool


def load_policy(
    where: Whereabouts,
    trust: Trust,
    environ: Mapping[str, str],
    *,
    mode: str | None = None,
    preset: str | None = None,
) -> Policy:
    """Everything that holds in a place; flags count more than the environment, and that more than files."""
    said = list(read_layers(where, trust))
    return merged(said, where, environ, mode=mode, preset=preset)


def load_policy_file(
    path: str,
    where: Whereabouts,
    environ: Mapping[str, str],
    *,
    mode: str | None = None,
    preset: str | None = None,
) -> Policy:
    """What would hold if this file were the only one; whoever names it means it."""
    said = [Said(Layer.USER, _read(read_source(path, piped=True), Layer.USER), trusted=True)]
    return merged(said, where, environ, mode=mode, preset=preset)


def read_layers(where: Whereabouts, trust: Trust) -> Iterator[Said]:
    """The files that exist, lightest first; Claude Code's own come just before ours of the same layer."""
    ours = [
        (Layer.MANAGED, where.managed_file),
        (Layer.USER, where.user_file),
        (Layer.PROJECT, where.project_file),
        (Layer.LOCAL, where.local_file),
    ]
    read = {layer: _say(layer, path, trust) for layer, path in ours if os.path.lexists(path)}
    wanted = any(said.trusted and said.file.claude_settings for said in read.values())
    theirs = dict(zip((Layer.USER, Layer.PROJECT, Layer.LOCAL), where.claude_files, strict=True))
    for layer, _ in ours:
        if wanted and layer in theirs and os.path.lexists(theirs[layer]):
            yield _say(layer, theirs[layer], trust)
        if layer in read:
            yield read[layer]


def _say(layer: Layer, path: str, trust: Trust) -> Said:
    """Read a layer's file: those of the person must be guarded, those of the repository trusted."""
    personal = layer in (Layer.MANAGED, Layer.USER)
    source = read_source(path, guarded=personal)
    return Said(layer, _read(source, layer), personal or trust.of_file(path, source.digest))


def _read(source: Source, layer: Layer) -> PolicyFile:
    return read_claude_settings(source, layer) if is_claude_settings(source) else read_policy(source, layer)


def merged(
    said: Sequence[Said],
    where: Whereabouts,
    environ: Mapping[str, str],
    *,
    mode: str | None = None,
    preset: str | None = None,
) -> Policy:
    """What these layers say together."""
    policy = _start(said, where, environ, preset)
    for layer, file, trusted in said:
        join = override if trusted else tighten
        policy = join(policy, file, layer, where.root)
    policy = _choose_mode(policy, environ, mode)
    _check(said, policy)
    return policy


def _start(said: Sequence[Said], where: Whereabouts, environ: Mapping[str, str], flag: str | None) -> Policy:
    """The preset that counts, as the policy that everything else is joined to."""
    chosen = DEFAULT_PRESET, Origin(Layer.SHIPPED)
    for layer, file, trusted in said:
        if trusted and file.preset is not None:
            chosen = file.preset, Origin(layer, _at(file, file.preset))
    if environ.get("ASSENT_PRESET"):
        chosen = environ["ASSENT_PRESET"], Origin("environment", "ASSENT_PRESET")
    if flag is not None:
        chosen = flag, Origin("flag", "--preset")
    directories = (os.path.join(where.managed, "presets"), os.path.join(where.user, "presets"))
    return from_preset(load_preset(chosen[0], *directories), chosen[1])


def from_preset(preset: Preset, origin: Origin) -> Policy:
    """A policy that says what its preset says."""
    return Policy(
        tools=preset.tools,
        rules={kind: rules for kind, rules in preset.rules.items() if rules},
        mode=preset.mode,
        mode_word=preset.modes[0] if preset.modes else "",
        modes=preset.modes,
        preset=preset.name,
        fallback=preset.fallback,
        budget=preset.budget,
        origins={} if origin.layer == Layer.SHIPPED else {"preset": origin},
    )


def _choose_mode(policy: Policy, environ: Mapping[str, str], flag: str | None) -> Policy:
    """The mode of the environment or of a flag, if there is one."""
    if environ.get("ASSENT_MODE"):
        policy = policy.in_mode(environ["ASSENT_MODE"], Origin("environment", "ASSENT_MODE"))
    return policy if flag is None else policy.in_mode(flag, Origin("flag", "--mode"))


def _check(said: Sequence[Said], policy: Policy) -> None:
    """Rules must be about tools that exist and must agree with their own examples."""
    known: dict[str, Tool] = {**KNOWN, **policy.tools}
    for _, file, _ in said:
        # A tool that is held back is known all the same, or its rules could not be read before it is trusted.
        known |= {name: declared(name, one, known) for name, one in file.tools.items() if name not in known}
    for _, file, _ in said:
        if not is_claude_settings(file.source):
            check_tools(file, known)
            check_examples(file, known)


def _at(file: PolicyFile, *words: str) -> str:
    line = file.source.line_of(*words)
    return f"{file.source.path}, line {line}" if line else file.source.path
