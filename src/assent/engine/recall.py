"""What is known of a line that was said before: how it reads, and what was last decided about it."""

from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from assent.engine.facts import Facts
from assent.engine.lines.line import parse_line
from assent.engine.lines.part import ParsedCall
from assent.engine.lines.program_part import Language
from assent.engine.model import Call
from assent.engine.policy.snapshot import Snapshot
from assent.engine.verdict import Decision

LONGEST_KEPT = 1024
MOST_KEPT = 2048
"""How many short lines are known, those that were said last; agents say the same few all day."""
MOST_LONG = 8
"""A long line is known just until it is decided: it is read to list its paths, and then decided."""
MOST_PATHS = 64
"""A decision that rests on more real paths is made anew."""
MOST_POLICIES = 64
"""How many sets of rules may be remembered by what was decided on them."""

_who = attrgetter("tool", "agent", "conversation", "user")
_policies: set[int] = set()


class _Kept(NamedTuple):
    """A decision and all that it was made of, besides the line."""

    call: Call
    snapshot: Snapshot
    facts: Facts
    decision: Decision


class Known:
    """A line with its parts, which do not depend on anything else, and the last decision about it."""

    __slots__ = ("_kept", "parsed")

    def __init__(self, text: str, language: Language, given: str | None = None) -> None:
        self.parsed: ParsedCall = parse_line(text, language, given)
        self._kept: _Kept | None = None

    def recall(self, call: Call, snapshot: Snapshot, facts: Facts) -> Decision | None:
        """The last decision, if the same agent now asks on the same policy and the same facts."""
        kept = self._kept
        if kept is None or _who(kept.call) != _who(call):
            return None
        # Most often both are the very same, which is seen without looking at all that they hold.
        if kept.snapshot is not snapshot and kept.snapshot != snapshot:
            return None
        return kept.decision if kept.facts is facts or kept.facts == facts else None

    def keep(self, call: Call, snapshot: Snapshot, facts: Facts, decision: Decision) -> None:
        """Remember a decision, unless somebody's own breaker had a word in it, who may say another next."""
        if [policy for policy in snapshot.lineage() if policy.breakers]:
            return
        if sum(map(len, facts.real.values())) > MOST_PATHS:
            return
        self._kept = _Kept(call, snapshot, facts, decision)
        _policies.add(id(snapshot.rules))
        if len(_policies) > MOST_POLICIES:
            # Rules that were replaced long ago must not stay for the sake of what was decided on them.
            _policies.clear()
            _known_short.cache_clear()


def known(text: str, language: Language, given: str | None = None) -> Known:
    """What is known of a line and of the input it is given; one not said before, or long ago, is read."""
    if given is None:
        return (_known_short if len(text) <= LONGEST_KEPT else _known_long)(text, language)
    return _known_long(text, language, given)


_known_short = lru_cache(maxsize=MOST_KEPT)(Known)
_known_long = lru_cache(maxsize=MOST_LONG)(Known)
