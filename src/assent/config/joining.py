"""How a file joins what lighter layers said: it overrides when trusted, and only tightens when not."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace

from assent.config.budget import is_tighter
from assent.config.declaration import declared
from assent.config.file import PolicyFile
from assent.config.policy import Origin, Policy
from assent.engine.model import Effect, Tool
from assent.engine.modes import narrower_mode, parse_mode
from assent.engine.policy.rule import Layer, RuleList
from assent.engine.policy.snapshot import PolicyOptions
from assent.engine.policy.tiers import Tier, TierSetting
from assent.engine.verdict import Verdict

_STRICTNESS = {tier: position for position, tier in enumerate(Tier)}


def override(policy: Policy, file: PolicyFile, layer: Layer, root: str) -> Policy:
    """Join a file whose author may decide: lists grow, single values replace what was there."""
    joined = _joined(policy, file, layer, root)
    return joined if file.mode is None else joined.in_mode(file.mode, Origin(layer, _at(file, "mode")))


def tighten(policy: Policy, file: PolicyFile, layer: Layer, root: str) -> Policy:
    """Join a file that nobody trusted yet: what makes things stricter counts, the rest is held back."""
    joined = _joined(policy, _strict_part(policy, file), layer, root)
    if file.mode is not None and _is_narrower(policy, file):
        origins = {**joined.origins, "mode": Origin(layer, _at(file, "mode"))}
        joined = replace(joined, mode=parse_mode(file.mode), mode_word=file.mode, origins=origins)
    return replace(joined, held_back=(*policy.held_back, *loosened(policy, file)))


def loosened(policy: Policy, file: PolicyFile) -> Iterator[str]:
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
    if file.budget is not None and not is_tighter(file.budget, policy.budget):
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
        budget=file.budget if file.budget is not None and is_tighter(file.budget, policy.budget) else None,
    )


def _joined(policy: Policy, file: PolicyFile, layer: Layer, root: str) -> Policy:
    """Everything of a file but its mode and preset."""
    origins = {**policy.origins, **{key: Origin(layer, _at(file, key)) for key in _said(file)}}
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


def _at(file: PolicyFile, key: str) -> str:
    word = {"strip_privilege_wrappers": "privilege_wrappers", "attended": "defaultMode"}.get(key, key)
    line = file.source.line_of(word)
    return f"{file.source.path}, line {line}" if line else file.source.path


def _with_tools(policy: Policy, file: PolicyFile) -> Mapping[str, Tool]:
    if not file.tools:
        return policy.tools
    tools = dict(policy.tools)
    for name, declaration in file.tools.items():
        tools[name] = declared(name, declaration, tools)
    return tools


def _with_options(options: PolicyOptions, file: PolicyFile) -> PolicyOptions:
    reads, strips = file.reads_bypass_rules, file.strip_privilege_wrappers
    return PolicyOptions(
        reads_bypass_rules=options.reads_bypass_rules if reads is None else reads,
        strip_privilege_wrappers=options.strip_privilege_wrappers if strips is None else strips,
    )


def _absolute(roots: tuple[str, ...], base: str) -> tuple[str, ...]:
    return tuple(os.path.normpath(os.path.join(base, os.path.expanduser(root))) for root in roots)
