"""Events as rows: written with what they tell of, put in an order that never skips, read and swept."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, text, update

from assent.gate.approval import Approval
from assent.gate.events import Event, EventKind, EventPage, event_kinds
from assent.gate.ids import new_id
from assent.gate.store import Moment
from assent.stores.live_tables import events
from assent.stores.policy import Edited
from assent.stores.statements import Statement, inserting
from assent.stores.tables import policy
from assent.stores.times import kept, moment

Row = dict[str, object]


class Cursor(NamedTuple):
    """The place of an event, and the life of the database: a restored one begins another."""

    life: str
    place: int

    def __str__(self) -> str:
        return f"{self.life}.{self.place}"


def rows_of(before: Approval | None, after: Approval, at: datetime) -> Iterator[Row]:
    """What a step of an approval is to those who look on."""
    for kind in event_kinds(before, after):
        yield {
            "happened_at": kept(at),
            "kind": kind.value,
            "approval_id": after.id,
            "owner": after.owner,
            "conversation_id": after.call.conversation,
            "agent_id": after.call.agent,
        }


def row_of(kind: EventKind, at: datetime) -> Row:
    """What concerns everybody."""
    nothing = {"approval_id": "", "owner": "", "conversation_id": "", "agent_id": ""}
    return {"happened_at": kept(at), "kind": kind.value, **nothing}


def write(connection: Connection, rows: Sequence[Row]) -> None:
    """Write events in the transaction that is open."""
    _INSERT.many(connection, rows)


def events_of(connection: Connection, after: str, limit: int) -> EventPage:
    """What happened after a cursor; one that is too old, or not of this life, gives a reset."""
    cursor = _read(after)
    found: Sequence[Any] = () if cursor is None else _found(connection, cursor.place, limit)
    # INVARIANT: read after the events: what is swept in between must not look as if it had never been.
    life, swept = _life(connection)
    since = 0 if not after else None if cursor is None or cursor.life != life else cursor.place
    if since is None or since < swept:
        return EventPage((), newest_of(connection), reset=True)
    last = found[-1][0] if found else since
    return EventPage(tuple(_event(row, life) for row in found), str(Cursor(life, last)))


def newest_of(connection: Connection) -> str:
    """The cursor after which everything is that is committed from now on."""
    place(connection)
    life, swept = _life(connection)
    ((last,),) = _LAST[connection.dialect.name].all(connection)
    return str(Cursor(life, max(last or 0, swept)))


def place(connection: Connection) -> bool:
    """Put every event that is committed behind those that have a place; whether there were any.

    SQLite has one writer at a time, so that numbers are places. PostgreSQL gives a number before a commit,
    so a place is given after it: by one statement, under a lock that no client can hold on to.
    """
    return connection.dialect.name == "postgresql" and bool(_PLACE.all(connection))


def swept(connection: Connection, moment: Moment, keep: timedelta) -> Edited:
    """Forget what happened longer ago than that, as far as it has a place."""
    database = connection.dialect.name
    ((last,),) = _OLD[database].all(connection, before=kept(moment.at - keep))
    if last is None:
        return Edited(0)
    _SWEPT.run(connection, swept=f"0.{last}")
    return Edited(_SWEEP[database].run(connection, last=last))


def forgotten(connection: Connection) -> None:
    """Begin another life: what somebody saw of this database before it was restored says nothing any more."""
    _FORGET.run(connection)
    _NEW_LIFE.run(connection, life=new_id())


def _read(after: str) -> Cursor | None:
    """The cursor that a text is; an empty one is before everything, anything else is none."""
    if not after:
        return Cursor("", 0)
    life, _, place = after.partition(".")
    is_number = place.isascii() and place.isdigit() and len(place) <= _DIGITS
    return Cursor(life, int(place)) if is_number else None


def _found(connection: Connection, since: int, limit: int) -> Sequence[Any]:
    """INVARIANT: nothing is found only when all that is committed has a place: who finds nothing sleeps."""
    statement = _AFTER[connection.dialect.name]
    rows = statement.all(connection, place=since, most=limit)
    return statement.all(connection, place=since, most=limit) if not rows and place(connection) else rows


def _life(connection: Connection) -> tuple[str, int]:
    ((life, swept),) = _LIFE.all(connection)
    return life, int(swept.rpartition(".")[2])


def _event(row: Sequence[Any], life: str) -> Event:
    place, at, kind, approval, owner, conversation, agent = row
    return Event(
        cursor=str(Cursor(life, place)),
        at=moment(at),
        kind=EventKind(kind),
        approval=approval,
        owner=owner,
        conversation=conversation,
        agent=agent,
    )


def _on_each(words: str) -> dict[str, Statement]:
    """A statement of our own words, by the name that each database has for a place."""
    return {
        "sqlite": Statement(text(words.format(place="number"))),
        "postgresql": Statement(text(words.format(place="place"))),
    }


_DIGITS = 18
"""More could not be a number of ours."""
_INSERT = inserting(events)
_AFTER = _on_each(
    "SELECT {place}, happened_at, kind, approval_id, owner, conversation_id, agent_id FROM events"
    " WHERE {place} > CAST(:place AS BIGINT) ORDER BY {place} LIMIT CAST(:most AS BIGINT)"
)
_LAST = _on_each("SELECT max({place}) FROM events")
_OLD = _on_each("SELECT max({place}) FROM events WHERE happened_at <= CAST(:before AS BIGINT)")
_SWEEP = _on_each("DELETE FROM events WHERE {place} <= CAST(:last AS BIGINT)")
_PLACE = Statement(text("SELECT place_events() WHERE EXISTS (SELECT 1 FROM events WHERE place IS NULL)"))
_LIFE = Statement(text("SELECT life, swept FROM policy"))
_SWEPT = Statement(update(policy).values(swept=bindparam("swept")))
_FORGET = Statement(text("DELETE FROM events"))
_NEW_LIFE = Statement(update(policy).values(life=bindparam("life"), swept="0.0"))
