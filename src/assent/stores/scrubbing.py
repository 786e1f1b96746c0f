"""Scrubbing: what was in a call is forgotten some time after its approval ended."""

import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from sqlalchemy import Connection, bindparam, func, literal_column, select

from assent.gate.approval import OPEN, without_arguments
from assent.gate.store import Moment
from assent.stores.clock import Clock
from assent.stores.policy import Edited
from assent.stores.queries import moment_of
from assent.stores.rows import ASKED, MOVED, asked, asked_row, moved
from assent.stores.statements import Statement, listed, updating
from assent.stores.tables import approvals
from assent.stores.times import kept

_WRITTEN = ("args", "question", "answer", "note", "preview", "file", "scrubbed_at", "size", "excerpt")


def old_of(connection: Connection, clock: Clock | None, keep: timedelta) -> Sequence[str]:
    """The approvals that ended longer ago than that and still hold what was in their call."""
    before = moment_of(connection, clock).at - keep
    return [row[0] for row in _OLD.all(connection, before=kept(before))]


def scrub(connection: Connection, moment: Moment, ids: Sequence[str]) -> Edited:
    """Forget what was in these calls; the digest stays, so that the same call is still recognised."""
    width = len(ASKED)
    with _for_good(connection):
        rows = _ROWS.all(connection, ids=json.dumps(list(ids)))
        found = [without_arguments(moved(asked(row[:width]), row[width:])) for row in rows]
        at = {"scrubbed_at": kept(moment.at)}
        wanted = ("id", *_WRITTEN)
        written = [{**asked_row(one), **at} for one in found]
        _SCRUB.many(connection, [{name: row[name] for name in wanted} for row in written])
    return Edited(len(rows))


@contextmanager
def _for_good(connection: Connection) -> Generator[None]:
    """Let SQLite write zeros over what is given up, instead of leaving it in the file."""
    if connection.dialect.name != "sqlite":
        yield
        return
    connection.exec_driver_sql("PRAGMA secure_delete = ON")
    try:
        yield
    finally:
        connection.exec_driver_sql("PRAGMA secure_delete = OFF")


_c = approvals.c
_is_open = _c.state.in_([literal_column(f"'{state}'") for state in sorted(OPEN)])
_OLD = Statement(
    select(_c.id)
    .where(
        _c.scrubbed_at.is_(None),
        ~_is_open,
        func.coalesce(_c.closed_at, _c.answered_at, _c.asked_at) <= bindparam("before"),
    )
    .order_by(_c.id)
)
_ROWS = Statement(
    select(*ASKED, *(column.label(f"moved_{column.name}") for column in MOVED))
    .where(listed(_c.id, "ids"), _c.scrubbed_at.is_(None))
    .order_by(_c.id)
    .with_for_update()
)
_SCRUB = updating(approvals, "id", *_WRITTEN)
