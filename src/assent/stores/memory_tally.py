"""What the audit of a store in memory adds up to, row by row."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import NamedTuple, TypeVar

from assent.gate.audit import Entry, Link, Sought
from assent.gate.history import (
    ANSWERED,
    QUESTION_ENDS,
    VERDICTS,
    BucketSize,
    Cause,
    Medians,
    QuestionCount,
    QuestionEnd,
    RuleHits,
    Tally,
    VerdictCount,
    tally,
)
from assent.stores.memory_listing import is_sought
from assent.stores.times import kept

Group = TypeVar("Group")


def tally_of(links: Sequence[Link], sought: Sought, span: BucketSize) -> Tally:
    """What is sought, added up."""
    decided = _decisions(links, sought)
    asked = _asked(decided, _ends(links, sought.since))
    return tally(
        [VerdictCount(_bucket(one.at, span), one.entry.verdict) for one in decided],
        [QuestionCount(_bucket(one.at, span), one.tool, one.cause, one.end) for one in asked],
        Medians(
            _medians(asked, lambda _: None).get(None),
            _medians(asked, lambda one: one.tool),
            _medians(asked, lambda one: one.cause),
        ),
    )


def hits_of(links: Sequence[Link], sought: Sought) -> tuple[int, Sequence[RuleHits]]:
    """How many decisions are sought, and how often each rule made one of them; the most frequent first."""
    decided = _decisions(links, sought)
    lasts = {one.entry.rule: one.at for one in decided if one.entry.rule}
    numbers = Counter(one.entry.rule for one in decided)
    hits = [RuleHits(rule, numbers[rule], last) for rule, last in lasts.items()]
    return len(decided), sorted(hits, key=lambda hit: (-hit.hits, hit.rule))


class _Asked(NamedTuple):
    """A call that was asked about."""

    at: datetime
    tool: str
    cause: Cause
    end: QuestionEnd
    took: float


_Call = tuple[str, str, str]


def _call(entry: Entry) -> _Call:
    return entry.conversation, entry.agent, entry.call


def _decisions(links: Iterable[Link], sought: Sought) -> list[Link]:
    return [one for one in links if one.entry.verdict in VERDICTS and is_sought(one, sought)]


def _ends(links: Sequence[Link], since: datetime | None) -> Mapping[_Call, Link]:
    """What ended each question; no question ends before it is asked."""
    ends = [one for one in links if not one.entry.verdict and one.entry.decision in QUESTION_ENDS]
    # Backwards, so that the first one stays should an end be told twice.
    return {_call(one.entry): one for one in reversed(ends) if since is None or one.at >= since}


def _asked(decided: Iterable[Link], ends: Mapping[_Call, Link]) -> list[_Asked]:
    firsts: dict[_Call, Link] = {}
    for one in decided:
        if one.entry.verdict == "ask":
            firsts.setdefault(_call(one.entry), one)
    return [_question(one, ends.get(call)) for call, one in firsts.items()]


def _question(link: Link, ended: Link | None) -> _Asked:
    entry = link.entry
    end = QuestionEnd.OPEN if ended is None else QUESTION_ENDS[ended.entry.decision]
    took = 0.0 if ended is None else max(0.0, (ended.at - link.at).total_seconds())
    return _Asked(link.at, entry.tool, Cause(entry.stage, entry.rule), end, took)


def _medians(asked: Iterable[_Asked], group: Callable[[_Asked], Group]) -> Mapping[Group, float]:
    times: defaultdict[Group, list[float]] = defaultdict(list)
    for one in asked:
        if one.end in ANSWERED:
            times[group(one)].append(one.took)
    return {name: median(took) for name, took in times.items()}


def _bucket(at: datetime, span: BucketSize) -> datetime:
    return at - timedelta(microseconds=kept(at) % (span.seconds * 1_000_000))
