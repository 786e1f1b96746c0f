"""Grants: what people approved for later calls, and which calls it applies to."""

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


class _Holder(NamedTuple):
    """Whose calls a grant applies to; None means any."""

    conversation: str | None
    agent: str | None
    user: str | None

    def includes(self, call: Call) -> bool:
        return (
            self.conversation in (None, call.conversation)
            and self.agent in (None, call.agent)
            and self.user in (None, call.user)
        )


class GrantSet:
    """Grants by holder, each compiled as a list of allow rules."""

    def __init__(self, grants: Iterable[GrantedRule] = ()) -> None:
        holders: dict[_Holder, list[Rule]] = {}
        for grant in grants:
            holder = _Holder(grant.conversation, grant.agent, grant.user)
            holders.setdefault(holder, []).append(grant.rule)
        self._holders = {holder: RuleSet(allow=rules) for holder, rules in holders.items()}

    def for_call(self, call: Call) -> tuple[RuleSet, ...]:
        """The rule sets that apply to this call."""
        if not self._holders:
            return ()
        return tuple(rules for holder, rules in self._holders.items() if holder.includes(call))

    def with_grant(self, grant: GrantedRule) -> "GrantSet":
        """The same grants and one more; nothing is compiled again."""
        added = GrantSet()
        holder = _Holder(grant.conversation, grant.agent, grant.user)
        known = self._holders.get(holder)
        rules = RuleSet(allow=[grant.rule]) if known is None else known.with_allow_rule(grant.rule)
        added._holders = {**self._holders, holder: rules}
        return added


NO_GRANTS = GrantSet()
