"""Random cases in two forms: as values for the engine, and as a situation for the model."""

from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from assent.engine.base.facts import Facts
from assent.engine.base.tool import Effect
from assent.engine.lines.part import Part
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import parse_rule
from assent.engine.policy.snapshot import (
    NO_GRANTS,
    GrantedRule,
    GrantSet,
    PolicyOptions,
    Snapshot,
    Tier,
    TierSetting,
)
from assent.engine.policy.verdict import Verdict
from tests.engine import given
from tests.engine.model import ModelPolicy, RuleMatchKind, Situation
from tests.engine.samples import SAMPLES, WHO, Sample

MODES = (*Mode, *Mode, Mode.AUTO, Mode.AUTO, None, None)
OTHER_CALLERS = {"user": "bob", "agent": "other", "conversation": "c2"}
CATALOG = {tool.name: tool for tool in given.TOOLS}


@dataclass(frozen=True, kw_only=True)
class RandomCase:
    """One case in two forms: snapshot and facts for the engine, a situation for the model."""

    sample: Sample
    snapshot: Snapshot
    facts: Facts
    situation: Situation


@dataclass(frozen=True, kw_only=True)
class AllowingPolicy:
    """Allow rules or grants, and whether they cover the call."""

    rules: tuple[str, ...] = ()
    covers: bool = False
    covers_scoped: bool = False


def random_case(random: Random) -> RandomCase:
    """A random call under a random policy, with up to two parent agents."""
    sample = random.choice(SAMPLES)
    trusted = random.random() < 0.7
    attended = random.random() < 0.85
    effect = random.choice(tuple(Effect))
    granted = _random_grants(random, sample)
    fallback = random.choice((Verdict.RUN, Verdict.ASK))
    allowed = AllowingPolicy()
    snapshot: Snapshot | None = None
    policies: list[ModelPolicy] = []
    for generation in range(random.choice((0, 0, 0, 0, 0, 0, 1, 1, 1, 2)), -1, -1):
        allowed = _random_allowing_policy(random, sample)
        policy = _random_policy(random, sample, _same_or_random_effect(random, effect), allowed)
        snapshot = _random_snapshot(
            random,
            sample,
            policy,
            parent=snapshot,
            allow=allowed.rules,
            grants=granted[0] if generation == 0 else NO_GRANTS,
            fallback=fallback if generation == 0 else random.choice((Verdict.RUN, Verdict.ASK)),
            attended=attended,
        )
        policies.insert(0, policy)
    assert snapshot is not None
    paused = random.random() < 0.1
    snapshot = replace(snapshot, paused_by="ada" if paused else "")
    situation = Situation(
        policies=tuple(policies),
        granted=granted[1],
        allowed=allowed.covers,
        fallback=fallback,
        attended=attended,
        paused=paused,
        **situation_fields(sample, policies, trusted=trusted),
    )
    return RandomCase(
        sample=sample, snapshot=snapshot, facts=sample.facts(trusted=trusted), situation=situation
    )


def situation_fields(sample: Sample, policies: list[ModelPolicy], *, trusted: bool) -> dict[str, bool]:
    """The fields of the situation of a sample, given the declared effects of its tool."""
    found = {} if sample.trust and not trusted else dict(sample.truths)
    if sample.elsewhere_if_read and any(policy.declared is Effect.READ for policy in policies):
        found["elsewhere"] = True
    return found


def _random_policy(random: Random, sample: Sample, effect: Effect, allowed: AllowingPolicy) -> ModelPolicy:
    tier = random.choice((None, None, None, Tier.ALWAYS_ALLOW, Tier.NEEDS_APPROVAL, Tier.BLOCKED))
    return ModelPolicy(
        declared=effect,
        mode=random.choice(MODES),
        known=random.random() < 0.98,
        authorized=random.random() < 0.98,
        tier=tier if tier is not Tier.BLOCKED or random.random() < 0.3 else None,
        by_pattern=random.random() < 0.4,
        deny=_random_match_kind(random, sample, often=0.08),
        ask=_random_match_kind(random, sample, often=0.12),
        changed=random.random() < 0.03,
        breaker=random.random() < 0.03,
        reads_bypass_rules=random.random() < 0.2,
        allows_scoped=allowed.covers_scoped,
    )


