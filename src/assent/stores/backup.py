"""Backups as lines of JSON, and the detection of a restored database."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import IO, Any, cast

from sqlalchemy import (
    Column,
    Table,
    bindparam,
    delete,
    func,
    insert,
    inspect,
    literal_column,
    select,
    text,
    update,
)

from assent.errors import StoreError
from assent.gate.approval import approval_after_restore
from assent.gate.changes import ChangeKind, change_entry
from assent.gate.ids import new_id
from assent.stores import migrations as schema
from assent.stores.audit import outbox
from assent.stores.audit.ledger import Ledger
from assent.stores.sql import events
from assent.stores.sql.approval_rows import UPDATE_STATES, state_to_row
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.statement import Connection, CoreConnection, Statement, read_moment
from assent.stores.sql.tables import approvals, audit_outbox, metadata, policy
from assent.stores.sql.tables import events as events_table

_ROWS_PER_INSERT = 500
BACKUP_TABLES = [table for table in metadata.sorted_tables if table is not events_table]
"""All tables except the events, which are invalid after a restore."""


def export_rows(connection: CoreConnection, lines: IO[str]) -> int:
    """Write every row as a line of JSON, as of one moment; returns the number of rows."""
    _write_line(lines, {"assent": schema.read_version(connection).found})
    count = 0
    for table, columns in _existing_tables(connection):
        for row in connection.core.execute(select(*columns).order_by(*table.primary_key)).mappings():
            _write_line(lines, {"table": table.name, "row": dict(row)})
            count += 1
    # The last line proves that the backup is complete.
    _write_line(lines, {"rows": count})
    return count


def import_rows(connection: CoreConnection, lines: Iterable[str], source: str) -> int:
    """Insert all rows into empty tables, or none; returns the number of rows."""
    if any(connection.core.execute(select(table).limit(1)).first() for table in _tables_to_fill()):
        raise StoreError(f"cannot restore {source}: the database is not empty; name a new one")
    connection.core.execute(delete(policy))
    count = 0
    for table, rows in _group_rows(_read_rows(lines, source)):
        connection.core.execute(insert(table), rows)
        count += len(rows)
    while outbox.move_to_audit(connection) == outbox.MAX_MOVED_ROWS:
        pass
    if connection.dialect.name == "postgresql":
        _continue_sequences(connection)
    else:
        outbox.continue_numbering(connection)
    reset_after_restore(connection)
    return count


def detect_restore(connection: Connection) -> int | None:
    """Detect by a stored mark of the server and database whether the database was restored.

    Returns the number of approvals that became `unknown` by the restore, or None if there was none.
    """
    here = _current_database_mark(connection)
    if _read_mark(connection, _HOME) == here:
        return None
    # If two processes start at once, the second one finds the mark already set.
    known = _read_mark(connection, _LOCK_HOME)
    if known == here:
        return None
    ended = reset_after_restore(connection) if known is not None else None
    _SET_HOME.run(connection, home=here)
    return ended


def reset_after_restore(connection: Connection) -> int:
    """Set all approvals that could still run to `unknown` after a restore; returns their number.

    Also makes the cursors of events from before the restore invalid, and records the restore in the audit.
    """
    open_ones = [row[0] for row in _OPEN_APPROVALS.fetch(connection)]
    found = ApprovalReader().read_approvals(connection, open_ones) if open_ones else {}
    UPDATE_STATES.write(connection, [state_to_row(approval_after_restore(one)) for one in found.values()])
    events.delete_events_and_invalidate_cursors(connection)
    _SET_HOME.run(connection, home=None)
    _record_restore(connection, len(found))
    return len(found)


def _write_line(lines: IO[str], value: object) -> None:
    lines.write(json.dumps(value, separators=(",", ":")) + "\n")


def _existing_tables(connection: CoreConnection) -> Iterator[tuple[Table, list[Column[Any]]]]:
    """The tables and columns of this database; an earlier schema has fewer of them."""
    found = inspect(connection.core)
    for table in BACKUP_TABLES:
        if found.has_table(table.name):
            names = {column["name"] for column in found.get_columns(table.name)}
            yield table, [column for column in table.columns if column.name in names]


def _tables_to_fill() -> list[Table]:
    """The tables that are empty in an unused store."""
    return [table for table in BACKUP_TABLES if table.name not in ("policy", "processes")]


def _group_rows(rows: Iterable[tuple[Table, dict[str, Any]]]) -> Iterator[tuple[Table, list[dict[str, Any]]]]:
    """Rows of one table, in groups that are inserted together."""
    group: list[dict[str, Any]] = []
    of: Table | None = None
    for table, row in rows:
        if of is not None and (table is not of or len(group) >= _ROWS_PER_INSERT):
            yield of, group
            group = []
        of = table
        group.append(row)
    if of is not None and group:
        yield of, group


def _read_rows(lines: Iterable[str], source: str) -> Iterator[tuple[Table, dict[str, Any]]]:
    expected: int | None = None
    count = 0
    for line in lines:
        data = _parse_line(line, source)
        if "assent" in data:
            _check_schema(schema.SchemaVersion(str(data["assent"])), source)
        elif "rows" in data:
            expected = data["rows"]
        else:
            count += 1
            yield _parse_row(data, source)
    if expected != count:
        raise StoreError(f"cannot restore {source}: it is incomplete; use another backup")


def _parse_line(line: str, source: str) -> dict[str, Any]:
    try:
        data: object = json.loads(line)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise StoreError(f"cannot restore {source}: it is not a backup, or it is damaged")
    return cast("dict[str, Any]", data)


def _check_schema(found: schema.SchemaVersion, source: str) -> None:
    """Raise an error for a backup of an incompatible schema; an earlier compatible one is accepted."""
    if not found.is_earlier_step:
        schema.check_version(found, source)


def _parse_row(data: dict[str, Any], source: str) -> tuple[Table, dict[str, Any]]:
    table = metadata.tables.get(str(data.get("table")))
    if table is None:
        raise StoreError(f"cannot restore {source}: it names an unknown table")
    known = {column.name for column in table.columns}
    return table, {name: value for name, value in data["row"].items() if name in known}


def _continue_sequences(connection: CoreConnection) -> None:
    """Set PostgreSQL's sequences to the highest row numbers."""
    for table in BACKUP_TABLES:
        number: Column[int] | None = table.columns.get("number")
        # The rows of the outbox were moved to the audit, which shares its sequence.
        if number is not None and table is not audit_outbox:
            highest = connection.core.execute(select(func.max(number))).scalar()
            if highest is not None:
                # A sequence is named after its table and column, which are constants of ours.
                connection.core.execute(text(f"SELECT setval('{table.name}_number_seq', :n)"), {"n": highest})


