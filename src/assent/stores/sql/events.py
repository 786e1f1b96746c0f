"""Event rows: written with their change, ordered after the commit, read and deleted."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import bindparam, text, update

from assent.gate.approval import Approval
from assent.gate.changes import event_kinds
from assent.gate.events import Event, EventKind, EventPage
from assent.gate.ids import new_id
from assent.gate.policy import Moment
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sql.statement import Connection, Statement, from_micros, insert_rows, to_micros
from assent.stores.sql.tables import events, policy

Row = tuple[object, ...]
_EVENT_COLUMNS = ("happened_at", "kind", "approval_id", "owner", "conversation_id", "agent_id")


class Cursor(NamedTuple):
    """The position of an event; a restore changes `generation`, so that older cursors become invalid."""

    generation: str
    position: int

    def __str__(self) -> str:
        return f"{self.generation}.{self.position}"


def approval_event_rows(before: Approval | None, after: Approval, at: datetime) -> Iterator[Row]:
    """The event rows of a change of an approval."""
    for kind in event_kinds(before, after):
        call = after.call
        yield to_micros(at), kind.value, after.id, after.owner, call.conversation, call.agent


def event_row(kind: EventKind, at: datetime) -> Row:
    """An event row that concerns every user."""
    return to_micros(at), kind.value, "", "", "", ""


def write_events(connection: Connection, rows: Sequence[Row]) -> None:
    """Write events in the open transaction."""
    _INSERT_EVENTS.write(connection, rows)


def read_events(connection: Connection, after: str, limit: int) -> EventPage:
    """The events after a cursor; a cursor that is too old or from before a restore returns a reset."""
    cursor = _parse_cursor(after)
    found: Sequence[Any] = () if cursor is None else _read_page(connection, cursor.position, limit)
    # INVARIANT: the deleted position is read after the events, so that a deletion in between causes a reset.
    generation, swept = _read_generation_and_deleted_position(connection)
    since = 0 if not after else None if cursor is None or cursor.generation != generation else cursor.position
    if since is None or since < swept:
        return EventPage((), newest_cursor(connection), reset=True)
    last = found[-1][0] if found else since
    return EventPage(tuple(_event_from_row(row, generation) for row in found), str(Cursor(generation, last)))


def newest_cursor(connection: Connection) -> str:
    """The cursor after the latest committed event."""
    assign_event_positions(connection)
    generation, swept = _read_generation_and_deleted_position(connection)
    ((last,),) = _LAST_POSITION[connection.dialect.name].fetch(connection)
    return str(Cursor(generation, max(last or 0, swept)))


def assign_event_positions(connection: Connection) -> bool:
    """Assign positions to committed events without one; returns whether there were any.

    SQLite has one writer at a time, so row numbers are positions. PostgreSQL assigns row numbers before the
    commit, so positions are assigned after it: in one statement, under a lock that no client can keep.
    """
    return connection.dialect.name == "postgresql" and bool(_ASSIGN_PLACES.fetch(connection))


def sweep_events(connection: Connection, moment: Moment, keep: timedelta) -> EditResult:
    """Delete events that are older than `keep` and have a position."""
    database = connection.dialect.name
    ((last,),) = _LAST_OLD_POSITION[database].fetch(connection, before=to_micros(moment.at - keep))
    if last is None:
        return EditResult(0)
    _SET_SWEPT.run(connection, swept=f"0.{last}")
    return EditResult(_DELETE_EVENTS[database].run(connection, last=last))


def delete_events_and_invalidate_cursors(connection: Connection) -> None:
    """Delete all events and make all cursors invalid, after a restore of the database."""
    _DELETE_ALL_EVENTS.run(connection)
    _START_LIFE.run(connection, life=new_id())


def _parse_cursor(after: str) -> Cursor | None:
    """Parse a cursor; an empty text means the beginning, and None is returned for an invalid text."""
    if not after:
        return Cursor("", 0)
    generation, _, position = after.partition(".")
    is_number = position.isascii() and position.isdigit() and len(position) <= _MAX_DIGITS
    return Cursor(generation, int(position)) if is_number else None


def _read_page(connection: Connection, since: int, limit: int) -> Sequence[Any]:
    """Read a page of events.

    INVARIANT: it is empty only if all committed events have positions, because the caller then waits.
    """
    statement = _EVENTS_AFTER[connection.dialect.name]
    rows = statement.fetch(connection, after=since, most=limit)
    return (
        statement.fetch(connection, after=since, most=limit)
        if not rows and assign_event_positions(connection)
        else rows
    )


def _read_generation_and_deleted_position(connection: Connection) -> tuple[str, int]:
    ((generation, swept),) = _LIFE.fetch(connection)
    return generation, int(swept.rpartition(".")[2])


def _event_from_row(row: Sequence[Any], generation: str) -> Event:
    position, at, kind, approval, owner, conversation, agent = row
    return Event(
        cursor=str(Cursor(generation, position)),
        at=from_micros(at),
        kind=EventKind(kind),
        approval=approval,
        owner=owner,
        conversation=conversation,
        agent=agent,
    )


def _statements_by_dialect(words: str) -> dict[str, Statement]:
    """The statement for each database, with its name of the position column."""
    return {
        "sqlite": Statement(text(words.format(position="number"))),
        "postgresql": Statement(text(words.format(position="place"))),
    }


_MAX_DIGITS = 18
"""The maximum number of digits of a position; a longer number is no valid cursor."""
_INSERT_EVENTS = insert_rows(events, *_EVENT_COLUMNS)
_EVENTS_AFTER = _statements_by_dialect(
    "SELECT {position}, happened_at, kind, approval_id, owner, conversation_id, agent_id FROM events"
    " WHERE {position} > CAST(:after AS BIGINT) ORDER BY {position} LIMIT CAST(:most AS BIGINT)"
)
_LAST_POSITION = _statements_by_dialect("SELECT max({position}) FROM events")
_LAST_OLD_POSITION = _statements_by_dialect(
    "SELECT max({position}) FROM events WHERE happened_at <= CAST(:before AS BIGINT)"
)
_DELETE_EVENTS = _statements_by_dialect("DELETE FROM events WHERE {position} <= CAST(:last AS BIGINT)")
_ASSIGN_PLACES = Statement(
    text("SELECT place_events() WHERE EXISTS (SELECT 1 FROM events WHERE place IS NULL)")
)
_LIFE = Statement(text("SELECT life, swept FROM policy"))
_SET_SWEPT = Statement(update(policy).values(swept=bindparam("swept")))
_DELETE_ALL_EVENTS = Statement(text("DELETE FROM events"))
_START_LIFE = Statement(update(policy).values(life=bindparam("life"), swept="0.0"))
