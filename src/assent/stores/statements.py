"""A statement that is compiled once for each kind of database, and what the two spell differently."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, cast

from sqlalchemy import BigInteger, ColumnElement, Connection, Table, Text, bindparam, text
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ClauseElement

Values = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Form:
    """What one database is handed: a text, and how its parameters come in their order."""

    text: str
    constants: Values
    ordered: Callable[[Values], tuple[object, ...]]

    def parameters(self, values: Values) -> tuple[object, ...]:
        return self.ordered({**self.constants, **values})


class Statement:
    """Parameters go in by name, never into the text; what comes back is plain rows.

    It runs on the driver's own cursor: SQLAlchemy says how it is spelled, once, and holds the transaction.
    """

    def __init__(self, clause: ClauseElement) -> None:
        self._clause = clause
        self._forms: dict[str, _Form] = {}

    def all(self, connection: Connection, **values: object) -> Sequence[Any]:
        """The rows that it finds."""
        with _run(connection) as cursor:
            form = self._form(connection)
            cursor.execute(form.text, form.parameters(values))
            return cursor.fetchall()

    def run(self, connection: Connection, **values: object) -> int:
        """Do it once; how many rows it touched."""
        with _run(connection) as cursor:
            form = self._form(connection)
            cursor.execute(form.text, form.parameters(values))
            return cursor.rowcount

    def many(self, connection: Connection, rows: Sequence[Values]) -> None:
        """Do it for each of these rows, in one go."""
        if rows:
            with _run(connection) as cursor:
                form = self._form(connection)
                cursor.executemany(form.text, [form.parameters(row) for row in rows])

    def _form(self, connection: Connection) -> _Form:
        form = self._forms.get(connection.dialect.name)
        if form is None:
            form = self._forms[connection.dialect.name] = _compiled(self._clause, connection)
        return form


def _run(connection: Connection) -> closing[DBAPICursor]:
    return closing(connection.connection.cursor())


def inserting(table: Table) -> Statement:
    """Insert rows by all their columns' names; a row that is there already is an error."""
    return Statement(text(_insert(table)))


def upserting(table: Table, *keys: str, keep: bool = False) -> Statement:
    """Insert rows by all their columns' names; one with the same keys is overwritten, or kept.

    Both databases spell this alike, but SQLAlchemy has no common word for it.
    """
    changes = ", ".join(f"{name} = excluded.{name}" for name in _columns(table) if name not in keys)
    action = "DO NOTHING" if keep else f"DO UPDATE SET {changes}"
    return Statement(text(f"{_insert(table)} ON CONFLICT ({', '.join(keys)}) {action}"))


def updating(table: Table, key: str, *columns: str) -> Statement:
    """Write these columns of the row with that key."""
    changes = ", ".join(f"{name} = :{name}" for name in columns)
    return Statement(text(f"UPDATE {table.name} SET {changes} WHERE {key} = :{key}"))  # noqa: S608


def _insert(table: Table) -> str:
    names = _columns(table)
    values = ", ".join(f":{name}" for name in names)
    # Every word of this text is a name of our own tables.
    return f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({values})"  # noqa: S608


def _columns(table: Table) -> list[str]:
    """All but the number that the database gives."""
    return [column.name for column in table.columns if column.autoincrement is not True]


class _Listed(ColumnElement[bool]):
    """Whether a column is one of a list that comes as JSON text: one parameter, however long it is."""

    inherit_cache = False

    def __init__(self, column: ColumnElement[str], name: str) -> None:
        self.column = column
        self.items = bindparam(name, type_=Text())


def listed(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    """Whether the column is in the JSON list of that parameter."""
    return _Listed(column, name)


@compiles(_Listed, "sqlite")
def _listed_sqlite(element: _Listed, compiler: SQLCompiler, **options: Any) -> str:
    column, items = compiler.process(element.column, **options), compiler.process(element.items, **options)
    return f"{column} IN (SELECT value FROM json_each({items}))"  # noqa: S608 - the words come from the compiler


@compiles(_Listed, "postgresql")
def _listed_postgresql(element: _Listed, compiler: SQLCompiler, **options: Any) -> str:
    column, items = compiler.process(element.column, **options), compiler.process(element.items, **options)
    # An array is looked up in the index; a joined set of unknown size might make it read the whole table.
    return f"{column} = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST({items} AS jsonb))))"


class Now(ColumnElement[int]):
    """The database's own time, as the tables keep it; an embedded database has none of its own."""

    inherit_cache = True
    type = BigInteger()


@compiles(Now, "sqlite")
def _now_sqlite(element: Now, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ARG001
    return "NULL"


@compiles(Now, "postgresql")
def _now_postgresql(element: Now, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ARG001
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)"


def _compiled(clause: ClauseElement, connection: Connection) -> _Form:
    compiled = cast("SQLCompiler", clause.compile(dialect=connection.dialect))
    names = compiled.positiontup or []
    constants = {name: value for name, value in compiled.params.items() if value is not None}
    return _Form(str(compiled), constants, _in_order(names))


def _in_order(names: Sequence[str]) -> Callable[[Values], tuple[object, ...]]:
    """The values as a tuple; `itemgetter` alone gives no tuple for fewer than two."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda values: tuple(values[name] for name in names)
