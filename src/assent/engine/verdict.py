"""A verdict, the stages that can give one, and the decision that explains itself."""

from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from assent.engine.irreversible.act import Irreversible
    from assent.engine.lines.input_names import FedInput


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
    PAUSED = "paused"
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


def is_locked(decision: "Decision") -> bool:
    """Whether a stage spoke that nothing but a person lifts, each time anew."""
    return any(step.stage in LOCKED for step in decision.steps)


ORDER = {stage: position for position, stage in enumerate(Stage)}
"""Where each stage stands among equals."""


class Step(NamedTuple):
    """One stage that spoke: its verdict, a sentence, and what it spoke about."""

    stage: Stage
    verdict: Verdict
    reason: str
    rule: str | None = None
    part: str | None = None


class Piece(NamedTuple):
    """A stretch of a call's text, from here to the next one, with what is to be said of it by itself."""

    start: int
    """Its first character."""
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
    """How a question about several things is told apart for a person; empty where nobody was asked."""
    irreversible: "tuple[Irreversible, ...]" = ()
    """What the call would do that cannot be undone; no stage asks for it."""
    inputs: "tuple[FedInput, ...]" = ()
    """What its commands are fed and may act on; empty where nobody was asked."""
    batch_key: str = ""
    """Questions with the same one may be answered together; without one it is answered by itself."""

    @property
    def paused(self) -> bool:
        """Whether the call waits for the end of a pause, whatever a person says."""
        return any(step.stage is Stage.PAUSED for step in self.steps)

    @property
    def only_paused(self) -> bool:
        """Whether it waits for that and for nothing else."""
        asks = [step.stage for step in self.steps if step.verdict is Verdict.ASK]
        return self.verdict is Verdict.ASK and asks == [Stage.PAUSED]
