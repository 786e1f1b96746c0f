"""What an answer wrote for later calls, as the caller of its call learns it."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from assent.engine.policy.rule import RuleList
from assent.gate.policy import StoredGrant, StoredRule
from assent.gate.preset import Lifetime, Scope

_INPUT_DIGEST = re.compile(r"\b(?:sha256|hmac):[0-9a-f]")
"""Part of a rule that names the input of a command; only people learn the digest of a file."""


class RememberedRule(NamedTuple):
    """A rule that lets later calls run without asking: its text, for whom, and how long."""

    rule: str
    scope: Scope
    lifetime: Lifetime
    until: datetime | None = None
    uses: int | None = None


def remembered_rules(
    approval: str, written: Iterable[StoredRule | StoredGrant]
) -> tuple[RememberedRule, ...]:
    """The rules that the answer to this approval wrote, and that are still in effect."""
    return tuple(_remembered_rules(one for one in written if approval and one.approval == approval))


def _remembered_rules(written: Iterable[StoredRule | StoredGrant]) -> Iterator[RememberedRule]:
    for one in written:
        text = one.text if isinstance(one, StoredRule) else one.pattern
        if _INPUT_DIGEST.search(text):
            continue
        if isinstance(one, StoredGrant):
            yield RememberedRule(text, _scope_of(one), one.lifetime, one.until, one.uses)
        elif one.list is RuleList.ALLOW:
            yield RememberedRule(text, _scope_of(one), Lifetime.FOREVER)


def _scope_of(one: StoredRule | StoredGrant) -> Scope:
    """The scope of a rule or grant, by the conversation, user and agent that it names."""
    if one.conversation is not None:
        return Scope.CONVERSATION
    if one.user is not None:
        return Scope.USER if one.agent is None else Scope.USER_AGENT
    return Scope.EVERYONE if one.agent is None else Scope.AGENT
