"""A preview: what rules that somebody is about to write would have done to the calls of late."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assent.engine.policy.rule import RuleList
from assent.errors import InputError
from assent.gate.approval import Approval, State
from assent.gate.grant import StoredRule
from assent.gate.remember import Remembered, covers, hits

MOST = 200
"""How many of the newest calls a preview looks at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Previewed:
    """What rules would have done."""

    looked_at: int
    covered: tuple[Approval, ...]
    """Calls that the rules are about: an allow rule would have let them run, others would have met them."""
    freed: tuple[Approval, ...] = ()
    """Those of them that a person denied, and that would run from now on."""


def previewed(rules: Sequence[StoredRule], recent: Iterable[Approval], key: bytes = b"") -> Previewed:
    """What rules of one list would have done to these calls."""
    lists = {rule.list for rule in rules}
    if len(lists) != 1:
        raise InputError("give at least one rule, and rules of one list only")
    is_allow = lists == {RuleList.ALLOW}
    found = Remembered(rules=tuple(rules))
    looked = tuple(recent)
    covered = tuple(one for one in looked if (covers(found, one, key) if is_allow else hits(rules, one)))
    freed = tuple(one for one in covered if is_allow and one.state is State.DENIED)
    return Previewed(looked_at=len(looked), covered=covered, freed=freed)
