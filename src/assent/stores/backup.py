"""All rows of a store as lines of JSON: a backup that any store in SQL can be restored from."""

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
from assent.gate.approval import restored
from assent.gate.changes import Change, change_entry
from assent.gate.mark import fresh
from assent.stores import migrations as schema
from assent.stores.audit import outbox
from assent.stores.audit.ledger import Ledger
from assent.stores.sql import events
from assent.stores.sql.approval_rows import STATE_COLUMNS, state_to_row
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.policy import read_moment
from assent.stores.sql.statement import Connection, CoreConnection, Statement, update_rows
from assent.stores.sql.tables import approvals, audit_outbox, metadata, policy
from assent.stores.sql.tables import events as events_table

_AT_ONCE = 500
BACKUP_TABLES = [table for table in metadata.sorted_tables if table is not events_table]
"""All but what only one life of a database tells."""


def export_rows(connection: CoreConnection, lines: IO[str]) -> int:
    """Write every row, as of one moment; how many there were."""
    _write(lines, {"assent": schema.read_version(connection).found})
    count = 0
    for table, columns in _there(connection):
        for row in connection.core.execute(select(*columns).order_by(*table.primary_key)).mappings():
            _write(lines, {"table": table.name, "row": dict(row)})
            count += 1
    # The last line says that nothing is missing before it.
    _write(lines, {"rows": count})
    return count


def import_rows(connection: CoreConnection, lines: Iterable[str], source: str) -> int:
    """Read rows into tables that are empty, all or none; how many there were."""
    if any(connection.core.execute(select(table).limit(1)).first() for table in _filled()):
        raise StoreError(f"cannot restore {source}: the database is not empty; name a new one")
    connection.core.execute(delete(policy))
    count = 0
    for table, rows in _grouped(_read(lines, source)):
        connection.core.execute(insert(table), rows)
        count += len(rows)
    while outbox.move_to_audit(connection) == outbox.MOVED_AT_ONCE:
        pass
    if connection.dialect.name == "postgresql":
        _count_on(connection)
    else:
        outbox.continue_numbering(connection)
    begin_new_life(connection)
    return count


def _there(connection: CoreConnection) -> Iterator[tuple[Table, list[Column[Any]]]]:
    """The tables and columns that there are: an earlier step of the schema has fewer."""
    found = inspect(connection.core)
    for table in BACKUP_TABLES:
        if found.has_table(table.name):
            names = {column["name"] for column in found.get_columns(table.name)}
            yield table, [column for column in table.columns if column.name in names]


def _filled() -> list[Table]:
    """The tables that hold something only when somebody used the store."""
    return [table for table in BACKUP_TABLES if table.name not in ("policy", "processes")]


def _read(lines: Iterable[str], source: str) -> Iterator[tuple[Table, dict[str, Any]]]:
    expected: int | None = None
    count = 0
    for line in lines:
        said = _object(line, source)
        if "assent" in said:
            _check(schema.SchemaVersion(str(said["assent"])), source)
        elif "rows" in said:
            expected = said["rows"]
        else:
            count += 1
            yield _row(said, source)
    if expected != count:
        raise StoreError(f"cannot restore {source}: it is cut off; use another backup")


def _check(found: schema.SchemaVersion, source: str) -> None:
    """Refuse lines of another kind of schema; those of an earlier step only have less."""
    if not found.is_earlier_step:
        schema.check_version(found, source)


def _row(said: dict[str, Any], source: str) -> tuple[Table, dict[str, Any]]:
    table = metadata.tables.get(str(said.get("table")))
    if table is None:
        raise StoreError(f"cannot restore {source}: it names a table that is none of ours")
    known = {column.name for column in table.columns}
    return table, {name: value for name, value in said["row"].items() if name in known}


def _object(line: str, source: str) -> dict[str, Any]:
    try:
        said: object = json.loads(line)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise StoreError(f"cannot restore {source}: it is no backup, or a damaged one")
    return cast("dict[str, Any]", said)


def _grouped(rows: Iterable[tuple[Table, dict[str, Any]]]) -> Iterator[tuple[Table, list[dict[str, Any]]]]:
    """Rows of one table together, as many as go well at once."""
    group: list[dict[str, Any]] = []
    of: Table | None = None
    for table, row in rows:
        if of is not None and (table is not of or len(group) >= _AT_ONCE):
            yield of, group
            group = []
        of = table
        group.append(row)
    if of is not None and group:
        yield of, group


def _count_on(connection: CoreConnection) -> None:
    """Let PostgreSQL's counters go on behind the highest number there is."""
    for table in BACKUP_TABLES:
        number: Column[int] | None = table.columns.get("number")
        # What was in the outbox is in the audit by now, whose counter both of them have.
        if number is not None and table is not audit_outbox:
            highest = connection.core.execute(select(func.max(number))).scalar()
            if highest is not None:
                # A counter is named after its table and column; both are our own words.
                connection.core.execute(text(f"SELECT setval('{table.name}_number_seq', :n)"), {"n": highest})


def _write(lines: IO[str], value: object) -> None:
    lines.write(json.dumps(value, separators=(",", ":")) + "\n")


def detect_restore(connection: Connection) -> int | None:
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
    ended = begin_new_life(connection) if known is not None else None
    _SETTLE.run(connection, home=here)
    return ended


def begin_new_life(connection: Connection) -> int:
    """Let nothing run that was approved before the backup; how many approvals that ended.

    What became of them after the backup was made nobody here can know.
    """
    open_ones = [row[0] for row in _OPEN.fetch(connection)]
    found = ApprovalReader().read(connection, open_ones) if open_ones else {}
    _MOVE.run_many(connection, [state_to_row(restored(one)) for one in found.values()])
    events.start_new_life(connection)
    _SETTLE.run(connection, home=None)
    _record(connection, len(found))
    return len(found)


def _record(connection: Connection, ended: int) -> None:
    """Say so in the audit, in a chain of its own."""
    about = f"{ended} approval(s) that were approved or running became unknown"
    at = read_moment(connection, _host_time if connection.dialect.name == "sqlite" else None).at
    ledger = Ledger(fresh())
    ledger.write(connection, at, [change_entry("", Change.DATABASE_RESTORED, about)])
    ledger.mark_committed()
    ledger.close_chain(connection)


def _host_time() -> datetime:
    return datetime.now(UTC)


def _here(connection: Connection) -> str:
    """The mark of this server and database; tables that were dropped and restored in place have another."""
    ((is_allowed, database, table),) = _DATABASE.fetch(connection)
    cluster = _CLUSTER.fetch(connection)[0][0] if is_allowed else ""
    return f"{cluster}.{database}.{table}"


def _home(connection: Connection, statement: Statement) -> str | None:
    ((home,),) = statement.fetch(connection)
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
_MOVE = update_rows(approvals, "id", *(column.name for column in STATE_COLUMNS[1:-1]))
