"""Layers: the files of administrator, person and repository, merged from the lightest to the heaviest."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from assent.config.claude import is_claude_settings, read_claude_settings
from assent.config.files import Source, read_source
from assent.config.paths import ConfigPaths
from assent.config.policy import Origin, Policy
from assent.config.policy_file import (
    PolicyFile,
    apply_declaration,
    check_tools,
    is_stricter_budget,
    read_policy_file,
)
from assent.config.preset import load_preset
from assent.config.tools import KNOWN_TOOLS
from assent.config.trust import Trust
from assent.config.written_calls import check_examples
from assent.engine.model import Effect, Tool
from assent.engine.modes import narrower_mode, parse_mode
from assent.engine.policy.rule import Layer, RuleList
from assent.engine.policy.snapshot import PolicyOptions
from assent.engine.policy.tiers import Tier, TierSetting
from assent.engine.verdict import Verdict
from assent.gate.preset import Preset

DEFAULT_PRESET = "assent"


class LayerFile(NamedTuple):
    """What one file says, on which layer, and whether it may loosen anything."""

    layer: Layer
    file: PolicyFile
    trusted: bool


def load_policy(
    where: ConfigPaths,
    trust: Trust,
    environ: Mapping[str, str],
    *,
    mode: str | None = None,
    preset: str | None = None,
) -> Policy:
    """Everything that holds in a place; flags count more than the environment, and that more than files."""
    said = list(read_layers(where, trust))
    return merge_layers(said, where, environ, mode=mode, preset=preset)


def load_policy_file(
    path: str,
    where: ConfigPaths,
    environ: Mapping[str, str],
    *,
    mode: str | None = None,
    preset: str | None = None,
) -> Policy:
    """What would hold if this file were the only one; whoever names it means it."""
    said = [LayerFile(Layer.USER, _read(read_source(path, piped=True), Layer.USER), trusted=True)]
    return merge_layers(said, where, environ, mode=mode, preset=preset)


def read_layers(where: ConfigPaths, trust: Trust) -> Iterator[LayerFile]:
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


def _say(layer: Layer, path: str, trust: Trust) -> LayerFile:
    """Read a layer's file: those of the person must be guarded, those of the repository trusted."""
    personal = layer in (Layer.MANAGED, Layer.USER)
    source = read_source(path, guarded=personal)
    return LayerFile(layer, _read(source, layer), personal or trust.trusts_file(path, source.digest))


def _read(source: Source, layer: Layer) -> PolicyFile:
    return (
        read_claude_settings(source, layer) if is_claude_settings(source) else read_policy_file(source, layer)
    )


def merge_layers(
    said: Sequence[LayerFile],
    where: ConfigPaths,
    environ: Mapping[str, str],
    *,
    mode: str | None = None,
    preset: str | None = None,
) -> Policy:
    """What these layers say together."""
    policy = _start(said, where, environ, preset)
    for layer, file, trusted in said:
        join = apply_trusted if trusted else apply_untrusted
        policy = join(policy, file, layer, where.root)
    policy = _choose_mode(policy, environ, mode)
    _check(said, policy)
    return policy


def _start(
    said: Sequence[LayerFile], where: ConfigPaths, environ: Mapping[str, str], flag: str | None
) -> Policy:
    """The preset that counts, as the policy that everything else is joined to."""
    chosen = DEFAULT_PRESET, Origin(Layer.SHIPPED)
    for layer, file, trusted in said:
        if trusted and file.preset is not None:
            chosen = file.preset, Origin(layer, _place_of(file, file.preset))
    if environ.get("ASSENT_PRESET"):
        chosen = environ["ASSENT_PRESET"], Origin("environment", "ASSENT_PRESET")
    if flag is not None:
        chosen = flag, Origin("flag", "--preset")
    directories = (os.path.join(where.managed, "presets"), os.path.join(where.user, "presets"))
    return policy_from_preset(load_preset(chosen[0], *directories), chosen[1])


def policy_from_preset(preset: Preset, origin: Origin) -> Policy:
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
        policy = policy.with_mode(environ["ASSENT_MODE"], Origin("environment", "ASSENT_MODE"))
    return policy if flag is None else policy.with_mode(flag, Origin("flag", "--mode"))


def _check(said: Sequence[LayerFile], policy: Policy) -> None:
    """Rules must be about tools that exist and must agree with their own examples."""
    known: dict[str, Tool] = {**KNOWN_TOOLS, **policy.tools}
    for _, file, _ in said:
        # A tool that is held back is known all the same, or its rules could not be read before it is trusted.
        known |= {
            name: apply_declaration(name, one, known) for name, one in file.tools.items() if name not in known
        }
    for _, file, _ in said:
        if not is_claude_settings(file.source):
            check_tools(file, known)
            check_examples(file.rules, known)


def _place_of(file: PolicyFile, *words: str) -> str:
    line = file.source.line_of(*words)
    return f"{file.source.path}, line {line}" if line else file.source.path


