"""The model: the table of stages read aloud, slow and obvious, with nothing of the engine but its words."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from assent.engine.base.tool import Effect
from assent.engine.policy.modes import Mode
from assent.engine.policy.tiers import Tier
from assent.engine.policy.verdict import Stage, Verdict

RUN, ASK, DENY, ABSENT = Verdict.RUN, Verdict.ASK, Verdict.DENY, Verdict.ABSENT


class Match(IntEnum):
    """Whether a list of rules meets a call; perhaps, when that hangs on a word nobody knows."""

    NO = 0
    PERHAPS = 1
    YES = 2


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What one agent's policy says of the call."""

    declared: Effect
    mode: Mode | None = Mode.DEFAULT
    known: bool = True
    authorized: bool = True
    tier: Tier | None = None
    by_pattern: bool = False
    deny: Match = Match.NO
    ask: Match = Match.NO
    changed: bool = False
    breaker: bool = False
    """A breaker of its own trips."""
    reads_bypass_rules: bool = False
    allows_scoped: bool = False
    """It allows the call by rules that say more than the tool's name."""


@dataclass(frozen=True, kw_only=True)
class Situation:
    """A call as the table sees it: what is true of it, and what each policy says."""

    policies: tuple[Policy, ...]
    """The agent's own first, then its parent's, and so on."""
    only_reads: bool = False
    """It is a shell line, and every part of it only reads."""
    leaves: bool = False
    """Its path is outside the workspace, or cannot be resolved."""
    catastrophe: bool = False
    at_root: bool = False
    """Its path is the root of the workspace."""
    protected: bool = False
    elsewhere: bool = False
    """It reads outside the workspace, or a secret."""
    unreadable: bool = False
    granted: bool = False
    allowed: bool = False
    fallback: Verdict = ASK
    attended: bool = True
    paused: bool = False
    """Somebody stopped every agent."""


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


def mode(policies: tuple[Policy, ...]) -> Mode | None:
    """The narrowest of an agent's own mode and those of its ancestors."""
    return min((policy.mode for policy in policies), key=NARROWEST_FIRST.index)


def declared(situation: Situation) -> Effect:
    """What the tool was declared to be; an ancestor may have raised it, and nobody can lower it."""
    return max((policy.declared for policy in situation.policies), key=MILDEST_FIRST.index)


def effect(situation: Situation) -> Effect:
    """What the call would do, as far as its declaration and its reading tell."""
    if declared(situation) is Effect.DESTRUCTIVE:
        return Effect.DESTRUCTIVE
    if situation.only_reads:
        return Effect.READ
    if declared(situation) is Effect.EDIT and situation.leaves:
        return Effect.WRITE
    return declared(situation)


def reads(situation: Situation) -> bool:
    return effect(situation) is Effect.READ


def rules_bind(policy: Policy) -> bool:
    return not (policy.reads_bypass_rules and policy.declared is Effect.READ)


def needs_approval(situation: Situation) -> bool:
    """Some policy says so, explicitly or, where its agent has no mode, by a pattern of names."""
    return any(
        policy.tier is Tier.NEEDS_APPROVAL and (not policy.by_pattern or policy.mode is None)
        for policy in situation.policies
    )


def always_allowed(situation: Situation) -> bool:
    own = situation.policies[0]
    return own.tier is Tier.ALWAYS_ALLOW and (not own.by_pattern or mode(situation.policies) is None)


def may_leave(situation: Situation) -> bool:
    """A person allowed just that, by a grant, or by a rule for the agent and for each of its ancestors."""
    return situation.granted or all(policy.allows_scoped for policy in situation.policies)


def unresolved(policy: Policy) -> bool:
    return rules_bind(policy) and Match.PERHAPS in (policy.deny, policy.ask)


class Row(NamedTuple):
    """A row of the table."""

    stage: Stage
    when: Callable[[Situation], bool]
    gives: Verdict | Callable[[Situation], Verdict]


FLOORS = (
    Row(Stage.DENY_RULE, lambda it: any(rules_bind(p) and p.deny is Match.YES for p in it.policies), DENY),
    Row(Stage.PLAN, lambda it: mode(it.policies) is Mode.PLAN and not reads(it), DENY),
    Row(
        Stage.BREAKER,
        lambda it: it.catastrophe or (it.at_root and not reads(it)) or any(p.breaker for p in it.policies),
        ASK,
    ),
    Row(Stage.PROTECTED_PATH, lambda it: it.protected and not reads(it), ASK),
    Row(Stage.ASK_RULE, lambda it: any(rules_bind(p) and p.ask is Match.YES for p in it.policies), ASK),
    Row(Stage.DESTRUCTIVE, lambda it: declared(it) is Effect.DESTRUCTIVE, ASK),
    Row(Stage.UNREADABLE, lambda it: it.unreadable, ASK),
    Row(Stage.UNRESOLVED, lambda it: any(map(unresolved, it.policies)), ASK),
    Row(Stage.CHANGED, lambda it: any(p.changed for p in it.policies), ASK),
    Row(Stage.PAUSED, lambda it: it.paused and not reads(it), ASK),
    Row(Stage.OUTSIDE, lambda it: it.elsewhere and not may_leave(it), ASK),
    Row(Stage.TIER, lambda it: needs_approval(it) and not it.granted, ASK),
)
EASES = (
    Row(Stage.READ, reads, RUN),
    Row(Stage.TIER, always_allowed, RUN),
    Row(Stage.GRANT, lambda it: it.granted, RUN),
    Row(Stage.ALLOW_RULE, lambda it: it.allowed, RUN),
    Row(
        Stage.MODE,
        lambda it: mode(it.policies) is not None,
        lambda it: min(ASK, MODES[mode(it.policies), effect(it)]),
    ),
    Row(Stage.FALLBACK, lambda it: mode(it.policies) is None, lambda it: it.fallback),
)


def expected(situation: Situation) -> tuple[Verdict, Stage]:
    """The verdict, and the stage that gives it."""
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


def applying_rows(rows: tuple[Row, ...], situation: Situation) -> list[tuple[Verdict, Stage]]:
    """The rows that apply, in the order of the table."""
    return [
        (row.gives if isinstance(row.gives, Verdict) else row.gives(situation), row.stage)
        for row in rows
        if row.when(situation)
    ]
