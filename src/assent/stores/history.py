"""The audit of a database that is opened only to look through it."""

from collections.abc import Callable
from functools import partial

from sqlalchemy import Connection

from assent.gate.audit import Link, Sought
from assent.stores.audit_pages import rows_of
from assent.stores.audit_rows import link_of
from assent.stores.chains import Tell
from assent.stores.connections import look
from assent.stores.queries import LAST

_PAGE = 5000


async def latest(address: str, sought: Sought, limit: int) -> list[Link]:
    """The newest rows that are meant, oldest first."""
    return await look(address, partial(_latest, sought=sought, limit=limit))


async def each(
    address: str, sought: Sought, take: Callable[[Link], None], tell: Tell = lambda _: None
) -> None:
    """Hand over every row that is meant, oldest first; what comes of it is the taker's own affair."""
    after = 0
    while rows := await look(address, partial(_page, sought=sought, after=after)):
        for _, link in rows:
            take(link)
        tell(len(rows))
        after = rows[-1][0]


def _latest(connection: Connection, sought: Sought, limit: int) -> list[Link]:
    rows = rows_of(connection, sought, LAST, limit, newest_first=True)
    return [link_of(row[1:]) for row in reversed(rows)]


def _page(connection: Connection, sought: Sought, after: int) -> list[tuple[int, Link]]:
    rows = rows_of(connection, sought, after, _PAGE, newest_first=False)
    return [(row[0], link_of(row[1:])) for row in rows]
