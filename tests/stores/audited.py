"""Databases with audit entries, and a function that manipulates them."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

from assent.gate.audit import Entry
from assent.stores.admin.connections import write_any_schema
from assent.stores.postgres.database import is_postgres, open_postgres
from assent.stores.sql.statement import CoreConnection
from assent.stores.sqlite.database import open_sqlite
from assent.stores.store import SqlStore
from tests.stores.promises.given import sample_entry
from tests.stores.sqlite_file import create_empty_database

ENTRIES = tuple(sample_entry(number, decision="automatic" if number % 2 else "") for number in range(1, 11))


@asynccontextmanager
async def open_store(address: str, at: datetime | None = None) -> AsyncGenerator[SqlStore]:
    """Open a store; for a file, a test may set the time."""
    if is_postgres(address):
        store = await open_postgres(address, upgrade=True)
    else:
        create_empty_database(Path(address))
        store = await open_sqlite(address, clock=None if at is None else lambda: at)
    try:
        yield store
    finally:
        await store.close()


async def record_entries(address: str, entries: Iterable[Entry] = ENTRIES, at: datetime | None = None) -> str:
    """Record entries in a new store; return the name of its chain."""
    async with open_store(address, at) as store:
        for entry in entries:
            store.record(entry)
        await store.flush_audit()
        return store.boot


async def tamper_with_rows(address: str, *statements: str) -> None:
    """Execute statements with all rights, after removing the triggers that protect the audit."""
    if is_postgres(address):
        unguarded = ["SET LOCAL session_replication_role = replica"]
    else:
        names = ("audit_is_not_altered", "audit_is_not_deleted", "audit_segments_stay_update")
        unguarded = [f"DROP TRIGGER IF EXISTS {name}" for name in names]

    def execute_statements(connection: CoreConnection) -> None:
        for statement in (*unguarded, *statements):
            connection.core.exec_driver_sql(statement)

    await write_any_schema(address, execute_statements)
