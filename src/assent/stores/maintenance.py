"""What an operator does with a database: look at it, check it, back it up, restore it, upgrade it."""

import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from sqlalchemy import Connection, func, inspect, select

from assent.errors import AssentError, StoreError
from assent.stores import chains, home, schema
from assent.stores.connections import connected, read, where_of, write
from assent.stores.copying import copy_in, copy_out
from assent.stores.file import is_sqlite
from assent.stores.file_backup import copy_file, upgrade_file
from assent.stores.finished import finished
from assent.stores.postgres import is_postgres
from assent.stores.queries import newest_of
from assent.stores.rows import ASKED, MOVED, asked, moved
from assent.stores.schema import HEAD
from assent.stores.tables import approvals, metadata, policy

_PROBLEMS = 100
"""How many problems are listed; a file with more is lost anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What there is in a database."""

    where: str
    schema: str
    """Empty where nothing was ever kept."""
    wanted: str = HEAD
    policy_version: int = 0
    rows: dict[str, int] = field(default_factory=dict[str, int])
    """By table."""
    states: dict[str, int] = field(default_factory=dict[str, int])
    """Approvals by state."""
    latest_cursor: datetime | None = None
    bytes: int = 0


async def status(address: str) -> Status:
    """Look at a database without changing it."""
    return await read(address, lambda connection: _status(connection, where_of(address)))


async def check(address: str, tell: chains.Tell = lambda _: None) -> list[str]:
    """Everything that is wrong with a database: its pages, its rows, and the chains of its audit."""
    try:
        problems = await read(address, _unfit)
        if problems:
            return problems
        unreadable = await read(address, lambda connection: list(_unreadable(connection)))
        return [*unreadable, *chains.sentences(await chains.verify(address, tell))][:_PROBLEMS]
    except StoreError as error:
        if not is_postgres(address) and os.path.isfile(address):
            # So badly damaged that it cannot even be read to the end.
            return [str(error)]
        raise


async def backup(address: str, target: str) -> int:
    """Copy everything, as of one moment, into a new file; how many bytes that took."""
    with finished(target, "back up to") as unfinished:
        if is_postgres(address):
            await read(address, lambda connection: _copy_out(connection, unfinished))
        else:
            await asyncio.to_thread(copy_file, address, unfinished)
    return os.path.getsize(target)


async def restore(address: str, source: str) -> None:
    """Make a new database of a backup; an existing one is never overwritten."""
    if not os.path.isfile(source):
        raise StoreError(f"cannot restore {source}: there is no such file")
    if is_postgres(address):
        await upgrade(address)
        await write(address, lambda connection: _copy_in(connection, source))
        return
    if os.path.exists(address):
        raise StoreError(f"cannot restore to {address}: it exists already; move it away first")
    with finished(address, "restore to") as unfinished:
        await asyncio.to_thread(_restore_file, source, unfinished)


async def upgrade(address: str) -> str:
    """Bring a database to this version's schema; where a file is kept as it was before, or empty."""
    found = (await status(address)).schema
    standing = schema.Standing(found)
    if standing.is_usable:
        return ""
    if standing.is_newer:
        schema.check(standing, where_of(address))
    if not is_postgres(address):
        return await write(address, partial(upgrade_file, path=address))
    await write(address, schema.upgrade)
    return ""


# ---- looking --------------------------------------------------------------------------------------


def _status(connection: Connection, where: str) -> Status:
    found = schema.standing(connection).found
    if not found:
        return Status(where=where, schema="")
    counted = {
        table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
        for table in metadata.sorted_tables
        # An earlier step of the schema has fewer.
        if inspect(connection).has_table(table.name)
    }
    states = connection.execute(select(approvals.c.state, func.count()).group_by(approvals.c.state))
    return Status(
        where=where,
        schema=found,
        policy_version=connection.execute(select(policy.c.version)).scalar_one(),
        rows=counted,
        states={state: count for state, count in states},  # noqa: C416 - rows are no pairs to the type checkers
        # An earlier step of the schema lacks tables that it looks into.
        latest_cursor=newest_of(connection) if schema.standing(connection).is_usable else None,
        bytes=_bytes(connection),
    )


def _bytes(connection: Connection) -> int:
    sizes = {
        "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
        "postgresql": "SELECT pg_database_size(current_database())",
    }
    return int(connection.exec_driver_sql(sizes[connection.dialect.name]).scalar_one())


def _unfit(connection: Connection) -> list[str]:
    """Why the rows cannot even be looked at."""
    problems = _pages(connection) if connection.dialect.name == "sqlite" else []
    if problems:
        return problems
    try:
        schema.check(schema.standing(connection), "the database")
    except AssentError as error:
        return [str(error)]
    return []


def _problems(connection: Connection) -> Iterator[str]:
    yield from _unfit(connection) or _unreadable(connection)


def _pages(connection: Connection) -> list[str]:
    rows = connection.exec_driver_sql(f"PRAGMA integrity_check({_PROBLEMS})").all()
    return [str(row[0]) for row in rows if row[0] != "ok"]


def _unreadable(connection: Connection) -> Iterator[str]:
    """Approvals that this version cannot make sense of."""
    width = len(ASKED)
    for row in connection.execute(select(*ASKED, *(column.label(f"m_{column.name}") for column in MOVED))):
        try:
            moved(asked(row[:width]), row[width:])
        except (AssentError, KeyError, ValueError) as error:
            yield f"approval `{row[0]}` cannot be read: {error}"


# ---- copying --------------------------------------------------------------------------------------


def _restore_file(source: str, target: str) -> None:
    """A file as it was backed up, or made of the lines of another kind of database."""
    if is_sqlite(source):
        copy_file(source, target)
    with connected(target, writing=True) as connection:
        found = schema.standing(connection)
        if not is_sqlite(source):
            schema.upgrade(connection)
            _copy_in(connection, source)
        elif not found.is_empty and not found.is_newer:
            schema.upgrade(connection)
            home.begin_anew(connection)
    with connected(target, writing=False) as connection:
        problems = list(_problems(connection))
    if problems:
        raise StoreError(f"cannot restore {source}: {problems[0]}; use another backup")


def _copy_out(connection: Connection, target: str) -> int:
    with open(target, "w", encoding="ascii") as lines:
        count = copy_out(connection, lines)
        lines.flush()
        os.fsync(lines.fileno())
    return count


def _copy_in(connection: Connection, source: str) -> int:
    with open(source, encoding="ascii") as lines:
        return copy_in(connection, lines, source)
