"""Events as rows: written with what they tell of, read in an order that never skips, and swept."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, text, update

from assent.gate.approval import Approval
from assent.gate.feed import changes
from assent.gate.live import Event, Happened, What
from assent.gate.mark import fresh
from assent.gate.ports import Moment
from assent.stores.live_tables import events
from assent.stores.policy import Edited
from assent.stores.statements import Statement, inserting
from assent.stores.tables import policy
from assent.stores.times import kept, moment

Row = dict[str, object]


class Position(NamedTuple):
    """Where an event stands: the transaction that wrote it, and its number."""

    transaction: int = 0
    """Always 0 where one writes at a time: there the number alone is the order."""
    number: int = 0


class Cursor(NamedTuple):
    """A position, and the life of the database that it is of: a restored one begins another."""

    life: str
    position: Position

    def __str__(self) -> str:
        return f"{self.life}.{self.position.transaction}.{self.position.number}"


def rows_of(before: Approval | None, after: Approval, at: datetime) -> Iterator[Row]:
    """What a step of an approval is to those who look on."""
    for kind in changes(before, after):
        yield {
            "happened_at": kept(at),
            "kind": kind.value,
            "approval_id": after.id,
            "owner": after.owner,
            "conversation_id": after.call.conversation,
            "agent_id": after.call.agent,
        }


def row_of(kind: What, at: datetime) -> Row:
    """What concerns everybody."""
    nothing = {"approval_id": "", "owner": "", "conversation_id": "", "agent_id": ""}
    return {"happened_at": kept(at), "kind": kind.value, **nothing}


def write(connection: Connection, rows: Sequence[Row]) -> None:
    """Write events in the transaction that is open."""
    _INSERT.many(connection, rows)


def events_of(connection: Connection, after: str, limit: int) -> Happened:
    """What happened after a cursor; one that is too old, or not of this life, gives a reset."""
    cursor = _read(after)
    found: Sequence[Any] = () if cursor is None else _found(connection, cursor.position, limit)
    # INVARIANT: read after the events: what is swept in between must not look as if it had never been.
    life, swept = _life(connection)
    since = Position() if not after else None if cursor is None or cursor.life != life else cursor.position
    if since is None or since < swept:
        return Happened((), newest_of(connection), reset=True)
    told = list(takewhile(_is_told, found))
    last = Position(*told[-1][:2]) if told else since
    happened = tuple(_event(row, life) for row in told)
    return Happened(happened, str(Cursor(life, last)), soon=len(told) < len(found))


def newest_of(connection: Connection) -> str:
    """The cursor after which everything is that is written from now on."""
    life, swept = _life(connection)
    ((transaction, number),) = _NEWEST[connection.dialect.name].all(connection)
    return str(Cursor(life, max(Position(transaction, number or 0), swept)))


def swept(connection: Connection, moment: Moment, keep: timedelta) -> Edited:
    """Forget what happened longer ago than that."""
    database = connection.dialect.name
    rows = _OLD[database].all(connection, before=kept(moment.at - keep))
    if rows:
        last = Position(*rows[0])
        _SWEEP[database].run(connection, transaction=str(last.transaction), number=last.number)
        _SWEPT.run(connection, swept=f"{last.transaction}.{last.number}")
    return Edited(len(rows))


def forgotten(connection: Connection) -> None:
    """Begin another life: what somebody saw of this database before it was restored says nothing any more."""
    _FORGET.run(connection)
    _NEW_LIFE.run(connection, life=fresh())


def _read(after: str) -> Cursor | None:
    """The cursor that a text is; an empty one is before everything, anything else is none."""
    if not after:
        return Cursor("", Position())
    life, *numbers = after.split(".")
    if len(numbers) != len(Position()) or not all(one.isascii() and one.isdigit() for one in numbers):
        return None
    if max(map(len, numbers)) > _DIGITS:
        return None
    return Cursor(life, Position(*map(int, numbers)))


def _found(connection: Connection, since: Position, limit: int) -> Sequence[Any]:
    statement = _AFTER[connection.dialect.name]
    return statement.all(connection, transaction=str(since.transaction), number=since.number, most=limit)


def _life(connection: Connection) -> tuple[str, Position]:
    ((life, swept),) = _LIFE.all(connection)
    return life, Position(*map(int, swept.split(".")))


def _is_told(row: Sequence[Any]) -> bool:
    """Whether nothing can come before it any more."""
    return bool(row[2])


def _event(row: Sequence[Any], life: str) -> Event:
    transaction, number, _, at, kind, approval, owner, conversation, agent = row
    return Event(
        cursor=str(Cursor(life, Position(transaction, number))),
        at=moment(at),
        kind=What(kind),
        approval=approval,
        owner=owner,
        conversation=conversation,
        agent=agent,
    )


_DIGITS = 18
"""More could not be a number of ours."""
_INSERT = inserting(events)
_COLUMNS = "happened_at, kind, approval_id, owner, conversation_id, agent_id"
_NUMBERED = "CAST(CAST(written_in AS TEXT) AS BIGINT), number"
_HORIZON = "pg_snapshot_xmin(pg_current_snapshot())"
# What a transaction wrote that began before all that still run is told first: its numbers were given
# before it was seen, and a smaller one may still come.
_AFTER = {
    "sqlite": Statement(
        text(
            f"SELECT 0, number, 1, {_COLUMNS} FROM events"  # noqa: S608 - our own words
            " WHERE :transaction <> '' AND number > :number ORDER BY number LIMIT :most"
        )
    ),
    "postgresql": Statement(
        text(
            f"SELECT {_NUMBERED}, written_in < {_HORIZON}, {_COLUMNS} FROM events"  # noqa: S608 - our own words
            " WHERE (written_in, number)"
            " > (CAST(CAST(:transaction AS TEXT) AS xid8), CAST(:number AS BIGINT))"
            " ORDER BY written_in, number LIMIT CAST(:most AS BIGINT)"
        )
    ),
}
_NEWEST = {
    "sqlite": Statement(text("SELECT 0, max(number) FROM events")),
    "postgresql": Statement(text(f"SELECT CAST(CAST({_HORIZON} AS TEXT) AS BIGINT), 0")),
}
_OLD = {
    "sqlite": Statement(
        text("SELECT 0, number FROM events WHERE happened_at <= :before ORDER BY number DESC LIMIT 1")
    ),
    "postgresql": Statement(
        text(
            f"SELECT {_NUMBERED} FROM events"  # noqa: S608 - our own words
            f" WHERE happened_at <= CAST(:before AS BIGINT) AND written_in < {_HORIZON}"
            " ORDER BY written_in DESC, number DESC LIMIT 1"
        )
    ),
}
_SWEEP = {
    "sqlite": Statement(text("DELETE FROM events WHERE :transaction <> '' AND number <= :number")),
    "postgresql": Statement(
        text(
            "DELETE FROM events WHERE (written_in, number)"
            " <= (CAST(CAST(:transaction AS TEXT) AS xid8), CAST(:number AS BIGINT))"
        )
    ),
}
_LIFE = Statement(text("SELECT life, swept FROM policy"))
_SWEPT = Statement(update(policy).values(swept=bindparam("swept")))
_FORGET = Statement(text("DELETE FROM events"))
_NEW_LIFE = Statement(update(policy).values(life=bindparam("life"), swept="0.0"))
