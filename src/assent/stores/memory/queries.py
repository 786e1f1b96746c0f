"""Queries of a store in memory: filters, pages, statistics of the audit, and counts for limits."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from statistics import median
from typing import NamedTuple, TypeVar

from assent.engine.policy.verdict import Verdict
from assent.errors import InputError
from assent.gate.access import role_resources
from assent.gate.approval import Approval, State
from assent.gate.audit import (
    ANSWERED,
    QUESTION_ENDS,
    VERDICT_WORDS,
    BucketSize,
    Cause,
    Entry,
    Link,
    Medians,
    QuestionCount,
    QuestionEnd,
    RuleHits,
    Tally,
    VerdictCount,
    tally,
)
from assent.gate.changes import CHANGES
from assent.gate.conversation import Conversation
from assent.gate.question import Limits, PendingBytes, PendingLoad
from assent.gate.store import ApprovalFilter, AuditFilter, ToolUse
from assent.stores.sql.approval_rows import question_size
from assent.stores.sql.statement import to_micros
from assent.wire.audit import ANSWER_DECISIONS

T = TypeVar("T")


def take_page(
    items: Sequence[T], is_wanted: Callable[[T], bool], limit: int, after: str, *, newest_first: bool
) -> tuple[tuple[T, ...], str]:
    """A page of the matching items, and the cursor of the next page (empty at the end)."""
    start = _parse_position(after)
    numbers = range(len(items), 0, -1) if newest_first else range(1, len(items) + 1)
    behind = (one for one in numbers if not after or (one < start if newest_first else one > start))
    found = list(islice((one for one in behind if is_wanted(items[one - 1])), limit + 1))
    page = tuple(items[one - 1] for one in found[:limit])
    return page, str(found[limit - 1]) if len(found) > limit else ""


def matches_filter(
    approval: Approval, which: ApprovalFilter, conversations: Mapping[str, Conversation]
) -> bool:
    """Whether an approval matches a filter."""
    return (
        (not which.states or approval.state in which.states)
        and _belongs_to(approval, which)
        and which.conversation in (None, approval.call.conversation)
        and which.agent in (None, approval.call.agent)
        and which.turn in (None, approval.turn)
        and which.tool in (None, approval.call.tool)
        and which.postponed in (None, approval.later_at is not None)
        and which.effect in (None, approval.tool.effect)
        and _contains_search(approval, which.search, conversations)
    )


def matches_search(link: Link, audit_filter: AuditFilter) -> bool:
    """Whether a row of the audit matches a filter."""
    entry = link.entry
    return (
        audit_filter.agent in (None, entry.agent)
        and audit_filter.tool in (None, entry.tool)
        and audit_filter.user in (None, entry.user)
        and audit_filter.conversation in (None, entry.conversation)
        and audit_filter.verdict in (None, entry.verdict)
        and audit_filter.decision in (None, entry.decision, entry.verdict)
        and (audit_filter.since is None or link.at >= audit_filter.since)
        and (audit_filter.until is None or link.at < audit_filter.until)
        and (not audit_filter.answers or (not entry.verdict and entry.decision in ANSWER_DECISIONS))
        and (not audit_filter.changes or (not entry.verdict and entry.decision in CHANGES))
    )


def find_tool_uses(links: Iterable[Link], asked: Iterable[Approval], owner: str | None) -> frozenset[ToolUse]:
    """The agents of one owner or of all, with the tools they called; names of absent tools are left out."""
    decided = [one.entry for one in links if one.entry.verdict and owner in (None, one.entry.user)]
    found = {ToolUse(one.agent, "" if one.verdict == Verdict.ABSENT.word else one.tool) for one in decided}
    calls = [one.call for one in asked if owner in (None, one.owner)]
    return frozenset(found | {ToolUse(one.agent, one.tool) for one in calls})


Group = TypeVar("Group")


def count_tally(links: Sequence[Link], audit_filter: AuditFilter, span: BucketSize) -> Tally:
    """Compute the statistics of the matching rows."""
    decided = _matching_decisions(links, audit_filter)
    asked = _to_questions(decided, _question_ends(links, audit_filter.since))
    return tally(
        [VerdictCount(_bucket_start(one.at, span), one.entry.verdict) for one in decided],
        [QuestionCount(_bucket_start(one.at, span), one.tool, one.cause, one.end) for one in asked],
        Medians(
            _compute_medians(asked, lambda _: None).get(None),
            _compute_medians(asked, lambda one: one.tool),
            _compute_medians(asked, lambda one: one.cause),
        ),
    )


def count_rule_hits(links: Sequence[Link], audit_filter: AuditFilter) -> tuple[int, Sequence[RuleHits]]:
    """The number of matching decisions, and the number of each rule's decisions, highest first."""
    decided = _matching_decisions(links, audit_filter)
    lasts = {one.entry.rule: one.at for one in decided if one.entry.rule}
    numbers = Counter(one.entry.rule for one in decided)
    hits = [RuleHits(rule, numbers[rule], last) for rule, last in lasts.items()]
    return len(decided), sorted(hits, key=lambda hit: (-hit.hits, hit.rule))


