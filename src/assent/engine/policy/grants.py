"""Grants: calls that people approved for later, and to which calls each grant applies."""

from collections.abc import Iterable
from typing import NamedTuple

from assent.engine.base.tool import Call
from assent.engine.base.value import Value
from assent.engine.policy.rule import Rule
from assent.engine.policy.rule_set import RuleSet


class GrantedRule(Value):
    """An allow rule for later calls of a conversation, an agent or a user; None means any."""

    rule: Rule
    conversation: str | None = None
    agent: str | None = None
    user: str | None = None


class _GrantScope(NamedTuple):
    """The conversation, agent and user to whose calls a grant applies; None means any."""

    conversation: str | None
    agent: str | None
    user: str | None

    def includes(self, call: Call) -> bool:
        """Whether the grant applies to this call."""
        return (
            self.conversation in (None, call.conversation)
            and self.agent in (None, call.agent)
            and self.user in (None, call.user)
        )


class GrantSet:
    """All grants, grouped by the calls to which they apply; each group is compiled as allow rules."""

    def __init__(self, grants: Iterable[GrantedRule] = ()) -> None:
        holders: dict[_GrantScope, list[Rule]] = {}
        for grant in grants:
            holder = _GrantScope(grant.conversation, grant.agent, grant.user)
            holders.setdefault(holder, []).append(grant.rule)
        self._holders = {holder: RuleSet(allow=rules) for holder, rules in holders.items()}

    def for_call(self, call: Call) -> tuple[RuleSet, ...]:
        """The rule sets that apply to this call."""
        if not self._holders:
            return ()
        return tuple(rules for holder, rules in self._holders.items() if holder.includes(call))

    def with_grant(self, grant: GrantedRule) -> "GrantSet":
        """Return a copy with one more grant; the other rules are not compiled again."""
        added = GrantSet()
        holder = _GrantScope(grant.conversation, grant.agent, grant.user)
        known = self._holders.get(holder)
        rules = RuleSet(allow=[grant.rule]) if known is None else known.with_allow_rule(grant.rule)
        added._holders = {**self._holders, holder: rules}
        return added


NO_GRANTS = GrantSet()