def _current_database_mark(connection: Connection) -> str:
    """The mark of this server, database and table; dropped and restored tables have another mark."""
    ((is_allowed, database, table),) = _DATABASE_IDS.fetch(connection)
    cluster = _CLUSTER_ID.fetch(connection)[0][0] if is_allowed else ""
    return f"{cluster}.{database}.{table}"


def _read_mark(connection: Connection, statement: Statement) -> str | None:
    ((home,),) = statement.fetch(connection)
    return None if home is None else str(home)


def _record_restore(connection: Connection, ended: int) -> None:
    """Record the restore in the audit, in a chain of its own."""
    about = f"{ended} approval(s) that were approved or running became unknown"
    at = read_moment(connection, _host_time if connection.dialect.name == "sqlite" else None).at
    ledger = Ledger(new_id())
    ledger.write(connection, at, [change_entry("", ChangeKind.DATABASE_RESTORED, about)])
    ledger.mark_committed()
    ledger.close_chain(connection)


def _host_time() -> datetime:
    return datetime.now(UTC)


_HOME = Statement(select(policy.c.home))
_LOCK_HOME = Statement(select(policy.c.home).with_for_update())
_SET_HOME = Statement(update(policy).values(home=bindparam("home", type_=policy.c.home.type)))
_DATABASE_IDS = Statement(
    text(
        "SELECT has_function_privilege('pg_control_system()', 'execute'),"
        " (SELECT CAST(oid AS TEXT) FROM pg_database WHERE datname = current_database()),"
        " CAST(CAST('policy' AS regclass)::oid AS TEXT)"
    )
)
_CLUSTER_ID = Statement(text("SELECT CAST(system_identifier AS TEXT) FROM pg_control_system()"))
# Locked in one order, so that two transactions never deadlock.
_OPEN_APPROVALS = Statement(
    select(approvals.c.id)
    .where(
        approvals.c.state.in_([literal_column("'approved'"), literal_column("'running'")]),
        approvals.c.closed_at.is_(None),
    )
    .order_by(approvals.c.id)
    .with_for_update()
)
