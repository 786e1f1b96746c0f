"""A slow and simple model of the table of stages, which shares only enums with the engine."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from assent.engine.base.tool import Effect
from assent.engine.policy.modes import Mode
from assent.engine.policy.snapshot import Tier
from assent.engine.policy.verdict import Stage, Verdict

RUN, ASK, DENY, ABSENT = Verdict.RUN, Verdict.ASK, Verdict.DENY, Verdict.ABSENT


class RuleMatchKind(IntEnum):
    """Whether a list of rules matches a call; `PERHAPS` if that depends on an unknown word."""

    NO = 0
    PERHAPS = 1
    YES = 2


@dataclass(frozen=True, kw_only=True)
class ModelPolicy:
    """What the policy of one agent states about the call."""

    declared: Effect
    mode: Mode | None = Mode.DEFAULT
    known: bool = True
    authorized: bool = True
    tier: Tier | None = None
    by_pattern: bool = False
    deny: RuleMatchKind = RuleMatchKind.NO
    ask: RuleMatchKind = RuleMatchKind.NO
    changed: bool = False
    breaker: bool = False
    """True if a custom breaker of this policy trips."""
    reads_bypass_rules: bool = False
    allows_scoped: bool = False
    """True if rules that name more than the tool allow the call."""


@dataclass(frozen=True, kw_only=True)
class Situation:
    """A call as the table sees it: its properties, and the policies that apply."""

    policies: tuple[ModelPolicy, ...]
    """The policy of the agent first, then those of its parent agents."""
    only_reads: bool = False
    """True if the call is a shell line whose parts all only read."""
    leaves: bool = False
    """True if the path is outside the workspace, or cannot be resolved."""
    catastrophe: bool = False
    at_root: bool = False
    """True if the path is the root of the workspace."""
    protected: bool = False
    elsewhere: bool = False
    """True if the call reads a secret, or outside the workspace."""
    unreadable: bool = False
    granted: bool = False
    allowed: bool = False
    fallback: Verdict = ASK
    attended: bool = True
    paused: bool = False
    """True if all agents are paused."""


# The table of effects and modes, written out once more so that a slip in the other one shows.
MODES = {
    (Mode.PLAN, Effect.READ): RUN,
    (Mode.PLAN, Effect.EDIT): DENY,
    (Mode.PLAN, Effect.WRITE): DENY,
    (Mode.PLAN, Effect.EXECUTE): DENY,
    (Mode.PLAN, Effect.EXTERNAL): DENY,
    (Mode.PLAN, Effect.DESTRUCTIVE): DENY,
    (Mode.DEFAULT, Effect.READ): RUN,
    (Mode.DEFAULT, Effect.EDIT): ASK,
    (Mode.DEFAULT, Effect.WRITE): ASK,
    (Mode.DEFAULT, Effect.EXECUTE): ASK,
    (Mode.DEFAULT, Effect.EXTERNAL): ASK,
    (Mode.DEFAULT, Effect.DESTRUCTIVE): ASK,
    (Mode.ACCEPT_EDITS, Effect.READ): RUN,
    (Mode.ACCEPT_EDITS, Effect.EDIT): RUN,
    (Mode.ACCEPT_EDITS, Effect.WRITE): ASK,
    (Mode.ACCEPT_EDITS, Effect.EXECUTE): ASK,
    (Mode.ACCEPT_EDITS, Effect.EXTERNAL): ASK,
    (Mode.ACCEPT_EDITS, Effect.DESTRUCTIVE): ASK,
    (Mode.AUTO, Effect.READ): RUN,
    (Mode.AUTO, Effect.EDIT): RUN,
    (Mode.AUTO, Effect.WRITE): RUN,
    (Mode.AUTO, Effect.EXECUTE): RUN,
    (Mode.AUTO, Effect.EXTERNAL): RUN,
    (Mode.AUTO, Effect.DESTRUCTIVE): ASK,
}

NARROWEST_FIRST = (Mode.PLAN, Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.AUTO, None)
MILDEST_FIRST = (Effect.READ, Effect.EDIT, Effect.WRITE, Effect.EXECUTE, Effect.EXTERNAL, Effect.DESTRUCTIVE)


def narrowest_mode(policies: tuple[ModelPolicy, ...]) -> Mode | None:
    """The narrowest mode of the agent and its parent agents."""
    return min((policy.mode for policy in policies), key=NARROWEST_FIRST.index)


def declared_effect(situation: Situation) -> Effect:
    """The strictest declared effect of the tool; a parent agent may have raised it."""
    return max((policy.declared for policy in situation.policies), key=MILDEST_FIRST.index)


def effective_effect(situation: Situation) -> Effect:
    """The effect of the call, by its declaration and its parts."""
    if declared_effect(situation) is Effect.DESTRUCTIVE:
        return Effect.DESTRUCTIVE
    if situation.only_reads:
        return Effect.READ
    if declared_effect(situation) is Effect.EDIT and situation.leaves:
        return Effect.WRITE
    return declared_effect(situation)


def is_read(situation: Situation) -> bool:
    return effective_effect(situation) is Effect.READ


def do_rules_apply(policy: ModelPolicy) -> bool:
    return not (policy.reads_bypass_rules and policy.declared is Effect.READ)


def needs_approval(situation: Situation) -> bool:
    """Whether a policy requires approval.

    Either a person set the tier, or the agent has no mode and the tool name requires it.
    """
    return any(
        policy.tier is Tier.NEEDS_APPROVAL and (not policy.by_pattern or policy.mode is None)
        for policy in situation.policies
    )


def is_always_allowed(situation: Situation) -> bool:
    own = situation.policies[0]
    return own.tier is Tier.ALWAYS_ALLOW and (
        not own.by_pattern or narrowest_mode(situation.policies) is None
    )


def is_outside_allowed(situation: Situation) -> bool:
    """Whether a person allowed the read outside the workspace, by a grant or by rules of all policies."""
    return situation.granted or all(policy.allows_scoped for policy in situation.policies)


def is_unresolved(policy: ModelPolicy) -> bool:
    return do_rules_apply(policy) and RuleMatchKind.PERHAPS in (policy.deny, policy.ask)


class StageRow(NamedTuple):
    """A row of the table of stages."""

    stage: Stage
    when: Callable[[Situation], bool]
    gives: Verdict | Callable[[Situation], Verdict]


FLOORS = (
    StageRow(
        Stage.DENY_RULE,
        lambda it: any(do_rules_apply(p) and p.deny is RuleMatchKind.YES for p in it.policies),
        DENY,
    ),
    StageRow(Stage.PLAN, lambda it: narrowest_mode(it.policies) is Mode.PLAN and not is_read(it), DENY),
    StageRow(
        Stage.BREAKER,
        lambda it: it.catastrophe or (it.at_root and not is_read(it)) or any(p.breaker for p in it.policies),
        ASK,
    ),
    StageRow(Stage.PROTECTED_PATH, lambda it: it.protected and not is_read(it), ASK),
    StageRow(
        Stage.ASK_RULE,
        lambda it: any(do_rules_apply(p) and p.ask is RuleMatchKind.YES for p in it.policies),
        ASK,
    ),
    StageRow(Stage.DESTRUCTIVE, lambda it: declared_effect(it) is Effect.DESTRUCTIVE, ASK),
    StageRow(Stage.UNREADABLE, lambda it: it.unreadable, ASK),
    StageRow(Stage.UNRESOLVED, lambda it: any(map(is_unresolved, it.policies)), ASK),
    StageRow(Stage.CHANGED, lambda it: any(p.changed for p in it.policies), ASK),
    StageRow(Stage.PAUSED, lambda it: it.paused and not is_read(it), ASK),
    StageRow(Stage.OUTSIDE, lambda it: it.elsewhere and not is_outside_allowed(it), ASK),
    StageRow(Stage.TIER, lambda it: needs_approval(it) and not it.granted, ASK),
)
EASES = (
    StageRow(Stage.READ, is_read, RUN),
    StageRow(Stage.TIER, is_always_allowed, RUN),
    StageRow(Stage.GRANT, lambda it: it.granted, RUN),
    StageRow(Stage.ALLOW_RULE, lambda it: it.allowed, RUN),
    StageRow(
        Stage.MODE,
        lambda it: narrowest_mode(it.policies) is not None,
        lambda it: min(ASK, MODES[narrowest_mode(it.policies), effective_effect(it)]),
    ),
    StageRow(Stage.FALLBACK, lambda it: narrowest_mode(it.policies) is None, lambda it: it.fallback),
)


def expected_verdict(situation: Situation) -> tuple[Verdict, Stage]:
    """The verdict and the stage that decides."""
    for stage in absent_stages(situation):
        return ABSENT, stage
    floors = applying_rows(FLOORS, situation)
    eases = applying_rows(EASES, situation)
    loosest = min((verdict for verdict, _ in eases), default=ASK)
    heard = floors + [ease for ease in eases if ease[0] is loosest]
    strictest = max(verdict for verdict, _ in heard)
    if strictest is ASK and not situation.attended:
        return DENY, Stage.UNATTENDED
    return next(one for one in heard if one[0] is strictest)


def absent_stages(situation: Situation) -> Iterator[Stage]:
    for policy in situation.policies:
        if not policy.known:
            yield Stage.UNKNOWN
        if not policy.authorized:
            yield Stage.UNAUTHORIZED
        if policy.tier is Tier.BLOCKED:
            yield Stage.BLOCKED
        if policy.declared is Effect.DESTRUCTIVE and not situation.attended:
            yield Stage.UNATTENDED


def applying_rows(rows: tuple[StageRow, ...], situation: Situation) -> list[tuple[Verdict, Stage]]:
    """The verdicts and stages of the rows that apply, in the order of the table."""
    return [
        (row.gives if isinstance(row.gives, Verdict) else row.gives(situation), row.stage)
        for row in rows
        if row.when(situation)
    ]
