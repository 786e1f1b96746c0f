"""A batch: several approvals that a person answers together."""

from collections.abc import Iterable

from assent.errors import InputError
from assent.gate.approval import Approval


def check_can_batch(approval: Approval) -> None:
    """Raise `InputError` for a call that must not be approved together with others."""
    if not approval.decision.batch_key:
        raise InputError(f"question `{approval.id}` must be allowed alone: read it and answer it separately")


def check_same_kind(approvals: Iterable[Approval]) -> None:
    """Raise `InputError` for calls of different kinds, which must not be approved together."""
    keys = sorted({one.decision.batch_key for one in approvals} - {""})
    if len(keys) > 1:
        kinds = ", ".join(f"`{key}`" for key in keys[:3])
        raise InputError(
            f"a batch can allow calls of one kind only, not {kinds}: answer each kind separately"
        )
