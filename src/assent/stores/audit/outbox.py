"""The outbox of the audit: rows are committed here with their change, and moved to the audit afterwards."""

import json
from collections.abc import Callable, Sequence
from dataclasses import fields
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Column, Select, Table, bindparam, select, text, union_all

from assent.gate.audit import CHAIN_START_HASH, FIRST_VERSION, Entry, Link, current_version, hash_entries
from assent.stores.sql.statement import (
    Connection,
    Statement,
    from_micros,
    insert_rows,
    to_micros,
    upsert_rows,
)
from assent.stores.sql.tables import audit, audit_outbox, audit_segments

Row = tuple[object, ...]
_RENAMED_COLUMNS = {
    "user": "user_id",
    "agent": "agent_id",
    "conversation": "conversation_id",
    "call": "call_id",
    "tool": "tool_name",
    "approval": "approval_id",
}
"""The column names of those fields of an entry that differ from their column."""
_CHAIN_COLUMNS = ("writer", "place", "written_at", "hash", "hash_version")
_ENTRY_FIELDS = tuple(field.name for field in fields(Entry))
_ENTRY_COLUMNS = tuple(_RENAMED_COLUMNS.get(name, name) for name in _ENTRY_FIELDS)


def link_columns(table: Table) -> tuple[Column[Any], ...]:
    """The columns that `link_from_row` reads, in its order, of the audit table or of its outbox."""
    return tuple(table.columns[name] for name in (*_CHAIN_COLUMNS, *_ENTRY_COLUMNS))


LINK_COLUMNS = link_columns(audit)
_FIRST_NULLABLE = [column.nullable for column in LINK_COLUMNS].index(True) - len(_CHAIN_COLUMNS)
"""The index of the first field of an entry whose column is null instead of empty; so are all after it."""


def link_to_row(link: Link) -> Row:
    """The row of a link, with the columns of `link_columns`."""
    chain = (link.writer, link.number, to_micros(link.at), link.hash, link.version)
    return (*chain, *_entry_to_row(link.entry))


def _entry_to_row(entry: Entry) -> Row:
    values = _entry_values(entry)
    # One look at all texts: hardly any text must be escaped.
    if not _is_plain("".join([value for value in values if type(value) is str])):
        values = tuple([escape_text(value) if isinstance(value, str) else value for value in values])
    return (*values[:_FIRST_NULLABLE], *[value or None for value in values[_FIRST_NULLABLE:]])


def link_from_row(row: Sequence[Any]) -> Link:
    """The link of a row with the columns of `link_columns`."""
    writer, number, at, hash_, version, *stored = row
    values = {name: _decode_column(name, value) for name, value in zip(_ENTRY_FIELDS, stored, strict=True)}
    entry = Entry(**values)
    return Link(entry=entry, writer=writer, number=number, at=from_micros(at), hash=hash_, version=version)


_entry_values: Callable[[Entry], Row] = attrgetter(*_ENTRY_FIELDS)


def escape_text(text: str) -> str:
    """The text as a database can store it: as JSON if it contains a character that databases refuse.

    The audit must accept any name.
    """
    if _is_plain(text) or ("\0" not in text and not text.startswith(_ESCAPE_PREFIX) and _is_unicode(text)):
        return text
    return _ESCAPE_PREFIX + json.dumps(text)


def _is_plain(text: str) -> bool:
    return text.isascii() and "\0" not in text


def unescape_text(stored: str) -> str:
    """The original text of a value that `escape_text` made."""
    return json.loads(stored[len(_ESCAPE_PREFIX) :]) if stored.startswith(_ESCAPE_PREFIX) else stored


_ESCAPE_PREFIX = "\ufeff"
"""The prefix of a text that is stored as JSON; other texts do not begin with it."""

MAX_MOVED_ROWS = 1000
"""The number of rows that one transaction moves, so that other writes run in between."""


class ChainEnd(NamedTuple):
    """The number, hash and version of the last row of a chain, which the next row is linked to."""

    number: int
    hash: str
    version: int = FIRST_VERSION


def add_entries(
    connection: Connection, entries: Sequence[Entry], *, writer: str, after: ChainEnd, at: datetime
) -> ChainEnd:
    """Chain entries to the end of a writer's chain and insert them into the outbox; returns the new end."""
    version, micros, end = current_version(), to_micros(at), after
    rows: list[Row] = []
    hashed = hash_entries(entries, writer=writer, first=after.number + 1, at=at, previous=after.hash)
    for number, (entry, hash_) in enumerate(hashed, after.number + 1):
        rows.append((writer, number, micros, hash_, version, *_entry_to_row(entry)))
        end = ChainEnd(number, hash_)
    _INSERT_LINKS.write(connection, rows)
    return end


