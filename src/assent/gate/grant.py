"""A grant: a yes that was remembered, for whom it counts, and until when."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from assent.engine.policy import grants
from assent.engine.policy.rule import Layer, RuleList, parse_rule
from assent.errors import InputError
from assent.gate.access import Kind, Principal
from assent.gate.preset import Lifetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A remembered yes: a pattern, each scope that is named, and a lifetime."""

    id: str
    pattern: str
    conversation: str | None = None
    agent: str | None = None
    user: str | None = None
    lifetime: Lifetime
    boot: str = ""
    """The process that an until-restart grant dies with."""
    until: datetime | None = None
    uses: int | None = None
    """How often it may still be used."""
    by: str
    approval: str = ""
    """The question it came from."""
    override: bool = False
    """A person's standing yes for one tool of one agent, as tiers know it."""
    at: datetime | None = None
    """When it was given, by the store's clock."""

    def counts(self, *, at: datetime, boot: str) -> bool:
        """Whether it still holds, at this moment and in this process: each limit that it has, together."""
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

    def as_engine_takes_it(self) -> grants.GrantedRule:
        """The grant without its lifetime, which the gate has looked at."""
        return grants.GrantedRule(
            rule=parse_rule(self.pattern, layer=Layer.STORE),
            conversation=self.conversation,
            agent=self.agent,
            user=self.user,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRule:
    """A rule that a person wrote to the store, for everyone or for one scope."""

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


def concerns(principal: Principal, one: Grant | StoredRule) -> bool:
    """Whether somebody may know of it: who gave it, whose it is, and administrators; never an agent."""
    if principal.kind is Kind.AGENT:
        return False
    given = principal.kind is Kind.PERSON and principal.id in (one.by, one.user)
    return principal.administrator or given


REPLACED = "rule `{id}` was changed or revoked meanwhile: look at the rules again"
EDITABLE = frozenset({"list", "text", "conversation", "agent", "user", "why"})
"""What may be changed about a stored rule; who gave it, when, and to which question stay."""


def edited(rule: StoredRule, changes: Mapping[str, object], id: str) -> StoredRule:
    """The rule that takes the place of another: the same but for these fields, under an id of its own.

    A rule is never changed in place, because decisions of the past name the one that held then.
    """
    if unknown := changes.keys() - EDITABLE:
        raise InputError(f"`{min(unknown)}` of a rule cannot be changed")
    changed = replace(rule, **changes)  # type: ignore[arg-type]
    return rule if changed == rule else replace(changed, id=id)
