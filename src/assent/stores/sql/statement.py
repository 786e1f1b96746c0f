"""Statements compiled once for each dialect, their connections, stored times, and the current moment."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any, Protocol, cast

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Dialect,
    Integer,
    Table,
    Text,
    bindparam,
    select,
)
from sqlalchemy import Connection as SqlAlchemyConnection
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ClauseElement
from sqlalchemy.types import TypeEngine

from assent.gate.policy import Moment
from assent.stores.sql.tables import policy

Values = Mapping[str, object]
_POSTGRES_TYPES: dict[type[TypeEngine[Any]], str] = {
    Text: "TEXT",
    BigInteger: "BIGINT",
    Integer: "INTEGER",
    Boolean: "BOOLEAN",
}
"""The names of our column types in PostgreSQL."""


@dataclass(frozen=True, slots=True)
class _CompiledStatement:
    """The SQL text for one dialect, and the order of its parameters."""

    text: str
    constants: Values
    ordered: Callable[[Values], tuple[object, ...]]

    def parameters(self, values: Values) -> tuple[object, ...]:
        return self.ordered({**self.constants, **values})


class Connection(Protocol):
    """The operations of a database driver that statements use; each store implements them."""

    @property
    def dialect(self) -> Dialect:
        """The SQL dialect in which statements are compiled."""
        ...

    def fetch(self, text: str, values: Sequence[object]) -> Sequence[Any]:
        """Run a statement and return its rows."""
        ...

    def run(self, text: str, values: Sequence[object]) -> int:
        """Run a statement and return the number of rows it changed."""
        ...

    def run_many(self, text: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement once for each row of values."""
        ...


