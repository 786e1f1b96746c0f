"""Pending bytes: how much of what waits for an answer is one agent's, one user's and everybody's."""

from typing import NamedTuple

from assent.gate.approval import Approval

_MEGA = 1_000_000


class PendingBytes(NamedTuple):
    """Bytes of questions that wait for an answer: as counted, or as allowed."""

    agent: int = 0
    """Of one person's agent and all its sub-agents."""
    user: int = 0
    server: int = 0


BUDGET = PendingBytes(agent=32 * _MEGA, user=128 * _MEGA, server=1024 * _MEGA)
"""What is allowed where nobody says otherwise."""


def shortage(asked: Approval, size: int, held: PendingBytes, most: PendingBytes) -> str | None:
    """Why there is no room for a question of this size; None where there is."""
    of_agent = min(most.agent, _share(most.user, held.user - held.agent))
    if held.agent + size > of_agent:
        return _told(f"agent `{asked.root_agent}`", held.agent, size, of_agent)
    of_user = min(most.user, _share(most.server, held.server - held.user))
    if held.user + size > of_user:
        return _told(f"user `{asked.owner}`", held.user, size, of_user)
    return None


def _share(budget: int, others: int) -> int:
    """A third of what others leave: whoever takes it leaves twice as much, so a budget is never used up."""
    return max(budget - others, 0) // 3


def _told(who: str, held: int, size: int, most: int) -> str:
    return (
        f"{who} has {_mega(held)} of questions that wait for an answer, and this one has {_mega(size)}:"
        f" more than the {_mega(most)} there is room for; wait until some are answered"
    )


def _mega(size: int) -> str:
    return f"{size / _MEGA:.1f} MB"