def add_links(connection: Connection, links: Sequence[Link]) -> None:
    """Insert links into the outbox, in the open transaction."""
    _INSERT_LINKS.write(connection, [link_to_row(link) for link in links])


def add_missing_links(connection: Connection, links: Sequence[Link]) -> None:
    """Insert links into the outbox; links that exist already are skipped."""
    _INSERT_MISSING_LINKS.write(connection, [link_to_row(link) for link in links])


def move_to_audit(connection: Connection) -> int:
    """Move rows from the outbox to the audit, all or none; returns their number, at most `MAX_MOVED_ROWS`."""
    moved = _MOVE_TO_AUDIT[connection.dialect.name].run(
        connection, most=MAX_MOVED_ROWS, version=current_version()
    )
    # INVARIANT: a row leaves the outbox only if the same row is in the audit; triggers enforce this.
    _DELETE_MOVED.run(connection)
    return moved


def continue_numbering(connection: Connection) -> None:
    """Make SQLite number new outbox rows after the last row of the audit."""
    for statement in _CONTINUE_NUMBERS:
        statement.run(connection)


def read_chain_end(connection: Connection, writer: str) -> ChainEnd:
    """The last row of a writer's chain, in the outbox, the audit or an archive."""
    rows = _CHAIN_END.fetch(connection, writer=writer)
    return max((ChainEnd(*row) for row in rows), default=ChainEnd(0, CHAIN_START_HASH))


def read_ids_after(connection: Connection, writer: str, number: int) -> frozenset[str]:
    """The ids of a writer's entries after a position in its chain."""
    return frozenset(row[0] for row in _IDS_AFTER.fetch(connection, writer=writer, number=number))


def _select_last(table: Table) -> Select[Any]:
    last = (
        select(table.c.place, table.c.hash, table.c.hash_version)
        .where(table.c.writer == bindparam("writer"))
        .order_by(table.c.place.desc())
        .limit(1)
        .subquery()
    )
    return select(last)


def _select_ids_after(table: Table) -> Select[Any]:
    return select(table.c.id).where(
        table.c.writer == bindparam("writer"), table.c.place > bindparam("number")
    )


def _move_statement(number: str, ending: str) -> Statement:
    columns = ", ".join(column.name for column in LINK_COLUMNS)
    return Statement(
        text(
            f"INSERT INTO audit (number, {columns}) SELECT {number}, {columns} FROM audit_outbox"  # noqa: S608 - our own words
            # A process that does not know a version would lose the columns of that version.
            " WHERE hash_version <= CAST(:version AS BIGINT)"
            f" ORDER BY number LIMIT CAST(:most AS BIGINT) {ending}"
            " ON CONFLICT (writer, place) DO NOTHING"
        )
    )


def _decode_column(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return unescape_text(value)
    if value is None:
        return ""
    return bool(value) if name == "with_override" else value


def _is_unicode(text: str) -> bool:
    """Whether the text has no unpaired surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_LINK_NAMES = tuple(column.name for column in LINK_COLUMNS)
_INSERT_LINKS = insert_rows(audit_outbox, *_LINK_NAMES)
_INSERT_MISSING_LINKS = upsert_rows(audit_outbox, "writer", "place", keep=True, columns=_LINK_NAMES)
_MOVE_TO_AUDIT = {
    # New numbers are assigned if a process of an earlier version, without an outbox, used one of them.
    "sqlite": _move_statement(
        "CASE WHEN EXISTS (SELECT 1 FROM audit_outbox AS o JOIN audit AS a ON a.number = o.number)"
        " THEN NULL ELSE number END",
        "",
    ),
    "postgresql": _move_statement("number", "FOR UPDATE SKIP LOCKED"),
}
_DELETE_MOVED = Statement(
    text(
        "DELETE FROM audit_outbox WHERE EXISTS (SELECT 1 FROM audit WHERE audit.writer = audit_outbox.writer"
        " AND audit.place = audit_outbox.place AND audit.hash = audit_outbox.hash)"
    )
)
_CONTINUE_NUMBERS = (
    Statement(text("DELETE FROM sqlite_sequence WHERE name = 'audit_outbox'")),
    Statement(text("INSERT INTO sqlite_sequence (name, seq) SELECT 'audit_outbox', max(number) FROM audit")),
)
_segment = audit_segments.c
_last_archived = (
    select(_segment.last_place, _segment.last_hash, _segment.last_version)
    .where(_segment.writer == bindparam("writer"))
    .order_by(_segment.last_place.desc())
    .limit(1)
    .subquery()
)
_CHAIN_END = Statement(union_all(_select_last(audit_outbox), _select_last(audit), select(_last_archived)))
_IDS_AFTER = Statement(union_all(_select_ids_after(audit_outbox), _select_ids_after(audit)))
