"""Pages of what a store in memory holds, and what is meant by a search."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from assent.engine.verdict import Verdict
from assent.errors import InputError
from assent.gate.access import role_resources
from assent.gate.approval import Approval
from assent.gate.audit import Link, Sought
from assent.gate.changes import CHANGES
from assent.gate.conversation import Conversation
from assent.gate.store import ApprovalFilter, ToolUse
from assent.wire.audit import ANSWER_DECISIONS

T = TypeVar("T")


def paged(
    items: Sequence[T], meant: Callable[[T], bool], limit: int, after: str, *, newest_first: bool
) -> tuple[tuple[T, ...], str]:
    """A page of those that are meant, and where the next one begins (empty at the end)."""
    start = _position(after)
    numbers = range(len(items), 0, -1) if newest_first else range(1, len(items) + 1)
    behind = (one for one in numbers if not after or (one < start if newest_first else one > start))
    found = list(islice((one for one in behind if meant(items[one - 1])), limit + 1))
    page = tuple(items[one - 1] for one in found[:limit])
    return page, str(found[limit - 1]) if len(found) > limit else ""


def is_meant(approval: Approval, which: ApprovalFilter, talks: Mapping[str, Conversation]) -> bool:
    """Whether an approval is among those that are meant."""
    return (
        (not which.states or approval.state in which.states)
        and _is_whose(approval, which)
        and which.conversation in (None, approval.call.conversation)
        and which.agent in (None, approval.call.agent)
        and which.turn in (None, approval.turn)
        and which.tool in (None, approval.call.tool)
        and which.postponed in (None, approval.later_at is not None)
        and which.effect in (None, approval.tool.effect)
        and _holds(approval, which.search, talks)
    )


def is_sought(link: Link, sought: Sought) -> bool:
    """Whether a row of the audit is among those that are sought."""
    entry = link.entry
    return (
        sought.agent in (None, entry.agent)
        and sought.tool in (None, entry.tool)
        and sought.user in (None, entry.user)
        and sought.conversation in (None, entry.conversation)
        and sought.verdict in (None, entry.verdict)
        and sought.decision in (None, entry.decision, entry.verdict)
        and (sought.since is None or link.at >= sought.since)
        and (sought.until is None or link.at < sought.until)
        and (not sought.answers or (not entry.verdict and entry.decision in ANSWER_DECISIONS))
        and (not sought.changes or (not entry.verdict and entry.decision in CHANGES))
    )


def callers_in(links: Iterable[Link], asked: Iterable[Approval], owner: str | None) -> frozenset[ToolUse]:
    """The agents of an owner, or all, and what each called; what is absent may be made up, and is none."""
    decided = [one.entry for one in links if one.entry.verdict and owner in (None, one.entry.user)]
    found = {ToolUse(one.agent, "" if one.verdict == Verdict.ABSENT.word else one.tool) for one in decided}
    calls = [one.call for one in asked if owner in (None, one.owner)]
    return frozenset(found | {ToolUse(one.agent, one.tool) for one in calls})


def _is_whose(approval: Approval, which: ApprovalFilter) -> bool:
    call = approval.call
    return which.owner in (None, approval.owner) or not which.resources.isdisjoint(
        role_resources(call.conversation, call.agent)
    )


def _holds(approval: Approval, search: str, talks: Mapping[str, Conversation]) -> bool:
    call = approval.call
    talk = talks.get(call.conversation)
    texts = (call.tool, call.agent, call.conversation, "" if talk is None else talk.title)
    return any(search.lower() in text.lower() for text in texts)


def _position(after: str) -> int:
    if after and not (after.isascii() and after.isdigit() and len(after) < len(str(2**63))):
        raise InputError(f"`{after[:64]}` is not where a page begins")
    return int(after or 0)
