"""Merges the policy files of the administrator, the user and the repository, weakest layer first."""

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
    check_tools_are_known,
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
from assent.engine.policy.snapshot import PolicyOptions, Tier, TierSetting
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
    """Load and merge all policy files; flags override the environment, which overrides files."""
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
    """Load a policy from one file only; the file is trusted, because the user gave its path."""
    files = [LayerFile(Layer.USER, _read_file(read_source(path, piped=True), Layer.USER), trusted=True)]
    return merge_layers(files, paths, environ, mode=mode, preset=preset)


def read_layers(paths: ConfigPaths, trust: Trust) -> Iterator[LayerFile]:
    """Read the existing policy files, weakest layer first; in a layer, Claude Code's settings come first."""
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
    """Merge the files of all layers into one policy, and check the rules of the result."""
    policy = _policy_of_chosen_preset(files, paths, environ, preset)
    for layer, file, trusted in files:
        join = apply_trusted_file if trusted else apply_untrusted_file
        policy = join(policy, file, layer, paths.root)
    policy = _apply_mode_override(policy, environ, mode)
    _check_rules(files, policy)
    return policy


def policy_from_preset(preset: Preset, origin: Origin) -> Policy:
    """Build the policy that a preset has without any policy file."""
    return Policy(
        tools=preset.tools,
        rules={kind: rules for kind, rules in preset.rules.items() if rules},
        mode=preset.mode,
        mode_word=preset.modes[0] if preset.modes else "",
        modes=preset.modes,
        preset=preset.name,
        fallback=preset.fallback,
        budget=preset.budget,
        options=PolicyOptions(shell_edits=preset.shell_edits),
        origins={} if origin.layer == Layer.SHIPPED else {"preset": origin},
    )


_TIER_STRICTNESS = {tier: position for position, tier in enumerate(Tier)}


def apply_trusted_file(policy: Policy, file: PolicyFile, layer: Layer, root: str) -> Policy:
    """Apply a trusted file: its lists extend the lists of the policy, its single values replace values."""
    merged = _apply_settings(policy, file, layer, root)
    return (
        merged
        if file.mode is None
        else merged.with_mode(file.mode, Origin(layer, _describe_key(file, "mode")))
    )


def apply_untrusted_file(policy: Policy, file: PolicyFile, layer: Layer, root: str) -> Policy:
    """Apply those settings of an untrusted file that make the policy stricter; hold the others back."""
    merged = _apply_settings(policy, _only_stricter_settings(policy, file), layer, root)
    if file.mode is not None and _is_narrower_mode(policy, file):
        origins = {**merged.origins, "mode": Origin(layer, _describe_key(file, "mode"))}
        merged = replace(merged, mode=parse_mode(file.mode), mode_word=file.mode, origins=origins)
    return replace(merged, held_back=(*policy.held_back, *loosening_changes(policy, file)))


_LOOSENING_OPTIONS = {
    "reads_bypass_rules": "reads bypass deny and ask rules",
    "strip_privilege_wrappers": "allow rules see through sudo",
    "shell_edits": "commands that only edit files count as edits",
}
"""What each option of a policy file loosens."""


