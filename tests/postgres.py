"""A PostgreSQL server for tests: that of `ASSENT_TEST_PG_URL`, or a new server for this test run."""

import asyncio
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import make_url

from assent.gate.ids import new_id
from chaos.postgres import start_postgres

TABLES = (
    "approvals", "grants", "rules", "tiers", "pins", "conversations", "agents", "audit", "audit_outbox",
    "audit_segments", "processes", "people", "roles", "credentials", "replies", "events", "settings",
    "declarations", "spending", "runs", "run_lines", "posts", "pods", "workspaces",
)  # fmt: skip
# DELETE is twenty times faster than TRUNCATE, which creates new files for each table and index.
DELETE_ALL_ROWS = f"""
    SET session_replication_role = replica;
    {"".join(f"DELETE FROM {table};" for table in TABLES)}
    UPDATE policy SET version = 0, paused_at = NULL, paused_by = NULL, declared = 0, life = '0', swept = '0.0';
"""
"""As a replica, a superuser can delete audit rows, because the triggers that forbid it do not fire."""


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a server that all processes of a test run share; the last process stops it."""
    given = os.environ.get("ASSENT_TEST_PG_URL")
    if given:
        yield given
        return
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or new_id()
    # Not in pytest's temporary directory: if root runs the tests, the server runs as another user, who
    # loses access to that directory when another run of pytest starts.
    server = start_postgres(Path(tempfile.gettempdir(), f"assent-pg-{run}"), "delete")
    asyncio.run(_disable_fsync(server.get_uri()))
    yield server.get_uri()
    server.cleanup()


async def _disable_fsync(url: str) -> None:
    """Make commits faster by not waiting for the disk; no test simulates a power failure."""
    await _execute_sql(url, "ALTER SYSTEM SET fsync = off")
    await _execute_sql(url, "SELECT pg_reload_conf()")


@pytest.fixture(scope="module")
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The address of a new database for the tests of one module."""
    name = f"assent_{new_id()}"
    asyncio.run(_execute_sql(postgres_server, f"CREATE DATABASE {name}"))
    yield make_url(postgres_server).set(database=name).render_as_string(hide_password=False)
    asyncio.run(_execute_sql(postgres_server, f"DROP DATABASE {name} WITH (FORCE)"))


async def clear_database(url: str) -> None:
    """Delete all rows, so that the database is like a new one."""
    await _execute_sql(url, DELETE_ALL_ROWS)


async def _execute_sql(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
