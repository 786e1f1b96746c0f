"""What limits are held against, counted over what a store in memory holds."""

from collections.abc import Iterable

from assent.gate.approval import Approval, State
from assent.gate.pending import PendingBytes
from assent.gate.ports import Limits, Load
from assent.stores.brief import size_of


def load_of(asked: Approval, approvals: Iterable[Approval], limits: Limits) -> Load:
    """What the agent of a question, its user and the whole store have pending, and what was denied."""
    every = list(approvals)
    mine = [one for one in every if _whose(one) == _whose(asked)]
    denied = [one for one in mine if one.state is State.DENIED]
    since = asked.asked_at - limits.lasting
    of_late = [one for one in denied if one.answered_at is not None and one.answered_at > since]
    waiting = [one for one in every if one.state is State.PENDING]
    return Load(
        pending=sum(_root(one) == _root(asked) for one in waiting),
        in_turn=sum((one.turn, one.call_digest) == (asked.turn, asked.call_digest) for one in denied),
        of_late=sum(one.call_digest == asked.call_digest for one in of_late),
        of_tool=sum(one.call.tool == asked.call.tool for one in of_late),
        size=size_of(asked),
        bytes=_bytes(asked, waiting),
    )


def _bytes(asked: Approval, waiting: Iterable[Approval]) -> PendingBytes:
    sizes = [(_root(one), size_of(one)) for one in waiting]
    return PendingBytes(
        agent=sum(size for root, size in sizes if root == _root(asked)),
        user=sum(size for (owner, _), size in sizes if owner == asked.owner),
        server=sum(size for _, size in sizes),
    )


def _root(approval: Approval) -> tuple[str, str]:
    return approval.owner, approval.root_agent


def _whose(approval: Approval) -> tuple[str, str]:
    # Two people may each have an agent of the same name.
    return approval.owner, approval.call.agent
