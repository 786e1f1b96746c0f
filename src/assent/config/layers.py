"""Merging the policy files of the administrator, the user and the repository, weakest layer first."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from assent.config.files import Source, read_source
from assent.config.paths import ConfigPaths
from assent.config.policy import Origin, Policy
from assent.config.policy_file import (
    PolicyFile,
    apply_declaration,
    check_tools,
    is_claude_settings,
    is_stricter_budget,
    read_claude_settings,
    read_policy_file,
)
from assent.config.preset import load_preset
from assent.config.repository import Trust
from assent.config.tools import KNOWN_TOOLS
from assent.config.written_calls import check_examples
from assent.engine.base.tool import Effect, Tool
from assent.engine.policy.modes import narrower_mode, parse_mode
from assent.engine.policy.rule import Layer, RuleList
from assent.engine.policy.snapshot import PolicyOptions
from assent.engine.policy.tiers import Tier, TierSetting
from assent.engine.policy.verdict import Verdict
from assent.gate.preset import Preset

DEFAULT_PRESET = "assent"


class LayerFile(NamedTuple):
    """A policy file, its layer, and whether it may loosen the policy."""

    layer: Layer
    file: PolicyFile
    trusted: bool


def load_policy(
    paths: ConfigPaths,
    trust: Trust,
    environ: Mapping[str, str],
    *,
    mode: str | None = None,
    preset: str | None = None,
) -> Policy:
    """Load the merged policy; flags override the environment, which overrides files."""
    files = list(read_layers(paths, trust))
    return merge_layers(files, paths, environ, mode=mode, preset=preset)


def load_policy_file(
    path: str,
    paths: ConfigPaths,
    environ: Mapping[str, str],
    *,
    mode: str | None = None,
    preset: str | None = None,
) -> Policy:
    """Load a policy from this file alone, which is trusted because the user named it."""
    files = [LayerFile(Layer.USER, _read_file(read_source(path, piped=True), Layer.USER), trusted=True)]
    return merge_layers(files, paths, environ, mode=mode, preset=preset)


def read_layers(paths: ConfigPaths, trust: Trust) -> Iterator[LayerFile]:
    """Read the existing files, weakest layer first; Claude Code's come just before ours of the same layer."""
    ours = [
        (Layer.MANAGED, paths.managed_file),
        (Layer.USER, paths.user_file),
        (Layer.PROJECT, paths.project_file),
        (Layer.LOCAL, paths.local_file),
    ]
    read = {layer: _read_layer(layer, path, trust) for layer, path in ours if os.path.lexists(path)}
    wanted = any(files.trusted and files.file.claude_settings for files in read.values())
    theirs = dict(zip((Layer.USER, Layer.PROJECT, Layer.LOCAL), paths.claude_files, strict=True))
    for layer, _ in ours:
        if wanted and layer in theirs and os.path.lexists(theirs[layer]):
            yield _read_layer(layer, theirs[layer], trust)
        if layer in read:
            yield read[layer]


def merge_layers(
    files: Sequence[LayerFile],
    paths: ConfigPaths,
    environ: Mapping[str, str],
    *,
    mode: str | None = None,
    preset: str | None = None,
) -> Policy:
    """Merge the files of all layers."""
    policy = _choose_preset(files, paths, environ, preset)
    for layer, file, trusted in files:
        join = apply_trusted if trusted else apply_untrusted
        policy = join(policy, file, layer, paths.root)
    policy = _choose_mode(policy, environ, mode)
    _check_merged(files, policy)
    return policy


def policy_from_preset(preset: Preset, origin: Origin) -> Policy:
    """The policy of a preset."""
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


_STRICTNESS = {tier: position for position, tier in enumerate(Tier)}


def apply_trusted(policy: Policy, file: PolicyFile, layer: Layer, root: str) -> Policy:
    """Apply a trusted file: its lists extend the policy, its single values replace those of the policy."""
    merged = _apply_values(policy, file, layer, root)
    return (
        merged
        if file.mode is None
        else merged.with_mode(file.mode, Origin(layer, _describe_key(file, "mode")))
    )


def apply_untrusted(policy: Policy, file: PolicyFile, layer: Layer, root: str) -> Policy:
    """Apply an untrusted file: only what makes the policy stricter; the rest is held back."""
    merged = _apply_values(policy, _strict_part(policy, file), layer, root)
    if file.mode is not None and _is_narrower(policy, file):
        origins = {**merged.origins, "mode": Origin(layer, _describe_key(file, "mode"))}
        merged = replace(merged, mode=parse_mode(file.mode), mode_word=file.mode, origins=origins)
    return replace(merged, held_back=(*policy.held_back, *loosening_changes(policy, file)))


