"""All rows of a store as lines of JSON: a backup that any store in SQL can be restored from."""

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any, cast

from sqlalchemy import Column, Connection, Table, delete, func, insert, inspect, select, text

from assent.errors import StoreError
from assent.stores import outbox, schema
from assent.stores.live_tables import events as events_table
from assent.stores.tables import audit_outbox, metadata, policy

_AT_ONCE = 500
TABLES = [table for table in metadata.sorted_tables if table is not events_table]
"""All but what only one life of a database tells."""


def copy_out(connection: Connection, lines: IO[str]) -> int:
    """Write every row, as of one moment; how many there were."""
    _write(lines, {"assent": schema.standing(connection).found})
    count = 0
    for table, columns in _there(connection):
        for row in connection.execute(select(*columns).order_by(*table.primary_key)).mappings():
            _write(lines, {"table": table.name, "row": dict(row)})
            count += 1
    # The last line says that nothing is missing before it.
    _write(lines, {"rows": count})
    return count


def copy_in(connection: Connection, lines: Iterable[str], source: str) -> int:
    """Read rows into tables that are empty, all or none; how many there were."""
    if any(connection.execute(select(table).limit(1)).first() for table in _filled()):
        raise StoreError(f"cannot restore {source}: the database is not empty; name a new one")
    connection.execute(delete(policy))
    count = 0
    for table, rows in _grouped(_read(lines, source)):
        connection.execute(insert(table), rows)
        count += len(rows)
    while outbox.move(connection) == outbox.AT_ONCE:
        pass
    if connection.dialect.name == "postgresql":
        _count_on(connection)
    else:
        outbox.follow_audit(connection)
    begin_anew(connection)
    return count


def _there(connection: Connection) -> Iterator[tuple[Table, list[Column[Any]]]]:
    """The tables and columns that there are: an earlier step of the schema has fewer."""
    found = inspect(connection)
    for table in TABLES:
        if found.has_table(table.name):
            names = {column["name"] for column in found.get_columns(table.name)}
            yield table, [column for column in table.columns if column.name in names]


def _filled() -> list[Table]:
    """The tables that hold something only when somebody used the store."""
    return [table for table in TABLES if table.name not in ("policy", "processes")]


def _read(lines: Iterable[str], source: str) -> Iterator[tuple[Table, dict[str, Any]]]:
    expected: int | None = None
    count = 0
    for line in lines:
        said = _object(line, source)
        if "assent" in said:
            _check(schema.Standing(str(said["assent"])), source)
        elif "rows" in said:
            expected = said["rows"]
        else:
            count += 1
            yield _row(said, source)
    if expected != count:
        raise StoreError(f"cannot restore {source}: it is cut off; use another backup")


def _check(found: schema.Standing, source: str) -> None:
    """Refuse lines of another kind of schema; those of an earlier step only have less."""
    if not found.is_earlier_step:
        schema.check(found, source)


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


def _count_on(connection: Connection) -> None:
    """Let PostgreSQL's counters go on behind the highest number there is."""
    for table in TABLES:
        number: Column[int] | None = table.columns.get("number")
        # What was in the outbox is in the audit by now, whose counter both of them have.
        if number is not None and table is not audit_outbox:
            highest = connection.execute(select(func.max(number))).scalar()
            if highest is not None:
                # A counter is named after its table and column; both are our own words.
                connection.execute(text(f"SELECT setval('{table.name}_number_seq', :n)"), {"n": highest})


def _write(lines: IO[str], value: object) -> None:
    lines.write(json.dumps(value, separators=(",", ":")) + "\n")
