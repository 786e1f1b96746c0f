"""The outbox of the audit: rows are committed here with their change, and moved to the audit afterwards."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, Table, bindparam, select, text, union_all

from assent.gate.audit import START, Link
from assent.stores.audit_rows import LINK, link_row
from assent.stores.statements import Statement, inserting, upserting
from assent.stores.tables import audit, audit_outbox, audit_segments

AT_ONCE = 1000
"""Rows that one transaction moves, so that those who write get their turn in between."""


class Head(NamedTuple):
    """The end of a chain: what the next row is linked to."""

    place: int
    hash: str


def put(connection: Connection, links: Sequence[Link]) -> None:
    """Write links in the transaction that is open."""
    _PUT.many(connection, [link_row(link) for link in links])


def put_again(connection: Connection, links: Sequence[Link]) -> None:
    """Write links that may be there already."""
    _PUT_AGAIN.many(connection, [link_row(link) for link in links])


def move(connection: Connection) -> int:
    """Move rows to the audit, all or none of them; how many there were, at most `AT_ONCE`."""
    moved = _MOVE[connection.dialect.name].run(connection, most=AT_ONCE)
    # INVARIANT: a row leaves the outbox only when the very same one is in the audit; triggers hold us to it.
    _CLEAR.run(connection)
    return moved


def follow_audit(connection: Connection) -> None:
    """Let SQLite number what comes next behind all that is in the audit."""
    for statement in _FOLLOW:
        statement.run(connection)


def head_of(connection: Connection, writer: str) -> Head:
    """The last row of a writer's chain, wherever it is."""
    rows = _HEAD.all(connection, writer=writer)
    return max((Head(*row) for row in rows), default=Head(0, START))


def ids_after(connection: Connection, writer: str, place: int) -> frozenset[str]:
    """The entries of a writer behind a place."""
    return frozenset(row[0] for row in _IDS.all(connection, writer=writer, place=place))


def _last(table: Table) -> Select[Any]:
    last = (
        select(table.c.place, table.c.hash)
        .where(table.c.writer == bindparam("writer"))
        .order_by(table.c.place.desc())
        .limit(1)
        .subquery()
    )
    return select(last)


def _after(table: Table) -> Select[Any]:
    return select(table.c.id).where(table.c.writer == bindparam("writer"), table.c.place > bindparam("place"))


def _moving(number: str, ending: str) -> Statement:
    columns = ", ".join(column.name for column in LINK)
    return Statement(
        text(
            f"INSERT INTO audit (number, {columns}) SELECT {number}, {columns} FROM audit_outbox"  # noqa: S608 - our own words
            f" WHERE true ORDER BY number LIMIT CAST(:most AS BIGINT) {ending}"
            " ON CONFLICT (writer, place) DO NOTHING"
        )
    )


_PUT = inserting(audit_outbox)
_PUT_AGAIN = upserting(audit_outbox, "writer", "place", keep=True)
_MOVE = {
    # Numbers are new ones where a process of the version before, which knows no outbox, took one of them.
    "sqlite": _moving(
        "CASE WHEN EXISTS (SELECT 1 FROM audit_outbox AS o JOIN audit AS a ON a.number = o.number)"
        " THEN NULL ELSE number END",
        "",
    ),
    "postgresql": _moving("number", "FOR UPDATE SKIP LOCKED"),
}
_CLEAR = Statement(
    text(
        "DELETE FROM audit_outbox WHERE EXISTS (SELECT 1 FROM audit WHERE audit.writer = audit_outbox.writer"
        " AND audit.place = audit_outbox.place AND audit.hash = audit_outbox.hash)"
    )
)
_FOLLOW = (
    Statement(text("DELETE FROM sqlite_sequence WHERE name = 'audit_outbox'")),
    Statement(text("INSERT INTO sqlite_sequence (name, seq) SELECT 'audit_outbox', max(number) FROM audit")),
)
_segment = audit_segments.c
_closed = (
    select(_segment.last_place, _segment.last_hash)
    .where(_segment.writer == bindparam("writer"))
    .order_by(_segment.last_place.desc())
    .limit(1)
    .subquery()
)
_HEAD = Statement(union_all(_last(audit_outbox), _last(audit), select(_closed)))
_IDS = Statement(union_all(_after(audit_outbox), _after(audit)))
