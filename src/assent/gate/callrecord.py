"""A call record: what was asked and what ran, for a row of the audit, which itself holds only digests."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import NamedTuple

from assent.errors import NotFoundError
from assent.gate.approval import State
from assent.gate.audit import Link
from assent.gate.excerpt import Excerpt

_ALLOWED = frozenset({State.APPROVED, State.RUNNING, State.DONE, State.FAILED, State.UNKNOWN})
"""Where a call ran, or may run."""


class CallRecord(NamedTuple):
    """The arguments of a call, as far as its approval still holds them."""

    asked: Mapping[str, object]
    ran: Mapping[str, object] | None
    """What ran or is to run, perhaps edited by a person; None where nobody allowed it."""
    clipped: bool = False
    """Too large for a list: only the beginning and the end of the values are here."""


def record_of(excerpt: Excerpt) -> CallRecord | None:
    """What the approval of a row tells; None once it was scrubbed."""
    approval = excerpt.approval
    # Every question has a step that asked; scrubbing takes the steps away with the arguments.
    if not approval.decision.steps:
        return None
    ran = approval.approved_call.args if approval.state in _ALLOWED else None
    return CallRecord(approval.call.args, ran, excerpt.clipped)


async def records_of(
    look: Callable[[str], Awaitable[Excerpt]], links: Iterable[Link]
) -> Mapping[str, CallRecord]:
    """The calls behind rows, by the ids of their approvals; what somebody may not see is not there."""
    ids = list(dict.fromkeys(link.entry.approval for link in links if link.entry.approval))
    found = await asyncio.gather(*(_seen(look, id_) for id_ in ids))
    return {id_: one for id_, one in zip(ids, found, strict=True) if one is not None}


async def _seen(look: Callable[[str], Awaitable[Excerpt]], id_: str) -> CallRecord | None:
    try:
        return record_of(await look(id_))
    except NotFoundError:
        return None
