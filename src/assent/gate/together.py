"""Several questions, one yes: only what a person can take in at one look."""

from collections.abc import Iterable

from assent.errors import InputError
from assent.gate.approval import Approval


def check_alone(approval: Approval) -> None:
    """Refuse a yes together with others to what a card holds for, or what is of no known kind."""
    if not approval.decision.batch_key:
        raise InputError(f"question `{approval.id}` must be allowed by itself: read it and answer it alone")


def check_alike(approvals: Iterable[Approval]) -> None:
    """Refuse one yes to calls of several tools, effects, or programs and sub-commands."""
    keys = sorted({one.decision.batch_key for one in approvals} - {""})
    if len(keys) > 1:
        kinds = ", ".join(f"`{key}`" for key in keys[:3])
        raise InputError(f"one yes is for calls of one kind, not for {kinds}: answer each kind by itself")