def loosening_changes(policy: Policy, file: PolicyFile) -> Iterator[str]:
    """Describe each setting of a file that would make the policy less strict."""
    yield from (f"allow {rule.text}" for rule in file.rules.get(RuleList.ALLOW, ()))
    if file.mode is not None and not _is_narrower_mode(policy, file):
        yield f"mode {file.mode}"
    if file.preset not in (None, policy.preset):
        yield f"preset {file.preset}"
    if file.fallback is Verdict.RUN:
        yield "fallback run"
    if file.claude_settings:
        yield "read Claude Code's settings"
    yield from (text for key, text in _LOOSENING_OPTIONS.items() if getattr(file, key))
    for name, files in file.tools.items():
        if name not in policy.tools:
            yield f"a new tool {name}, which is {files.effect or Effect.EXTERNAL}"
        elif not _can_only_get_stricter(policy, name):
            yield f"{name} is no longer {policy.tools[name].effect}"
    yield from (
        f"tier {tier} for {agent}, {tool}"
        for (agent, tool), tier in file.tiers.items()
        if not _is_stricter_tier(policy, (agent, tool), tier)
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
    """Read the file of a layer; a repository's file is trusted only if the user trusted its digest.

    The files of the administrator and the user must not be writable by other users.
    """
    personal = layer in (Layer.MANAGED, Layer.USER)
    source = read_source(path, guarded=personal)
    return LayerFile(layer, _read_file(source, layer), personal or trust.trusts_file(path, source.digest))


def _policy_of_chosen_preset(
    files: Sequence[LayerFile], paths: ConfigPaths, environ: Mapping[str, str], flag: str | None
) -> Policy:
    """Choose a preset and build its policy; the policy files are applied to it later."""
    chosen = DEFAULT_PRESET, Origin(Layer.SHIPPED)
    for layer, file, trusted in files:
        if trusted and file.preset is not None:
            chosen = file.preset, Origin(layer, _describe_position(file, file.preset))
    if environ.get("ASSENT_PRESET"):
        chosen = environ["ASSENT_PRESET"], Origin("environment", "ASSENT_PRESET")
    if flag is not None:
        chosen = flag, Origin("flag", "--preset")
    directories = (os.path.join(paths.managed, "presets"), os.path.join(paths.user, "presets"))
    return policy_from_preset(load_preset(chosen[0], *directories), chosen[1])


def _describe_position(file: PolicyFile, *words: str) -> str:
    line = file.source.find_line(*words)
    return f"{file.source.path}, line {line}" if line else file.source.path


def _apply_mode_override(policy: Policy, environ: Mapping[str, str], flag: str | None) -> Policy:
    """Set the mode from the environment or from the flag `--mode`, if there is one."""
    if environ.get("ASSENT_MODE"):
        policy = policy.with_mode(environ["ASSENT_MODE"], Origin("environment", "ASSENT_MODE"))
    return policy if flag is None else policy.with_mode(flag, Origin("flag", "--mode"))


def _check_rules(files: Sequence[LayerFile], policy: Policy) -> None:
    """Check that all rules name known tools and agree with their examples."""
    known: dict[str, Tool] = {**KNOWN_TOOLS, **policy.tools}
    for _, file, _ in files:
        # Tools of untrusted files count as known here: otherwise rules for them would be errors.
        known |= {
            name: apply_declaration(name, one, known) for name, one in file.tools.items() if name not in known
        }
    for _, file, _ in files:
        if not is_claude_settings(file.source):
            check_tools_are_known(file, known)
            check_examples(file.rules, known)


def _apply_settings(policy: Policy, file: PolicyFile, layer: Layer, root: str) -> Policy:
    """Apply all settings of a file except its mode and preset."""
    origins = {
        **policy.origins,
        **{key: Origin(layer, _describe_key(file, key)) for key in _keys_in_file(file)},
    }
    return replace(
        policy,
        tools=_merged_tools(policy, file),
        rules={kind: (*policy.rules.get(kind, ()), *file.rules.get(kind, ())) for kind in RuleList},
        tiers={**policy.tiers, **{key: TierSetting(tier) for key, tier in file.tiers.items()}},
        fallback=policy.fallback if file.fallback is None else file.fallback,
        options=_merged_options(policy.options, file),
        attended=policy.attended if file.attended is None else file.attended,
        claude_settings=policy.claude_settings if file.claude_settings is None else file.claude_settings,
        roots=tuple(dict.fromkeys((*policy.roots, *_absolute_roots(file.roots or (), root)))),
        keep_arguments_days=file.keep_arguments_days or policy.keep_arguments_days,
        budget=file.budget or policy.budget,
        origins=origins,
    )


def _describe_key(file: PolicyFile, key: str) -> str:
    word = {"strip_privilege_wrappers": "privilege_wrappers", "attended": "defaultMode"}.get(key, key)
    line = file.source.find_line(word)
    return f"{file.source.path}, line {line}" if line else file.source.path


def _keys_in_file(file: PolicyFile) -> list[str]:
    """The keys of the single values (not lists) that a file contains."""
    keys = (
        "fallback",
        "attended",
        "claude_settings",
        "reads_bypass_rules",
        "strip_privilege_wrappers",
        "shell_edits",
        "keep_arguments_days",
        "budget",
    )
    return [key for key in keys if getattr(file, key) is not None]


def _merged_tools(policy: Policy, file: PolicyFile) -> Mapping[str, Tool]:
    if not file.tools:
        return policy.tools
    tools = dict(policy.tools)
    for name, declaration in file.tools.items():
        tools[name] = apply_declaration(name, declaration, tools)
    return tools


def _merged_options(options: PolicyOptions, file: PolicyFile) -> PolicyOptions:
    reads, strips, edits = file.reads_bypass_rules, file.strip_privilege_wrappers, file.shell_edits
    return PolicyOptions(
        reads_bypass_rules=options.reads_bypass_rules if reads is None else reads,
        strip_privilege_wrappers=options.strip_privilege_wrappers if strips is None else strips,
        shell_edits=options.shell_edits if edits is None else edits,
    )


def _absolute_roots(roots: tuple[str, ...], base: str) -> tuple[str, ...]:
    return tuple(os.path.normpath(os.path.join(base, os.path.expanduser(root))) for root in roots)


def _only_stricter_settings(policy: Policy, file: PolicyFile) -> PolicyFile:
    """A copy of the file with only those settings that make the policy stricter; the mode is not checked."""
    known = {name: files for name, files in file.tools.items() if _can_only_get_stricter(policy, name)}
    return replace(
        file,
        fallback=Verdict.ASK if file.fallback is Verdict.ASK else None,
        claude_settings=None,
        reads_bypass_rules=False if file.reads_bypass_rules is False else None,
        strip_privilege_wrappers=False if file.strip_privilege_wrappers is False else None,
        shell_edits=False if file.shell_edits is False else None,
        rules={kind: file.rules.get(kind, ()) for kind in (RuleList.DENY, RuleList.ASK)},
        tools={name: replace(files, group=None, description=None) for name, files in known.items()},
        tiers={key: tier for key, tier in file.tiers.items() if _is_stricter_tier(policy, key, tier)},
        roots=None,
        keep_arguments_days=None,
        budget=file.budget
        if file.budget is not None and is_stricter_budget(file.budget, policy.budget)
        else None,
    )


def _can_only_get_stricter(policy: Policy, name: str) -> bool:
    """Whether any new effect makes a tool stricter; not so for a tool that reads, which has special rules."""
    return name in policy.tools and policy.tools[name].effect is not Effect.READ


def _is_stricter_tier(policy: Policy, key: tuple[str, str], tier: Tier) -> bool:
    known = policy.tiers.get(key)
    return _TIER_STRICTNESS[tier] >= _TIER_STRICTNESS[Tier.NEEDS_APPROVAL if known is None else known.tier]


def _is_narrower_mode(policy: Policy, file: PolicyFile) -> bool:
    """Whether the mode of a file allows less than the policy's mode; False if the policy has no mode."""
    mode = None if file.mode is None else parse_mode(file.mode)
    return mode is not None and policy.mode is not None and narrower_mode(policy.mode, mode) is mode
