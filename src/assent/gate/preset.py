"""A preset: named settings for a conversation or an agent."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from assent.engine.base.tool import Tool
from assent.engine.policy.modes import Mode, parse_mode
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.policy.verdict import Verdict


class Delivery(StrEnum):
    """How the answer to a question reaches its call."""

    WAIT = "wait"
    SUSPEND = "suspend"
    PROPOSE = "propose"

    @property
    def needs_live_caller(self) -> bool:
        """Whether a question is withdrawn when the process or turn of its caller ends."""
        match self:
            case Delivery.WAIT:
                return True
            case Delivery.SUSPEND | Delivery.PROPOSE:
                return False

    @property
    def is_run_by_gate(self) -> bool:
        """Whether the gate itself runs the call, when a person applies it."""
        match self:
            case Delivery.PROPOSE:
                return True
            case Delivery.WAIT | Delivery.SUSPEND:
                return False

    @property
    def keeps_initial_tiers(self) -> bool:
        """Whether a turn keeps the tiers and overrides from its start."""
        match self:
            case Delivery.SUSPEND:
                return True
            case Delivery.WAIT | Delivery.PROPOSE:
                return False

    @property
    def is_released_by_gate(self) -> bool:
        """Whether the gate itself releases the call after a pause, without its caller or a person."""
        match self:
            case Delivery.SUSPEND:
                return True
            case Delivery.WAIT | Delivery.PROPOSE:
                return False


class Becomes(StrEnum):
    """What the answer "always" adds to the policy."""

    RULE = "rule"
    GRANT = "grant"
    OVERRIDE = "override"
    NOTHING = "nothing"


class FirstOffer(StrEnum):
    """How much the first suggestion for "always" covers."""

    EXACT = "exact"
    COMMAND = "command"
    TOOL = "tool"


class Scope(StrEnum):
    """The scope of the answer "always"."""

    CONVERSATION = "conversation"
    AGENT = "agent"
    USER_AGENT = "user_agent"
    USER = "user"
    EVERYONE = "everyone"


class Lifetime(StrEnum):
    """The lifetime of the answer "always"."""

    RESTART = "restart"
    UNTIL = "until"
    USES = "uses"
    FOREVER = "forever"


CHOICE = "choice"
"""The word for a scope or lifetime that the person who answers chooses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Always:
    """What the answer "always" means under a preset."""

    becomes: Becomes = Becomes.RULE
    width: FirstOffer = FirstOffer.EXACT
    scope: Scope | None = None
    """None if the person who answers chooses."""
    lifetime: Lifetime | None = None
    """None if the person who answers chooses."""
    widened: bool = False
    """Whether the person who answers may choose a wider scope."""

    @property
    def scope_word(self) -> str:
        """The scope as a preset spells it."""
        return CHOICE if self.scope is None else self.scope.value

    @property
    def lifetime_word(self) -> str:
        """The lifetime as a preset spells it."""
        return CHOICE if self.lifetime is None else self.lifetime.value


class Budget(NamedTuple):
    """How many calls a principal may make in any period of some seconds."""

    calls: int
    seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """The settings of a preset; a conversation starts in its first mode."""

    name: str
    purpose: str = ""
    modes: tuple[str, ...] = ()
    """The offered modes as shown to people; empty means that there are no modes."""
    fallback: Verdict = Verdict.ASK
    delivery: Delivery = Delivery.WAIT
    durable: bool = False
    """Whether a pending question survives the process that asked it."""
    expires_after: int | None = None
    """Seconds until a question expires; None is never."""
    always: Always = Always()
    budget: Budget | None = None
    """The call budget of each principal; None is unlimited."""
    tools: Mapping[str, Tool] = field(default_factory=dict[str, Tool])
    shell_edits: bool = True
    """Whether a command that only edits files counts as an edit."""
    rules: Mapping[RuleList, tuple[Rule, ...]] = field(default_factory=dict[RuleList, tuple[Rule, ...]])
    roles: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict[str, tuple[Rule, ...]])
    """Additional allow rules of agents with a role."""

    @property
    def mode(self) -> Mode | None:
        """The mode that a conversation starts in."""
        return parse_mode(self.modes[0]) if self.modes else None

    def expires_at(self, asked_at: datetime) -> datetime | None:
        """The expiry of a question; None is never."""
        return None if self.expires_after is None else asked_at + timedelta(seconds=self.expires_after)

    def allow_rule_texts(self, role: str = "", extra: Iterable[str] = ()) -> tuple[str, ...]:
        """The allow rules of an agent without duplicates: general rules, those of its role, and its own."""
        rules = (*self.rules.get(RuleList.ALLOW, ()), *self.roles.get(role, ()))
        return tuple(dict.fromkeys((*(rule.text for rule in rules), *extra)))
