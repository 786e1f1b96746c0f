"""Operations on a database: inspect, check, back up, restore and upgrade it."""

import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from sqlalchemy import func, inspect, select

from assent.errors import AssentError, StoreError
from assent.stores import migrations as schema
from assent.stores.admin.audit import verify_audit
from assent.stores.admin.connections import describe_address, open_file, read_any_schema, write_any_schema
from assent.stores.audit.verify import ReportProgress, describe_problems
from assent.stores.backup import export_rows, import_rows, reset_after_restore
from assent.stores.migrations import HEAD
from assent.stores.postgres.database import is_postgres
from assent.stores.sql.approval_rows import (
    ALL_COLUMNS,
    approval_from_full_row,
)
from assent.stores.sql.approvals import newest_timestamp
from assent.stores.sql.statement import CoreConnection
from assent.stores.sql.tables import approvals, metadata, policy
from assent.stores.sqlite.file import atomic_file, copy_file, is_sqlite_file, upgrade_file

_MAX_PROBLEMS = 100
"""The maximum number of reported problems."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseStatus:
    """The content of a database."""

    where: str
    schema: str
    """The schema version; empty if there are no tables."""
    wanted: str = HEAD
    policy_version: int = 0
    rows: dict[str, int] = field(default_factory=dict[str, int])
    """The number of rows by table."""
    states: dict[str, int] = field(default_factory=dict[str, int])
    """The number of approvals by state."""
    newest: datetime | None = None
    bytes: int = 0


async def database_status(address: str) -> DatabaseStatus:
    """Inspect a database without changing it."""
    return await read_any_schema(
        address, lambda connection: _read_status(connection, describe_address(address))
    )


async def check_database(address: str, report_progress: ReportProgress = lambda _: None) -> list[str]:
    """Find the problems of a database: in its pages, its rows and the chains of its audit."""
    try:
        problems = await read_any_schema(address, _schema_problems)
        if problems:
            return problems
        unreadable = await read_any_schema(
            address, lambda connection: list(_undecodable_approvals(connection))
        )
        return [*unreadable, *describe_problems(await verify_audit(address, report_progress))][:_MAX_PROBLEMS]
    except StoreError as error:
        if not is_postgres(address) and os.path.isfile(address):
            # The database is too damaged to be read completely.
            return [str(error)]
        raise


async def back_up_database(address: str, target: str) -> int:
    """Copy everything as of one moment to a new file; returns its size in bytes."""
    with atomic_file(target, "back up to") as unfinished:
        if is_postgres(address):
            await read_any_schema(address, lambda connection: _export_file(connection, unfinished))
        else:
            await asyncio.to_thread(copy_file, address, unfinished)
    return os.path.getsize(target)


async def restore_database(address: str, source: str) -> None:
    """Create a new database from a backup; an existing one is never overwritten."""
    if not os.path.isfile(source):
        raise StoreError(f"cannot restore {source}: there is no such file")
    if is_postgres(address):
        await upgrade_database(address)
        await write_any_schema(address, lambda connection: _import_file(connection, source))
        return
    if os.path.exists(address):
        raise StoreError(f"cannot restore to {address}: it exists already; move it away first")
    with atomic_file(address, "restore to") as unfinished:
        await asyncio.to_thread(_restore_file, source, unfinished)


async def upgrade_database(address: str) -> str:
    """Upgrade a database to the current schema; returns the path of a file's backup, or an empty text."""
    found = (await database_status(address)).schema
    standing = schema.SchemaVersion(found)
    if standing.is_usable:
        return ""
    if standing.is_newer:
        schema.check_version(standing, describe_address(address))
    if not is_postgres(address):
        return await write_any_schema(address, partial(upgrade_file, path=address))
    await write_any_schema(address, schema.upgrade)
    return ""


# ---- inspecting -----------------------------------------------------------------------------------


def _read_status(connection: CoreConnection, where: str) -> DatabaseStatus:
    found = schema.read_version(connection).found
    if not found:
        return DatabaseStatus(where=where, schema="")
    counted = {
        table.name: connection.core.execute(select(func.count()).select_from(table)).scalar_one()
        for table in metadata.sorted_tables
        # An earlier schema has fewer tables.
        if inspect(connection.core).has_table(table.name)
    }
    states = connection.core.execute(select(approvals.c.state, func.count()).group_by(approvals.c.state))
    return DatabaseStatus(
        where=where,
        schema=found,
        policy_version=connection.core.execute(select(policy.c.version)).scalar_one(),
        rows=counted,
        states={state: count for state, count in states},  # noqa: C416 - rows are no pairs to the type checkers
        # An earlier schema lacks some of these tables.
        newest=newest_timestamp(connection) if schema.read_version(connection).is_usable else None,
        bytes=_database_size(connection),
    )


def _database_size(connection: CoreConnection) -> int:
    sizes = {
        "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
        "postgresql": "SELECT pg_database_size(current_database())",
    }
    return int(connection.core.exec_driver_sql(sizes[connection.dialect.name]).scalar_one())


def _schema_problems(connection: CoreConnection) -> list[str]:
    """The problems of the schema that make the rows unreadable."""
    problems = _damaged_pages(connection) if connection.dialect.name == "sqlite" else []
    if problems:
        return problems
    try:
        schema.check_version(schema.read_version(connection), "the database")
    except AssentError as error:
        return [str(error)]
    return []


def _find_problems(connection: CoreConnection) -> Iterator[str]:
    yield from _schema_problems(connection) or _undecodable_approvals(connection)


def _damaged_pages(connection: CoreConnection) -> list[str]:
    rows = connection.core.exec_driver_sql(f"PRAGMA integrity_check({_MAX_PROBLEMS})").all()
    return [str(row[0]) for row in rows if row[0] != "ok"]


def _undecodable_approvals(connection: CoreConnection) -> Iterator[str]:
    """A problem for each approval that this version cannot decode."""
    for row in connection.core.execute(select(*ALL_COLUMNS)):
        try:
            approval_from_full_row(row)
        except (AssentError, KeyError, ValueError) as error:
            yield f"approval `{row[0]}` cannot be read: {error}"


# ---- copying --------------------------------------------------------------------------------------


def _restore_file(source: str, target: str) -> None:
    """Restore a file from a copy, or from the JSON lines of any database."""
    if is_sqlite_file(source):
        copy_file(source, target)
    with open_file(target, writing=True) as connection:
        found = schema.read_version(connection)
        if not is_sqlite_file(source):
            schema.upgrade(connection)
            _import_file(connection, source)
        elif not found.is_empty and not found.is_newer:
            schema.upgrade(connection)
            reset_after_restore(connection)
    with open_file(target, writing=False) as connection:
        problems = list(_find_problems(connection))
    if problems:
        raise StoreError(f"cannot restore {source}: {problems[0]}; use another backup")


def _export_file(connection: CoreConnection, target: str) -> int:
    with open(target, "w", encoding="ascii") as lines:
        count = export_rows(connection, lines)
        lines.flush()
        os.fsync(lines.fileno())
    return count


def _import_file(connection: CoreConnection, source: str) -> int:
    with open(source, encoding="ascii") as lines:
        return import_rows(connection, lines, source)
