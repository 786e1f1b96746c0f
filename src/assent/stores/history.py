"""The audit of a database that is opened only to look through it."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection

from assent.gate.audit import Link, Sought
from assent.gate.history import CallRecord, call_record
from assent.stores.audit_pages import rows_of
from assent.stores.audit_rows import link_of
from assent.stores.chains import Tell
from assent.stores.connections import look
from assent.stores.queries import LAST
from assent.stores.questions import Questions
from assent.wire.audit import WriteRow

_PAGE = 5000
_CALLS_PAGE = 500
"""Fewer at a time where each row may bring a call along."""


class Row(NamedTuple):
    """A row of the audit and, where that is wanted, the call behind it."""

    number: int
    link: Link
    record: CallRecord | None = None


async def latest(address: str, sought: Sought, limit: int, *, calls: bool = False) -> list[Row]:
    """The newest rows that are meant, oldest first; with `calls`, what was asked and what ran."""
    return await look(address, partial(_latest, sought=sought, limit=limit, calls=calls))


async def each(
    address: str, sought: Sought, take: WriteRow, tell: Tell = lambda _: None, *, calls: bool = False
) -> None:
    """Hand over every row that is meant, oldest first; what comes of it is the taker's own affair."""
    after = 0
    while rows := await look(address, partial(_page, sought=sought, after=after, calls=calls)):
        for _, link, record in rows:
            take(link, record)
        tell(len(rows))
        after = rows[-1][0]


def _latest(connection: Connection, sought: Sought, limit: int, *, calls: bool) -> list[Row]:
    rows = rows_of(connection, sought, LAST, limit, newest_first=True)
    return _read(connection, list(reversed(rows)), calls=calls)


def _page(connection: Connection, sought: Sought, after: int, *, calls: bool) -> list[Row]:
    rows = rows_of(connection, sought, after, _CALLS_PAGE if calls else _PAGE, newest_first=False)
    return _read(connection, rows, calls=calls)


def _read(connection: Connection, rows: Sequence[Any], *, calls: bool) -> list[Row]:
    read = [Row(row[0], link_of(row[1:])) for row in rows]
    ids = {one.link.entry.approval for one in read if one.link.entry.approval}
    if not calls or not ids:
        return read
    found = Questions().excerpts(connection, ids)
    records = {id_: call_record(one) for id_, one in found.items()}
    return [one._replace(record=records.get(one.link.entry.approval)) for one in read]
