"""A preset: a named way to run a conversation or an agent, as data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from assent.engine.model import Tool
from assent.engine.modes import Mode, parse_mode
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.verdict import Verdict


class Delivery(StrEnum):
    """How the answer to a question reaches the call that waits for it."""

    WAIT = "wait"
    SUSPEND = "suspend"
    PROPOSE = "propose"


class Becomes(StrEnum):
    """What "always" writes down."""

    RULE = "rule"
    GRANT = "grant"
    OVERRIDE = "override"
    NOTHING = "nothing"


class FirstOffer(StrEnum):
    """How much the first offer of "always" covers."""

    EXACT = "exact"
    COMMAND = "command"
    TOOL = "tool"


class Scope(StrEnum):
    """For whom "always" counts."""

    CONVERSATION = "conversation"
    AGENT = "agent"
    USER_AGENT = "user_agent"
    USER = "user"
    EVERYONE = "everyone"


class Lifetime(StrEnum):
    """How long "always" lasts."""

    RESTART = "restart"
    UNTIL = "until"
    USES = "uses"
    FOREVER = "forever"


CHOICE = "choice"
"""What a preset says in place of a scope or a lifetime that the person who answers chooses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Always:
    """What becomes of a yes that is meant to last."""

    becomes: Becomes = Becomes.RULE
    width: FirstOffer = FirstOffer.EXACT
    scope: Scope | None = None
    """None: the person who answers chooses."""
    lifetime: Lifetime | None = None
    """None: the person who answers chooses."""
    widened: bool = False
    """The person may widen it when answering."""

    @property
    def scope_word(self) -> str:
        """The scope as a preset spells it."""
        return CHOICE if self.scope is None else self.scope.value

    @property
    def lifetime_word(self) -> str:
        """The lifetime as a preset spells it."""
        return CHOICE if self.lifetime is None else self.lifetime.value


class Budget(NamedTuple):
    """How many calls somebody may make in any so many seconds."""

    calls: int
    seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A way to run; its first mode is the one a conversation starts in."""

    name: str
    purpose: str = ""
    modes: tuple[str, ...] = ()
    """The modes on offer, as they are shown; none means that the agent has no mode."""
    fallback: Verdict = Verdict.ASK
    delivery: Delivery = Delivery.WAIT
    durable: bool = False
    """A question that waits outlives the process that asked it."""
    expires_after: int | None = None
    """Seconds until a question counts as denied; None is never."""
    always: Always = Always()
    budget: Budget | None = None
    """How many calls each principal may make; None is any number."""
    tools: Mapping[str, Tool] = field(default_factory=dict[str, Tool])
    rules: Mapping[RuleList, tuple[Rule, ...]] = field(default_factory=dict[RuleList, tuple[Rule, ...]])
    roles: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict[str, tuple[Rule, ...]])
    """Allow rules that an agent of this role has besides."""

    @property
    def mode(self) -> Mode | None:
        """The mode that a conversation starts in."""
        return parse_mode(self.modes[0]) if self.modes else None

    def expires_at(self, asked_at: datetime) -> datetime | None:
        """When a question ends that is put at a moment; None is never."""
        return None if self.expires_after is None else asked_at + timedelta(seconds=self.expires_after)

    def allowed(self, role: str = "", extra: Iterable[str] = ()) -> tuple[str, ...]:
        """The allow rules of an agent: everyone's, its role's, its own; each once, in this order."""
        rules = (*self.rules.get(RuleList.ALLOW, ()), *self.roles.get(role, ()))
        return tuple(dict.fromkeys((*(rule.text for rule in rules), *extra)))
