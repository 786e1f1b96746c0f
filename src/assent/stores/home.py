"""Where a database is at home: one that finds itself elsewhere was restored, and begins another life."""

from datetime import UTC, datetime

from sqlalchemy import Connection, bindparam, literal_column, select, text, update

from assent.gate.approval import to_restored
from assent.gate.changes import ChangeKind, change_entry
from assent.gate.ids import new_id
from assent.stores import events
from assent.stores.ledger import Ledger
from assent.stores.queries import moment_of
from assent.stores.questions import Questions
from assent.stores.rows import MOVED, moved_row
from assent.stores.statements import Statement, updating
from assent.stores.tables import approvals, policy


def settle(connection: Connection) -> int | None:
    """Know the server and the database that this is; how many approvals became `unknown`, if it was restored.

    A dump holds the mark of the database that it was made of, which no other database has.
    """
    here = _here(connection)
    if _home(connection, _HOME) == here:
        return None
    # Two that start at the same moment: the second one finds it done.
    known = _home(connection, _HOME_HELD)
    if known == here:
        return None
    ended = begin_anew(connection) if known is not None else None
    _SETTLE.run(connection, home=here)
    return ended


def begin_anew(connection: Connection) -> int:
    """Let nothing run that was approved before the backup; how many approvals that ended.

    What became of them after the backup was made nobody here can know.
    """
    open_ones = [row[0] for row in _OPEN.all(connection)]
    found = Questions().found(connection, open_ones) if open_ones else {}
    _MOVE.many(connection, [moved_row(to_restored(one)) for one in found.values()])
    events.forgotten(connection)
    _SETTLE.run(connection, home=None)
    _record(connection, len(found))
    return len(found)


def _record(connection: Connection, ended: int) -> None:
    """Say so in the audit, in a chain of its own."""
    about = f"{ended} approval(s) that were approved or running became unknown"
    at = moment_of(connection, _host_time if connection.dialect.name == "sqlite" else None).at
    ledger = Ledger(new_id())
    ledger.write(connection, at, [change_entry("", ChangeKind.DATABASE_RESTORED, about)])
    ledger.written()
    ledger.close(connection)


def _host_time() -> datetime:
    return datetime.now(UTC)


def _here(connection: Connection) -> str:
    """The mark of this server and database; tables that were dropped and restored in place have another."""
    ((is_allowed, database, table),) = _DATABASE.all(connection)
    cluster = _CLUSTER.all(connection)[0][0] if is_allowed else ""
    return f"{cluster}.{database}.{table}"


def _home(connection: Connection, statement: Statement) -> str | None:
    ((home,),) = statement.all(connection)
    return None if home is None else str(home)


_HOME = Statement(select(policy.c.home))
_HOME_HELD = Statement(select(policy.c.home).with_for_update())
_SETTLE = Statement(update(policy).values(home=bindparam("home", type_=policy.c.home.type)))
_DATABASE = Statement(
    text(
        "SELECT has_function_privilege('pg_control_system()', 'execute'),"
        " (SELECT CAST(oid AS TEXT) FROM pg_database WHERE datname = current_database()),"
        " CAST(CAST('policy' AS regclass)::oid AS TEXT)"
    )
)
_CLUSTER = Statement(text("SELECT CAST(system_identifier AS TEXT) FROM pg_control_system()"))
# In one order, so that two who hold several never wait for each other.
_OPEN = Statement(
    select(approvals.c.id)
    .where(
        approvals.c.state.in_([literal_column("'approved'"), literal_column("'running'")]),
        approvals.c.closed_at.is_(None),
    )
    .order_by(approvals.c.id)
    .with_for_update()
)
_MOVE = updating(approvals, "id", *(column.name for column in MOVED[1:-1]))
