"""Grants: what people already said yes to, and for whom it counts."""

from collections.abc import Iterable
from typing import NamedTuple

from assent.engine.model import Call
from assent.engine.policy.rule import Rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.value import Value


class Grant(Value):
    """A remembered yes; each scope that is named must be the call's own."""

    pattern: Rule
    conversation: str | None = None
    agent: str | None = None
    user: str | None = None


class _Scope(NamedTuple):
    conversation: str | None
    agent: str | None
    user: str | None

    def holds(self, call: Call) -> bool:
        return (
            self.conversation in (None, call.conversation)
            and self.agent in (None, call.agent)
            and self.user in (None, call.user)
        )


class GrantSet:
    """Grants by scope, each scope compiled like a list of allow rules."""

    def __init__(self, grants: Iterable[Grant] = ()) -> None:
        scopes: dict[_Scope, list[Rule]] = {}
        for grant in grants:
            scope = _Scope(grant.conversation, grant.agent, grant.user)
            scopes.setdefault(scope, []).append(grant.pattern)
        self._scopes = {scope: RuleSet(allow=rules) for scope, rules in scopes.items()}

    def for_call(self, call: Call) -> tuple[RuleSet, ...]:
        """The rule sets of the scopes that this call is in."""
        if not self._scopes:
            return ()
        return tuple(rules for scope, rules in self._scopes.items() if scope.holds(call))

    def adding(self, grant: Grant) -> "GrantSet":
        """The same and one more, without compiling anything again."""
        added = GrantSet()
        scope = _Scope(grant.conversation, grant.agent, grant.user)
        known = self._scopes.get(scope)
        rules = RuleSet(allow=[grant.pattern]) if known is None else known.adding_allow(grant.pattern)
        added._scopes = {**self._scopes, scope: rules}
        return added


NO_GRANTS = GrantSet()
