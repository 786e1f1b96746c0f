"""Verdicts, the stages that give them, and the decision with all its steps."""

from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, NamedTuple

from assent.engine.base.reason import Reason
from assent.engine.base.sentences import to_sentence

if TYPE_CHECKING:
    from assent.engine.irreversible.act import IrreversibleAct
    from assent.engine.lines.specifier import DisclosedInput


class Verdict(IntEnum):
    """What happens to a call; the strictest verdict is the largest value."""

    RUN = 0
    ASK = 1
    DENY = 2
    ABSENT = 3

    @property
    def word(self) -> str:
        """The verdict as written in JSON and shown to people."""
        return self.name.lower()


class Stage(StrEnum):
    """The kind of reason for a verdict; among equal verdicts, the first of these stages decides."""

    __hash__ = str.__hash__  # The hash of an enum is slow, and each decision needs many hashes.

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
        """Whether no grant, rule, tier or mode can lift this floor, so that "always" is not offered."""
        return self in _LOCKED_STAGES


_LOCKED_STAGES = frozenset(
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
"""The position of each stage; among equal verdicts, the lowest position decides."""


class Step(NamedTuple):
    """One stage that applies to a call: its verdict and reason, and the rule and part that it refers to."""

    stage: Stage
    verdict: Verdict
    reason: Reason
    rule: str | None = None
    part: str | None = None

    @property
    def because(self) -> str:
        """The reason as an English sentence."""
        return to_sentence(self.reason)


class Piece(NamedTuple):
    """A piece of the text of a call, up to the next piece, with a verdict and a reason of its own."""

    start: int
    """The index of the first character."""
    verdict: Verdict
    reason: Reason
    rule: str | None = None

    @property
    def because(self) -> str:
        """The reason as an English sentence."""
        return to_sentence(self.reason)


class Decision(NamedTuple):
    """A verdict and every step that led to it."""

    verdict: Verdict
    stage: Stage
    reason: Reason
    """The reason of the deciding step."""
    steps: tuple[Step, ...]
    rule: str | None = None
    part: str | None = None
    always_offered: bool = False
    """True if a person may answer "always"."""
    pieces: tuple[Piece, ...] = ()
    """The pieces of a command line as a person sees them; empty if nobody is asked."""
    irreversible: "tuple[IrreversibleAct, ...]" = ()
    """Irreversible acts of the call; they alone are no reason to ask."""
    inputs: "tuple[DisclosedInput, ...]" = ()
    """The standard inputs on which commands of the call may act; empty if nobody is asked."""
    batch_key: str = ""
    """Approvals with the same key can be answered together; an approval with an empty key cannot."""

    @property
    def because(self) -> str:
        """The reason as an English sentence, for people and models."""
        return to_sentence(self.reason)

    @property
    def is_locked(self) -> bool:
        """Whether a person must answer each time: no grant, rule, tier or mode lifts one of the steps."""
        return any(step.stage.is_locked for step in self.steps)

    @property
    def is_paused(self) -> bool:
        """Whether the call waits for the end of a pause, even after an approval."""
        return any(step.stage is Stage.PAUSED for step in self.steps)

    @property
    def is_only_paused(self) -> bool:
        """Whether the pause is the only reason to ask."""
        asks = [step.stage for step in self.steps if step.verdict is Verdict.ASK]
        return self.verdict is Verdict.ASK and asks == [Stage.PAUSED]
