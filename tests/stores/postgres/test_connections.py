"""Connections use the server's driver directly, and a connection on which an error occurred is not used again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
from sqlalchemy import bindparam, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from assent.errors import ConflictError
from assent.stores.postgres.connections import PgConnection, PgPool
from assent.stores.postgres.database import open_postgres, parse_address
from assent.stores.sql.errors import UnknownOutcomeError
from assent.stores.sql.statement import Connection, Statement
from assent.stores.sql.tables import policy
from tests.waiting import wait_until_async

BACKEND_PID = Statement(select(func.pg_backend_pid()))
VERSION = Statement(select(policy.c.version))
INCREMENT_VERSION = Statement(
    update(policy).where(policy.c.version < bindparam("most")).values(version=policy.c.version + 1)
)
DIVIDE_BY_ZERO = Statement(text("SELECT 1 / 0"))
SLEEP_LONG = Statement(text("SELECT pg_sleep(600)"))
FIND_SLEEPERS = Statement(
    text("SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)' AND state = 'active'")
)
TERMINATE_OWN_CONNECTION = Statement(text("SELECT pg_terminate_backend(pg_backend_pid())"))


@asynccontextmanager
async def open_engine(url: str) -> AsyncIterator[AsyncEngine]:
    """An engine on a database with all tables."""
    await (await open_postgres(url, upgrade=True)).close()
    engine = create_async_engine(parse_address(url), poolclass=NullPool)
    try:
        yield engine
    finally:
        await engine.dispose()


def backend_pid(connection: Connection) -> int:
    return int(BACKEND_PID.fetch(connection)[0][0])


async def test_rows_are_plain_tuples_and_changed_rows_are_counted(postgres_url: str) -> None:
    async with open_engine(postgres_url) as engine:
        line = await PgConnection.open(engine)
        before = await line.run_sync(VERSION.fetch)

        touched = [
            await line.run_sync(lambda one, most=most: INCREMENT_VERSION.run(one, most=most))
            for most in (10**9, 0)
        ]

        after = await line.run_sync(VERSION.fetch)
        assert type(before[0]) is tuple
        assert touched == [1, 0]
        assert after == [(before[0][0] + 1,)]
        await line.discard()


async def test_uncommitted_changes_are_lost_with_the_connection(postgres_url: str) -> None:
    async with open_engine(postgres_url) as engine:
        line, other = await PgConnection.open(engine), await PgConnection.open(engine)
        before = await other.run_sync(VERSION.fetch)
        with pytest.raises(ZeroDivisionError):
            await _increment_and_fail(line)
        await line.discard()

        assert await other.run_sync(VERSION.fetch) == before
        await other.discard()


async def _increment_and_fail(line: PgConnection) -> None:
    async with line.transaction():
        await line.run_sync(lambda one: INCREMENT_VERSION.run(one, most=10**9))
        raise ZeroDivisionError


@pytest.mark.proves("R-3", "R-12")
async def test_a_commit_without_a_reply_has_an_unknown_outcome(postgres_url: str) -> None:
    async with open_engine(postgres_url) as engine:
        line, other = await PgConnection.open(engine), await PgConnection.open(engine)
        with pytest.raises(UnknownOutcomeError):
            await _terminate_before_commit(line, other)
        await line.discard()
        await other.discard()


async def _terminate_before_commit(line: PgConnection, other: PgConnection) -> None:
    pid = await line.run_sync(backend_pid)
    async with line.transaction():
        await other.run_sync(Statement(text(f"SELECT pg_terminate_backend({pid})")).fetch)
        await wait_until_async(partial(_is_terminated, other, pid))


async def _is_terminated(line: PgConnection, pid: int) -> bool:
    alive = Statement(text(f"SELECT 1 FROM pg_stat_activity WHERE pid = {pid}"))
    return not await line.run_sync(alive.fetch)


@pytest.mark.proves("R-3")
async def test_a_broken_connection_is_not_used_again(postgres_url: str) -> None:
    async with open_engine(postgres_url) as engine:
        lines = PgPool(engine, 1)
        first = await lines.run(backend_pid)
        with pytest.raises(Exception, match="division by zero"):
            await lines.run(DIVIDE_BY_ZERO.fetch)
        second = await lines.run(backend_pid)
        with pytest.raises(Exception):  # noqa: B017, PT011 - the driver's own, whichever it is
            await lines.run(TERMINATE_OWN_CONNECTION.fetch)

        assert len({first, second, await lines.run(backend_pid)}) == 3
        await lines.close()


async def test_a_connection_is_used_again_after_a_refused_request(postgres_url: str) -> None:
    def raise_error(connection: Connection) -> None:
        raise ConflictError("no")

    async with open_engine(postgres_url) as engine:
        lines = PgPool(engine, 1)
        first = await lines.run(backend_pid)
        with pytest.raises(ConflictError):
            await lines.run(raise_error)

        assert await lines.run(backend_pid) == first
        await lines.close()


async def test_a_cancelled_read_blocks_no_other_read(postgres_url: str) -> None:
    async with open_engine(postgres_url) as engine:
        lines = PgPool(engine, 1)
        leaving = asyncio.create_task(lines.run(SLEEP_LONG.fetch))
        other = await PgConnection.open(engine)
        await wait_until_async(lambda: other.run_sync(FIND_SLEEPERS.fetch))
        leaving.cancel()

        assert await asyncio.wait_for(lines.run(backend_pid), 60) > 0
        await other.discard()
        await lines.close()


async def test_there_are_never_more_connections_than_allowed(postgres_url: str) -> None:
    async with open_engine(postgres_url) as engine:
        lines = PgPool(engine, 3)

        used = await asyncio.gather(*(lines.run(backend_pid) for _ in range(50)))

        assert 1 <= len(set(used)) <= 3
        await lines.close()
