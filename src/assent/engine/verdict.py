"""A verdict, the stages that can give one, and the decision that explains itself."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import NamedTuple


class Verdict(IntEnum):
    """What happens to a call, ordered so that the strictest is `max`."""

    RUN = 0
    ASK = 1
    DENY = 2
    ABSENT = 3

    @property
    def word(self) -> str:
        """The verdict as JSON and people spell it."""
        return self.name.lower()


class Stage(StrEnum):
    """A reason to decide, in the order in which equals are settled."""

    __hash__ = str.__hash__  # an enum's own is slow, and every decision asks for many

    UNKNOWN = "unknown"
    UNAUTHORIZED = "unauthorized"
    BLOCKED = "blocked"
    DENY_RULE = "deny-rule"
    PLAN = "plan"
    BREAKER = "breaker"
    PROTECTED_PATH = "protected-path"
    ASK_RULE = "ask-rule"
    DESTRUCTIVE = "destructive"
    UNREADABLE = "unreadable"
    UNRESOLVED = "unresolved"
    CHANGED = "changed"
    OUTSIDE = "outside"
    READ = "read"
    TIER = "tier"
    GRANT = "grant"
    ALLOW_RULE = "allow-rule"
    MODE = "mode"
    FALLBACK = "fallback"
    UNATTENDED = "unattended"


LOCKED = frozenset(
    {
        Stage.BREAKER,
        Stage.PROTECTED_PATH,
        Stage.ASK_RULE,
        Stage.DESTRUCTIVE,
        Stage.UNREADABLE,
        Stage.UNRESOLVED,
        Stage.CHANGED,
    }
)
"""Stages that no grant, rule, tier or mode lifts, so that "always" would be an empty promise."""


ORDER = {stage: position for position, stage in enumerate(Stage)}
"""Where each stage stands among equals."""


class Step(NamedTuple):
    """One stage that spoke: its verdict, a sentence, and what it spoke about."""

    stage: Stage
    verdict: Verdict
    reason: str
    rule: str | None = None
    part: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A verdict and every step that led to it; the explanation is the value."""

    verdict: Verdict
    stage: Stage
    because: str
    steps: tuple[Step, ...]
    rule: str | None = None
    part: str | None = None
    always_offered: bool = False
