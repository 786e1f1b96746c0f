"""Verdicts, the stages that give them, and the decision with all its steps."""

from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from assent.engine.irreversible.act import IrreversibleAct
    from assent.engine.lines.specifier import DisclosedInput


class Verdict(IntEnum):
    """What happens to a call, ordered so that the strictest is `max`."""

    RUN = 0
    ASK = 1
    DENY = 2
    ABSENT = 3

    @property
    def word(self) -> str:
        """The verdict as it is written in JSON and shown to people."""
        return self.name.lower()


class Stage(StrEnum):
    """A reason for a verdict; among equal verdicts, the first of these stages decides."""

    __hash__ = str.__hash__  # the hash of an enum is slow, and every decision needs many

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
    PAUSED = "paused"
    OUTSIDE = "outside"
    READ = "read"
    TIER = "tier"
    GRANT = "grant"
    ALLOW_RULE = "allow-rule"
    MODE = "mode"
    FALLBACK = "fallback"
    UNATTENDED = "unattended"

    @property
    def is_locked(self) -> bool:
        """Whether no grant, rule, tier or mode lifts it, so that "always" cannot be offered."""
        return self in _LOCKED


_LOCKED = frozenset(
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

STAGE_ORDER = {stage: position for position, stage in enumerate(Stage)}
"""The position of each stage; the first one decides among equal verdicts."""


class Step(NamedTuple):
    """One stage that applies to a call: its verdict, its reason, and the rule and part it is about."""

    stage: Stage
    verdict: Verdict
    reason: str
    rule: str | None = None
    part: str | None = None


class Piece(NamedTuple):
    """A piece of a call's text up to the next piece, with its own verdict and reason."""

    start: int
    """The index of its first character."""
    verdict: Verdict
    reason: str
    rule: str | None = None


class Decision(NamedTuple):
    """A verdict and every step that led to it; the explanation is the value."""

    verdict: Verdict
    stage: Stage
    because: str
    steps: tuple[Step, ...]
    rule: str | None = None
    part: str | None = None
    always_offered: bool = False
    pieces: tuple[Piece, ...] = ()
    """The pieces of a command line as a person sees them; empty when nobody was asked."""
    irreversible: "tuple[IrreversibleAct, ...]" = ()
    """What the call does that cannot be undone; this alone is no reason to ask."""
    inputs: "tuple[DisclosedInput, ...]" = ()
    """The input of its commands that they may act on; empty when nobody was asked."""
    batch_key: str = ""
    """Approvals with the same key can be answered together; one with an empty key cannot."""

    @property
    def is_locked(self) -> bool:
        """Whether a person must answer each time: no grant, rule, tier or mode lifts one of the steps."""
        return any(step.stage.is_locked for step in self.steps)

    @property
    def is_paused(self) -> bool:
        """Whether the call waits for the end of a pause, even when a person approves it."""
        return any(step.stage is Stage.PAUSED for step in self.steps)

    @property
    def is_only_paused(self) -> bool:
        """Whether the pause is the only reason to ask."""
        asks = [step.stage for step in self.steps if step.verdict is Verdict.ASK]
        return self.verdict is Verdict.ASK and asks == [Stage.PAUSED]