class CoreConnection:
    """The driver's cursor below a SQLAlchemy connection: for migrations and maintenance, not for a store."""

    def __init__(self, core: SqlAlchemyConnection) -> None:
        self.core = core

    @property
    def dialect(self) -> Dialect:
        """The SQL dialect in which statements are compiled."""
        return self.core.dialect

    def fetch(self, text: str, values: Sequence[object]) -> Sequence[Any]:
        """Run a statement and return its rows."""
        with self._cursor() as cursor:
            cursor.execute(text, tuple(values))
            return cursor.fetchall()

    def run(self, text: str, values: Sequence[object]) -> int:
        """Run a statement and return the number of rows it changed."""
        with self._cursor() as cursor:
            cursor.execute(text, tuple(values))
            return cursor.rowcount

    def run_many(self, text: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement once for each row of values."""
        with self._cursor() as cursor:
            cursor.executemany(text, [tuple(row) for row in rows])

    def _cursor(self) -> closing[DBAPICursor]:
        return closing(self.core.connection.cursor())


class Statement:
    """A statement compiled once for each dialect, and executed by the driver.

    Parameters are passed by name and never become part of the text; results are plain rows.
    """

    def __init__(self, clause: ClauseElement) -> None:
        self._clause = clause
        self._compile_clause: dict[str, _CompiledStatement] = {}

    def fetch(self, connection: Connection, **values: object) -> Sequence[Any]:
        """Execute the statement and return its rows."""
        form = self._compile(connection)
        return connection.fetch(form.text, form.parameters(values))

    def run(self, connection: Connection, **values: object) -> int:
        """Execute the statement and return the number of rows that it changed."""
        form = self._compile(connection)
        return connection.run(form.text, form.parameters(values))

    def run_many(self, connection: Connection, rows: Sequence[Values]) -> None:
        """Execute the statement once for each of these rows."""
        if rows:
            form = self._compile(connection)
            connection.run_many(form.text, [form.parameters(row) for row in rows])

    def _compile(self, connection: Connection) -> _CompiledStatement:
        form = self._compile_clause.get(connection.dialect.name)
        if form is None:
            form = self._compile_clause[connection.dialect.name] = _compile_clause(self._clause, connection)
        return form


class RowsStatement:
    """A statement that writes many rows; PostgreSQL gets them in one round trip, as one array per column.

    INVARIANT: its texts contain only names of our own tables and columns.
    """

    def __init__(self, one: str, all_: str, columns: Sequence[Column[Any]]) -> None:
        """`one` writes a row with `{}` for each value; `all_` writes `{rows}`."""
        self.columns = tuple(column.name for column in columns)
        """The columns of a row, in its order."""
        kinds = [_POSTGRES_TYPES[type(column.type)] for column in columns]
        arrays = ", ".join(f"CAST(${index} AS {kind}[])" for index, kind in enumerate(kinds, 1))
        self._all = all_.format(rows=f"unnest({arrays}) AS r ({', '.join(self.columns)})")
        self._one = {
            "sqlite": one.format(*["?"] * len(columns)),
            "postgresql": one.format(*(f"${index}" for index in range(1, len(columns) + 1))),
        }
        self._ordered = _values_getter(self.columns)

    def write(self, connection: Connection, rows: Sequence[Sequence[object]]) -> None:
        """Write these rows, whose values are in the order of `columns`."""
        if not rows:
            return
        name = connection.dialect.name
        if name == "postgresql" and len(rows) > 1:
            connection.run(self._all, [list(column) for column in zip(*rows, strict=True)])
        else:
            connection.run_many(self._one[name], rows)

    def run(self, connection: Connection, **values: object) -> int:
        """Write one row and return the number of rows that changed."""
        return connection.run(self._one[connection.dialect.name], self._ordered(values))

    def run_many(self, connection: Connection, rows: Sequence[Values]) -> None:
        """Write these rows, whose values have the names of the columns."""
        self.write(connection, [self._ordered(row) for row in rows])


def insert_rows(table: Table, *columns: str) -> RowsStatement:
    """Insert rows with these or all columns; a row that exists already is an error."""
    return _insert_statement(table, "", columns)


def upsert_rows(table: Table, *keys: str, keep: bool = False, columns: Sequence[str] = ()) -> RowsStatement:
    """Insert rows with these or all columns; a row with the same keys is overwritten, or kept with `keep`.

    Without keys, a row that violates any unique constraint is not inserted.

    Both databases have the same syntax for this, but SQLAlchemy has no common construct.
    """
    names = columns or [column.name for column in _columns_to_write(table)]
    changes = ", ".join(f"{name} = excluded.{name}" for name in names if name not in keys)
    action = "DO NOTHING" if keep or not keys else f"DO UPDATE SET {changes}"
    target = f" ({', '.join(keys)})" if keys else ""
    return _insert_statement(table, f" ON CONFLICT{target} {action}", columns)


def update_rows(table: Table, key: str, *columns: str) -> RowsStatement:
    """Update these columns of the rows with that key, which is the last value of a row."""
    ones = ", ".join(f"{name} = {{}}" for name in columns)
    alls = ", ".join(f"{name} = r.{name}" for name in columns)
    one = f"UPDATE {table.name} SET {ones} WHERE {key} = {{}}"  # noqa: S608
    all_ = f"UPDATE {table.name} SET {alls} FROM {{rows}} WHERE {table.name}.{key} = r.{key}"  # noqa: S608
    return RowsStatement(one, all_, [table.columns[name] for name in (*columns, key)])


class _InJsonList(ColumnElement[bool]):
    """An SQL condition: the column's value is in a list, which is passed as one JSON parameter."""

    inherit_cache = False

    def __init__(self, column: ColumnElement[str], name: str) -> None:
        self.column = column
        self.items = bindparam(name, type_=Text())


def in_json_list(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    """The SQL condition that the column's value is in the JSON list of this parameter."""
    return _InJsonList(column, name)


@compiles(_InJsonList, "sqlite")
def _in_json_list_sqlite(element: _InJsonList, compiler: SQLCompiler, **options: Any) -> str:
    column, items = compiler.process(element.column, **options), compiler.process(element.items, **options)
    return f"{column} IN (SELECT value FROM json_each({items}))"  # noqa: S608 - the words come from the compiler


@compiles(_InJsonList, "postgresql")
def _in_json_list_postgresql(element: _InJsonList, compiler: SQLCompiler, **options: Any) -> str:
    column, items = compiler.process(element.column, **options), compiler.process(element.items, **options)
    # PostgreSQL uses the index for an array; for a join of unknown size it might scan the whole table.
    return f"{column} = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST({items} AS jsonb))))"


class ServerTime(ColumnElement[int]):
    """The database server's time in microseconds; NULL in SQLite, which has no server."""

    inherit_cache = True
    type = BigInteger()


@compiles(ServerTime, "sqlite")
def _now_sqlite(element: ServerTime, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ARG001
    return "NULL"


@compiles(ServerTime, "postgresql")
def _now_postgresql(element: ServerTime, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ARG001
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)"


Clock = Callable[[], datetime]
"""Returns the current time in UTC."""
MAX_SKEW = timedelta(days=60)
"""A timestamp further in the future than this came from a wrong clock and is ignored."""


class HostClock:
    """A clock that starts at the host's time, or at the newest stored timestamp if that is later."""

    def __init__(self, newest: datetime | None = None) -> None:
        now = datetime.now(UTC)
        is_believed = newest is not None and newest <= now + MAX_SKEW
        self._start = max(now, newest) if newest is not None and is_believed else now
        self._started = time.monotonic()

    def __call__(self) -> datetime:
        """The current time; later changes of the host's clock have no effect."""
        return self._start + timedelta(seconds=time.monotonic() - self._started)


class MonotonicClock:
    """A clock that never goes back, whatever the clock below it does."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest = clock()

    def __call__(self) -> datetime:
        """The clock's time, or the last returned time if that is later."""
        self._latest = max(self._latest, self._clock())
        return self._latest


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(moment: datetime) -> int:
    """A moment as microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(number: int) -> datetime:
    """The moment of a number of microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=number)


def to_micros_or_none(moment: datetime | None) -> int | None:
    """A moment as microseconds, or None."""
    return None if moment is None else to_micros(moment)


def from_micros_or_none(number: int | None) -> datetime | None:
    """The moment of a number of microseconds, or None."""
    return None if number is None else from_micros(number)


def span_to_micros(span: timedelta) -> int:
    """A duration in microseconds."""
    return span // _MICROSECOND


def span_from_micros(number: int) -> timedelta:
    """The duration of a number of microseconds."""
    return timedelta(microseconds=number)


_MOMENT = Statement(select(policy.c.version, ServerTime(), policy.c.paused_at))


def read_moment(connection: Connection, clock: Clock | None) -> Moment:
    """Read the policy version and the time; without a clock, the time of the database server."""
    ((version, at, paused_at),) = _MOMENT.fetch(connection)
    return Moment(from_micros(at) if clock is None else clock(), version, paused_at is not None)


def _compile_clause(clause: ClauseElement, connection: Connection) -> _CompiledStatement:
    compiled = cast("SQLCompiler", clause.compile(dialect=connection.dialect))
    names = compiled.positiontup or []
    constants = {name: value for name, value in compiled.params.items() if value is not None}
    return _CompiledStatement(str(compiled), constants, _values_getter(names))


def _values_getter(names: Sequence[str]) -> Callable[[Values], tuple[object, ...]]:
    """A function that returns named values as a tuple; `itemgetter` needs at least two names for that."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda values: tuple(values[name] for name in names)


def _column_names(columns: Sequence[Column[Any]]) -> str:
    return ", ".join(column.name for column in columns)


def _insert_statement(table: Table, ending: str, names: Sequence[str]) -> RowsStatement:
    columns = [table.columns[name] for name in names] or _columns_to_write(table)
    into = f"INSERT INTO {table.name} ({_column_names(columns)})"
    values = ", ".join("{}" for _ in columns)
    every = f"{into} SELECT * FROM {{rows}}{ending}"  # noqa: S608
    return RowsStatement(f"{into} VALUES ({values}){ending}", every, columns)


def _columns_to_write(table: Table) -> list[Column[Any]]:
    """All columns except the row number, which the database assigns."""
    return [column for column in table.columns if column.autoincrement is not True]