def loosening_changes(policy: Policy, file: PolicyFile) -> Iterator[str]:
    """The changes of a file that would loosen the policy, one phrase each."""
    yield from (f"allow {rule.text}" for rule in file.rules.get(RuleList.ALLOW, ()))
    if file.mode is not None and not _is_narrower(policy, file):
        yield f"mode {file.mode}"
    if file.preset not in (None, policy.preset):
        yield f"preset {file.preset}"
    if file.fallback is Verdict.RUN:
        yield "fallback run"
    if file.claude_settings:
        yield "read Claude Code's settings"
    if file.reads_bypass_rules:
        yield "reads bypass deny and ask rules"
    if file.strip_privilege_wrappers:
        yield "allow rules see through sudo"
    for name, files in file.tools.items():
        if name not in policy.tools:
            yield f"a new tool {name}, which is {files.effect or Effect.EXTERNAL}"
        elif not _can_only_get_stricter(policy, name):
            yield f"{name} is no longer {policy.tools[name].effect}"
    yield from (
        f"tier {tier} for {agent}, {tool}"
        for (agent, tool), tier in file.tiers.items()
        if not _is_stricter(policy, (agent, tool), tier)
    )
    yield from (f"workspace root {path}" for path in file.roots or ())
    if file.keep_arguments_days is not None:
        yield f"keep the arguments of calls for {file.keep_arguments_days} day(s)"
    if file.budget is not None and not is_stricter_budget(file.budget, policy.budget):
        yield f"a budget of {file.budget.calls} calls in {file.budget.seconds} s"


def _read_file(source: Source, layer: Layer) -> PolicyFile:
    return (
        read_claude_settings(source, layer) if is_claude_settings(source) else read_policy_file(source, layer)
    )


def _read_layer(layer: Layer, path: str, trust: Trust) -> LayerFile:
    """Read the file of a layer; the user's must be guarded, the repository's is trusted by its digest."""
    personal = layer in (Layer.MANAGED, Layer.USER)
    source = read_source(path, guarded=personal)
    return LayerFile(layer, _read_file(source, layer), personal or trust.trusts_file(path, source.digest))


def _choose_preset(
    files: Sequence[LayerFile], paths: ConfigPaths, environ: Mapping[str, str], flag: str | None
) -> Policy:
    """The policy of the chosen preset, to which the files are applied."""
    chosen = DEFAULT_PRESET, Origin(Layer.SHIPPED)
    for layer, file, trusted in files:
        if trusted and file.preset is not None:
            chosen = file.preset, Origin(layer, _describe_line(file, file.preset))
    if environ.get("ASSENT_PRESET"):
        chosen = environ["ASSENT_PRESET"], Origin("environment", "ASSENT_PRESET")
    if flag is not None:
        chosen = flag, Origin("flag", "--preset")
    directories = (os.path.join(paths.managed, "presets"), os.path.join(paths.user, "presets"))
    return policy_from_preset(load_preset(chosen[0], *directories), chosen[1])


def _describe_line(file: PolicyFile, *words: str) -> str:
    line = file.source.line_of(*words)
    return f"{file.source.path}, line {line}" if line else file.source.path


def _choose_mode(policy: Policy, environ: Mapping[str, str], flag: str | None) -> Policy:
    """Apply the mode of the environment or of a flag."""
    if environ.get("ASSENT_MODE"):
        policy = policy.with_mode(environ["ASSENT_MODE"], Origin("environment", "ASSENT_MODE"))
    return policy if flag is None else policy.with_mode(flag, Origin("flag", "--mode"))


def _check_merged(files: Sequence[LayerFile], policy: Policy) -> None:
    """Check that rules name known tools and agree with their examples."""
    known: dict[str, Tool] = {**KNOWN_TOOLS, **policy.tools}
    for _, file, _ in files:
        # A tool that is held back is known here, or its rules would be errors before the file is trusted.
        known |= {
            name: apply_declaration(name, one, known) for name, one in file.tools.items() if name not in known
        }
    for _, file, _ in files:
        if not is_claude_settings(file.source):
            check_tools(file, known)
            check_examples(file.rules, known)