def _random_match_kind(random: Random, sample: Sample, *, often: float) -> RuleMatchKind:
    if random.random() > often:
        return RuleMatchKind.NO
    return RuleMatchKind.PERHAPS if sample.perhaps and random.random() < 0.5 else RuleMatchKind.YES


def _same_or_random_effect(random: Random, effect: Effect) -> Effect:
    return effect if random.random() < 0.85 else random.choice(tuple(Effect))


def _random_snapshot(
    random: Random,
    sample: Sample,
    policy: ModelPolicy,
    *,
    parent: Snapshot | None,
    allow: tuple[str, ...],
    grants: GrantSet,
    fallback: Verdict,
    attended: bool,
) -> Snapshot:
    tool = sample.tool_with_effect(policy.declared)
    assigned = (
        {} if policy.tier is None else {("clerk", tool.name): TierSetting(policy.tier, not policy.by_pattern)}
    )
    return Snapshot(
        tools=CATALOG | {tool.name: tool} if policy.known else {},
        rules=given.parse_rule_set(
            _matching_rules(random, sample, policy.deny), _matching_rules(random, sample, policy.ask), allow
        ),
        tiers=assigned,
        grants=grants,
        mode=policy.mode,
        fallback=fallback,
        attended=attended,
        unauthorized_tools=frozenset() if policy.authorized else frozenset({tool.name}),
        changed_tools=frozenset({tool.name}) if policy.changed else frozenset(),
        breakers=(_always_tripping_breaker,) if policy.breaker else (),
        options=PolicyOptions(reads_bypass_rules=policy.reads_bypass_rules),
        parent=parent,
    )


def _always_tripping_breaker(part: Part, facts: Facts) -> str | None:
    return "somebody is careful"


def _matching_rules(random: Random, sample: Sample, match: RuleMatchKind) -> tuple[str, ...]:
    """Deny or ask rules that match the call as required, among rules that do not match."""
    others = tuple(text for text in sample.misses if random.random() < 0.3)
    match match:
        case RuleMatchKind.NO:
            return others
        case RuleMatchKind.PERHAPS:
            return (*others, random.choice(sample.perhaps))
        case RuleMatchKind.YES:
            return (*others, random.choice((*sample.hits, *sample.rules_for_whole_tool)))


def _random_allowing_policy(random: Random, sample: Sample) -> AllowingPolicy:
    others = tuple(text for text in sample.strangers if random.random() < 0.4)
    kind = random.choice(("none", "none", "others", "scoped", "bare"))
    if kind == "bare":
        return AllowingPolicy(rules=(*others, random.choice(sample.rules_for_whole_tool)), covers=True)
    if kind == "scoped" and sample.covers:
        return AllowingPolicy(rules=(*others, *random.choice(sample.covers)), covers=True, covers_scoped=True)
    return AllowingPolicy() if kind == "none" else AllowingPolicy(rules=others)


def _random_grants(random: Random, sample: Sample) -> tuple[GrantSet, bool]:
    """Grants for this caller or for another, and whether they cover the call."""
    eased = _random_allowing_policy(random, sample)
    scope = tuple(sorted(random.sample(sorted(WHO), random.randint(0, 3))))
    holds = random.random() < 0.7 or not scope
    return _build_grant_set(eased.rules, scope, holds=holds), eased.covers and holds


@lru_cache(maxsize=65536)
def _build_grant_set(rules: tuple[str, ...], scope: tuple[str, ...], *, holds: bool) -> GrantSet:
    whom = {name: WHO[name] if holds else OTHER_CALLERS[name] for name in scope}
    return GrantSet(GrantedRule(rule=parse_rule(text), **whom) for text in rules)
