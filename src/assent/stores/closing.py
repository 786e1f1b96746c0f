"""Closing the chains of processes that ended without it: a row says from when on something may be missing."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, select, update

from assent.gate.audit import linked
from assent.gate.changes import ChangeKind, change_entry
from assent.gate.store import Moment
from assent.stores import outbox
from assent.stores.clock import Clock
from assent.stores.policy import Edited
from assent.stores.queries import moment_of
from assent.stores.statements import Statement
from assent.stores.tables import processes
from assent.stores.times import kept, kept_span, moment

SILENT = timedelta(minutes=1)
"""How long a process shows no sign of life before it is taken for dead."""


def unclosed_of(connection: Connection, clock: Clock | None, grace: timedelta = SILENT) -> list[str]:
    """The dead processes whose chains nobody closed."""
    horizon = kept(moment_of(connection, clock).at) - kept_span(grace)
    return [row[0] for row in _UNCLOSED.all(connection, horizon=horizon)]


def closed(connection: Connection, now: Moment, writers: Sequence[str]) -> Edited:
    """Put a row behind each of these chains; how many were closed.

    INVARIANT: a chain that lost rows of its own is not closed over: answers and claims are committed with
    their entries, so that a crash never explains why one is missing.
    """
    return Edited(sum(_close(connection, now.at, writer) for writer in writers))


def _close(connection: Connection, at: datetime, writer: str) -> bool:
    rows = _HELD.all(connection, writer=writer)
    head = outbox.head_of(connection, writer)
    if not rows or rows[0][0] != head.place:
        return False
    entry = change_entry("", ChangeKind.CHAIN_CLOSED, _reason(moment(rows[0][1])))
    link = linked(entry, writer=writer, number=head.place + 1, at=at, previous=head.hash)
    outbox.put(connection, [link])
    _CUT.run(connection, writer=writer, end=link.number)
    return True


def _reason(seen: datetime) -> str:
    return (
        f"this process was last seen at {seen:%Y-%m-%d %H:%M:%S} UTC and ended without closing its chain:"
        " rows of its last 50 ms may be missing, of calls that ran or asked and of changes;"
        " never of an answer or a claim"
    )


_c = processes.c
_OPEN = _c.chain == "open"
_UNCLOSED = Statement(select(_c.boot).where(_OPEN, _c.seen_at < bindparam("horizon")).order_by(_c.boot))
_HELD = Statement(
    select(_c.audited, _c.seen_at).where(_c.boot == bindparam("writer"), _OPEN).with_for_update()
)
_CUT = Statement(
    update(processes).where(_c.boot == bindparam("writer")).values(audited=bindparam("end"), chain="cut")
)