class _AskedQuestion(NamedTuple):
    """A call that asked for approval."""

    at: datetime
    tool: str
    cause: Cause
    end: QuestionEnd
    answer_seconds: float


_CallKey = tuple[str, str, str]


def count_pending_load(
    asked: Approval, approvals: Iterable[Approval], sizes: Mapping[str, int], limits: Limits
) -> PendingLoad:
    """The pending approvals of the agent, its user and the store, and the recent denials.

    `sizes` has the size of every pending approval by id: encoding all of them for each new one would be slow.
    """
    every = list(approvals)
    mine = [one for one in every if _caller_key(one) == _caller_key(asked)]
    denied = [one for one in mine if one.state is State.DENIED]
    since = asked.asked_at - limits.denial_window
    recent = [one for one in denied if one.answered_at is not None and one.answered_at > since]
    pending = [one for one in every if one.state is State.PENDING]
    return PendingLoad(
        pending=sum(_root_agent_key(one) == _root_agent_key(asked) for one in pending),
        denied_in_turn=sum((one.turn, one.call_digest) == (asked.turn, asked.call_digest) for one in denied),
        denied_recently=sum(one.call_digest == asked.call_digest for one in recent),
        tool_denied_recently=sum(one.call.tool == asked.call.tool for one in recent),
        size=question_size(asked),
        bytes=_pending_bytes(asked, pending, sizes),
    )


def _parse_position(after: str) -> int:
    if after and not (after.isascii() and after.isdigit() and len(after) < len(str(2**63))):
        raise InputError(f"`{after[:64]}` is not a valid cursor")
    return int(after or 0)


def _belongs_to(approval: Approval, which: ApprovalFilter) -> bool:
    call = approval.call
    return which.owner in (None, approval.owner) or not which.resources.isdisjoint(
        role_resources(call.conversation, call.agent)
    )


def _contains_search(approval: Approval, search: str, conversations: Mapping[str, Conversation]) -> bool:
    call = approval.call
    talk = conversations.get(call.conversation)
    texts = (call.tool, call.agent, call.conversation, "" if talk is None else talk.title)
    return any(search.lower() in text.lower() for text in texts)


def _matching_decisions(links: Iterable[Link], audit_filter: AuditFilter) -> list[Link]:
    return [one for one in links if one.entry.verdict in VERDICT_WORDS and matches_search(one, audit_filter)]


def _to_questions(decided: Iterable[Link], ends: Mapping[_CallKey, Link]) -> list[_AskedQuestion]:
    firsts: dict[_CallKey, Link] = {}
    for one in decided:
        if one.entry.verdict == "ask":
            firsts.setdefault(_call_key(one.entry), one)
    return [_to_question(one, ends.get(call)) for call, one in firsts.items()]


def _call_key(entry: Entry) -> _CallKey:
    return entry.conversation, entry.agent, entry.call


def _to_question(link: Link, ended: Link | None) -> _AskedQuestion:
    entry = link.entry
    end = QuestionEnd.OPEN if ended is None else QUESTION_ENDS[ended.entry.decision]
    answer_seconds = 0.0 if ended is None else max(0.0, (ended.at - link.at).total_seconds())
    return _AskedQuestion(link.at, entry.tool, Cause(entry.stage, entry.rule), end, answer_seconds)


def _question_ends(links: Sequence[Link], since: datetime | None) -> Mapping[_CallKey, Link]:
    """The row that ended each question; no question ends before it is asked."""
    ends = [one for one in links if not one.entry.verdict and one.entry.decision in QUESTION_ENDS]
    # Read in reverse, so that the first of two rows counts.
    return {_call_key(one.entry): one for one in reversed(ends) if since is None or one.at >= since}


def _bucket_start(at: datetime, span: BucketSize) -> datetime:
    return at - timedelta(microseconds=to_micros(at) % (span.seconds * 1_000_000))


def _compute_medians(
    asked: Iterable[_AskedQuestion], group: Callable[[_AskedQuestion], Group]
) -> Mapping[Group, float]:
    times: defaultdict[Group, list[float]] = defaultdict(list)
    for one in asked:
        if one.end in ANSWERED:
            times[group(one)].append(one.answer_seconds)
    return {name: median(answer_seconds) for name, answer_seconds in times.items()}


def _caller_key(approval: Approval) -> tuple[str, str]:
    # Two owners may have agents with the same name.
    return approval.owner, approval.call.agent


def _root_agent_key(approval: Approval) -> tuple[str, str]:
    return approval.owner, approval.root_agent


def _pending_bytes(asked: Approval, pending: Iterable[Approval], sizes: Mapping[str, int]) -> PendingBytes:
    rows = [(_root_agent_key(one), sizes[one.id]) for one in pending]
    return PendingBytes(
        agent=sum(size for root, size in rows if root == _root_agent_key(asked)),
        user=sum(size for (owner, _), size in rows if owner == asked.owner),
        server=sum(size for _, size in rows),
    )