def _apply_values(policy: Policy, file: PolicyFile, layer: Layer, root: str) -> Policy:
    """Apply everything in a file except its mode and preset."""
    origins = {**policy.origins, **{key: Origin(layer, _describe_key(file, key)) for key in _keys_set(file)}}
    return replace(
        policy,
        tools=_with_tools(policy, file),
        rules={kind: (*policy.rules.get(kind, ()), *file.rules.get(kind, ())) for kind in RuleList},
        tiers={**policy.tiers, **{key: TierSetting(tier) for key, tier in file.tiers.items()}},
        fallback=policy.fallback if file.fallback is None else file.fallback,
        options=_with_options(policy.options, file),
        attended=policy.attended if file.attended is None else file.attended,
        claude_settings=policy.claude_settings if file.claude_settings is None else file.claude_settings,
        roots=tuple(dict.fromkeys((*policy.roots, *_absolute_roots(file.roots or (), root)))),
        keep_arguments_days=file.keep_arguments_days or policy.keep_arguments_days,
        budget=file.budget or policy.budget,
        origins=origins,
    )


def _describe_key(file: PolicyFile, key: str) -> str:
    word = {"strip_privilege_wrappers": "privilege_wrappers", "attended": "defaultMode"}.get(key, key)
    line = file.source.line_of(word)
    return f"{file.source.path}, line {line}" if line else file.source.path


def _keys_set(file: PolicyFile) -> list[str]:
    """The keys of the single values that a file sets."""
    keys = (
        "fallback",
        "attended",
        "claude_settings",
        "reads_bypass_rules",
        "strip_privilege_wrappers",
        "keep_arguments_days",
        "budget",
    )
    return [key for key in keys if getattr(file, key) is not None]


def _with_tools(policy: Policy, file: PolicyFile) -> Mapping[str, Tool]:
    if not file.tools:
        return policy.tools
    tools = dict(policy.tools)
    for name, declaration in file.tools.items():
        tools[name] = apply_declaration(name, declaration, tools)
    return tools


def _with_options(options: PolicyOptions, file: PolicyFile) -> PolicyOptions:
    reads, strips = file.reads_bypass_rules, file.strip_privilege_wrappers
    return PolicyOptions(
        reads_bypass_rules=options.reads_bypass_rules if reads is None else reads,
        strip_privilege_wrappers=options.strip_privilege_wrappers if strips is None else strips,
    )


def _absolute_roots(roots: tuple[str, ...], base: str) -> tuple[str, ...]:
    return tuple(os.path.normpath(os.path.join(base, os.path.expanduser(root))) for root in roots)


def _strict_part(policy: Policy, file: PolicyFile) -> PolicyFile:
    """What of a file can only make things stricter, the mode aside."""
    known = {name: files for name, files in file.tools.items() if _can_only_get_stricter(policy, name)}
    return replace(
        file,
        fallback=Verdict.ASK if file.fallback is Verdict.ASK else None,
        claude_settings=None,
        reads_bypass_rules=False if file.reads_bypass_rules is False else None,
        strip_privilege_wrappers=False if file.strip_privilege_wrappers is False else None,
        rules={kind: file.rules.get(kind, ()) for kind in (RuleList.DENY, RuleList.ASK)},
        tools={name: replace(files, group=None, description=None) for name, files in known.items()},
        tiers={key: tier for key, tier in file.tiers.items() if _is_stricter(policy, key, tier)},
        roots=None,
        keep_arguments_days=None,
        budget=file.budget
        if file.budget is not None and is_stricter_budget(file.budget, policy.budget)
        else None,
    )


def _can_only_get_stricter(policy: Policy, name: str) -> bool:
    """Whether a new effect can only make the tool stricter; a tool that reads has rules of its own."""
    return name in policy.tools and policy.tools[name].effect is not Effect.READ


def _is_stricter(policy: Policy, key: tuple[str, str], tier: Tier) -> bool:
    known = policy.tiers.get(key)
    return _STRICTNESS[tier] >= _STRICTNESS[Tier.NEEDS_APPROVAL if known is None else known.tier]


def _is_narrower(policy: Policy, file: PolicyFile) -> bool:
    """Whether the mode of a file is narrower; without a current mode it is not, as a mode replaces tiers."""
    mode = None if file.mode is None else parse_mode(file.mode)
    return mode is not None and policy.mode is not None and narrower_mode(policy.mode, mode) is mode
