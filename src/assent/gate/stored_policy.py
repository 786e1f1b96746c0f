"""Stored policy: grants, rules, pins and the pause, as of one policy version."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from assent.engine.policy import grants
from assent.engine.policy.rule import Layer, RuleList, parse_rule
from assent.engine.policy.tiers import TierSetting
from assent.errors import InputError
from assent.gate.access import Kind, Principal
from assent.gate.conversation import Conversation
from assent.gate.preset import Lifetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredGrant:
    """A lasting approval: a pattern, its scope and its lifetime."""

    id: str
    pattern: str
    conversation: str | None = None
    agent: str | None = None
    user: str | None = None
    lifetime: Lifetime
    boot: str = ""
    """The process that an until-restart grant ends with."""
    until: datetime | None = None
    uses: int | None = None
    """The remaining uses."""
    by: str
    approval: str = ""
    """The approval that it came from."""
    override: bool = False
    """Whether it is a person's override for one tool of one agent."""
    at: datetime | None = None
    """By the store's clock."""

    def is_active(self, *, at: datetime, boot: str) -> bool:
        """Whether the grant is in effect at a time and in a process."""
        is_over = self.until is not None and self.until <= at
        if is_over or (self.uses is not None and self.uses < 1):
            return False
        match self.lifetime:
            case Lifetime.RESTART:
                return self.boot == boot != ""
            case Lifetime.UNTIL:
                return self.until is not None
            case Lifetime.USES:
                return self.uses is not None
            case Lifetime.FOREVER:
                return True

    def to_engine(self) -> grants.GrantedRule:
        """The grant in the engine's form, without its lifetime."""
        return grants.GrantedRule(
            rule=parse_rule(self.pattern, layer=Layer.STORE),
            conversation=self.conversation,
            agent=self.agent,
            user=self.user,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRule:
    """A rule that a person added, for everyone or for a scope."""

    id: str
    list: RuleList
    text: str
    conversation: str | None = None
    agent: str | None = None
    user: str | None = None
    by: str
    approval: str = ""
    why: str = ""
    at: datetime | None = None


REPLACED = "rule `{id}` was changed or revoked meanwhile: load the rules again"


EDITABLE_FIELDS = frozenset({"list", "text", "conversation", "agent", "user", "why"})
"""The fields of a rule that can be changed; author, time and approval stay."""


def edit_rule(rule: StoredRule, changes: Mapping[str, object], id: str) -> StoredRule:
    """A rule with some fields changed and a new id.

    A rule is never changed in place, because past decisions refer to its id.
    """
    if unknown := changes.keys() - EDITABLE_FIELDS:
        raise InputError(f"`{min(unknown)}` of a rule cannot be changed")
    changed = replace(rule, **changes)  # type: ignore[arg-type]
    return rule if changed == rule else replace(changed, id=id)


def can_see_policy(principal: Principal, one: StoredGrant | StoredRule) -> bool:
    """Whether a principal may see it: its author, its user and administrators; never an agent."""
    if principal.kind is Kind.AGENT:
        return False
    given = principal.kind is Kind.PERSON and principal.id in (one.by, one.user)
    return principal.administrator or given


class Pin(NamedTuple):
    """The accepted definition of a tool, by origin and name."""

    origin: str
    tool: str
    digest: str
    definition: str = ""
    """The definition as JSON; empty where only the digest was kept."""


class Pause(NamedTuple):
    """Who paused all agents, and when."""

    by: str
    since: datetime


class PolicyKey(NamedTuple):
    """Selects the policy of a user, an agent and a conversation."""

    user: str
    agent: str
    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPolicy:
    """The stored policy for one user, agent and conversation."""

    version: int
    at: datetime
    """The store's time of the read."""
    tiers: Mapping[str, TierSetting] = field(default_factory=dict[str, TierSetting])
    """The tiers of this agent, by tool."""
    rules: tuple[StoredRule, ...] = ()
    grants: tuple[StoredGrant, ...] = ()
    """The grants for this user, agent and conversation; their lifetimes are not checked yet."""
    pins: Mapping[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """Accepted definitions by origin and tool."""
    conversation: Conversation | None = None
    paused: Pause | None = None
    """While it is set, every call that is not a read waits."""
    declarations_version: int = 0
    """The policy version of the last declaration of tools to all processes."""
    start_mode: str = ""
    """The start mode of new conversations; empty is the preset's first mode."""