_STRICTNESS = {tier: position for position, tier in enumerate(Tier)}


def apply_trusted(policy: Policy, file: PolicyFile, layer: Layer, root: str) -> Policy:
    """Join a file whose author may decide: lists grow, single values replace what was there."""
    joined = _joined(policy, file, layer, root)
    return (
        joined
        if file.mode is None
        else joined.with_mode(file.mode, Origin(layer, _place_of_key(file, "mode")))
    )


def apply_untrusted(policy: Policy, file: PolicyFile, layer: Layer, root: str) -> Policy:
    """Join a file that nobody trusted yet: what makes things stricter counts, the rest is held back."""
    joined = _joined(policy, _strict_part(policy, file), layer, root)
    if file.mode is not None and _is_narrower(policy, file):
        origins = {**joined.origins, "mode": Origin(layer, _place_of_key(file, "mode"))}
        joined = replace(joined, mode=parse_mode(file.mode), mode_word=file.mode, origins=origins)
    return replace(joined, held_back=(*policy.held_back, *loosening_changes(policy, file)))


def loosening_changes(policy: Policy, file: PolicyFile) -> Iterator[str]:
    """What a file would loosen in a policy, one sentence each."""
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
    for name, said in file.tools.items():
        if name not in policy.tools:
            yield f"a new tool {name}, which is {said.effect or Effect.EXTERNAL}"
        elif not _can_only_be_raised(policy, name):
            yield f"{name} no longer {policy.tools[name].effect}"
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


def _strict_part(policy: Policy, file: PolicyFile) -> PolicyFile:
    """What of a file can only make things stricter, the mode aside."""
    known = {name: said for name, said in file.tools.items() if _can_only_be_raised(policy, name)}
    return replace(
        file,
        fallback=Verdict.ASK if file.fallback is Verdict.ASK else None,
        claude_settings=None,
        reads_bypass_rules=False if file.reads_bypass_rules is False else None,
        strip_privilege_wrappers=False if file.strip_privilege_wrappers is False else None,
        rules={kind: file.rules.get(kind, ()) for kind in (RuleList.DENY, RuleList.ASK)},
        tools={name: replace(said, group=None, description=None) for name, said in known.items()},
        tiers={key: tier for key, tier in file.tiers.items() if _is_stricter(policy, key, tier)},
        roots=None,
        keep_arguments_days=None,
        budget=file.budget
        if file.budget is not None and is_stricter_budget(file.budget, policy.budget)
        else None,
    )


def _joined(policy: Policy, file: PolicyFile, layer: Layer, root: str) -> Policy:
    """Everything of a file but its mode and preset."""
    origins = {**policy.origins, **{key: Origin(layer, _place_of_key(file, key)) for key in _said(file)}}
    return replace(
        policy,
        tools=_with_tools(policy, file),
        rules={kind: (*policy.rules.get(kind, ()), *file.rules.get(kind, ())) for kind in RuleList},
        tiers={**policy.tiers, **{key: TierSetting(tier) for key, tier in file.tiers.items()}},
        fallback=policy.fallback if file.fallback is None else file.fallback,
        options=_with_options(policy.options, file),
        attended=policy.attended if file.attended is None else file.attended,
        claude_settings=policy.claude_settings if file.claude_settings is None else file.claude_settings,
        roots=tuple(dict.fromkeys((*policy.roots, *_absolute(file.roots or (), root)))),
        keep_arguments_days=file.keep_arguments_days or policy.keep_arguments_days,
        budget=file.budget or policy.budget,
        origins=origins,
    )


def _can_only_be_raised(policy: Policy, name: str) -> bool:
    """Whether another effect can only make a tool stricter: a reader's own rules go with its effect."""
    return name in policy.tools and policy.tools[name].effect is not Effect.READ


def _is_narrower(policy: Policy, file: PolicyFile) -> bool:
    """Whether a file's mode only takes away; where there is none, a mode would silence tiers by name."""
    mode = None if file.mode is None else parse_mode(file.mode)
    return mode is not None and policy.mode is not None and narrower_mode(policy.mode, mode) is mode


def _is_stricter(policy: Policy, key: tuple[str, str], tier: Tier) -> bool:
    known = policy.tiers.get(key)
    return _STRICTNESS[tier] >= _STRICTNESS[Tier.NEEDS_APPROVAL if known is None else known.tier]


def _said(file: PolicyFile) -> list[str]:
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


def _place_of_key(file: PolicyFile, key: str) -> str:
    word = {"strip_privilege_wrappers": "privilege_wrappers", "attended": "defaultMode"}.get(key, key)
    line = file.source.line_of(word)
    return f"{file.source.path}, line {line}" if line else file.source.path


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


def _absolute(roots: tuple[str, ...], base: str) -> tuple[str, ...]:
    return tuple(os.path.normpath(os.path.join(base, os.path.expanduser(root))) for root in roots)
