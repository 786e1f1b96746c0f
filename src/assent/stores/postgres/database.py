"""A store in PostgreSQL: for many processes on many machines."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from assent.errors import StoreError
from assent.gate.approval import Approval
from assent.gate.audit import Entry
from assent.stores import migrations as schema
from assent.stores.backup import detect_restore
from assent.stores.postgres.connections import POLL, Listener, PgPool
from assent.stores.postgres.writer import PgWriter
from assent.stores.sql.batch import WriteRequest
from assent.stores.sql.errors import is_retryable, to_store_error
from assent.stores.sql.policy import read_secret
from assent.stores.sql.statement import Connection, CoreConnection
from assent.stores.store import SharedState, SqlStore, new_shared_state

_log = logging.getLogger("assent.store")
T = TypeVar("T")
TIMEOUT = 10.0
"""Seconds for which requests wait for a server that is unreachable."""
_FOR_LOCKS = 0.2
"""Share of that time for which a statement waits for a lock."""
_READERS = 4
_PAUSE = 0.05


async def open_postgres(
    url: str, *, patience: float = TIMEOUT, upgrade: bool = False, spool: str = "", poll: float = POLL
) -> SqlStore:
    """Open a database; `spool` is a file for audit entries that cannot be written before the process ends."""
    address = parse_address(url)
    where = without_password(address)
    secret = await _prepared(address, where, upgrade=upgrade)
    common = new_shared_state(where, spool)
    database = PostgresDatabase(address, common, patience=patience, poll=poll)
    store = SqlStore(database, common, secret=secret, clock=None)
    await store.record_heartbeat()
    await store.close_chains()
    return store


class PostgresDatabase:
    """One connection that writes, one that listens, and a few that read."""

    def __init__(self, address: URL, shared: SharedState, *, patience: float, poll: float) -> None:
        self._shared = shared
        self._patience = patience
        self._engine = _engine(address, patience, poolclass=NullPool)
        # A read is one statement without a transaction, which saves two round trips.
        self._reading = PgPool(self._engine, _READERS)
        self._pipeline = PgWriter(self._engine, shared, patience=patience)
        self._listener = Listener(self._engine, shared, self._ended, poll=poll)
        self._is_open = True
        self._reads: set[object] = set()
        self._quiet = asyncio.Event()

    def put(self, request: WriteRequest) -> Awaitable[object]:
        """Queue a write request."""
        return self._pipeline.put(request)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a read on committed data; it is retried if its connection breaks."""
        deadline = time.monotonic() + self._patience
        while True:
            if not self._is_open:
                raise self._shared.closed_error()
            try:
                return await self._read(work)
            except Exception as error:
                if not is_retryable(error) or time.monotonic() > deadline:
                    raise to_store_error(error, self._shared.address) from error
            await asyncio.sleep(_PAUSE)

    async def look(self, work: Callable[[Connection], T]) -> T:
        """Run a short read, which needs a round trip like any other."""
        return await self.read(work)

    def record(self, entry: Entry) -> None:
        """Queue an audit entry."""
        self._pipeline.record(entry)

    async def recorded(self) -> None:
        """Wait until every queued entry is written or spooled."""
        await self._pipeline.recorded()

    def check(self) -> None:
        """Raise an error if the store is closed; only a write shows the state of the server."""
        if not self._is_open:
            raise self._shared.closed_error()

    async def close(self) -> None:
        """Finish the queued requests and close all connections."""
        self._shared.waiters.fail(self._shared.closed_error())
        self._shared.signal.fail(self._shared.closed_error())
        if self._is_open:
            self._is_open = False
            await self._listener.close()
            await self._pipeline.close()
            while self._reads:
                self._quiet.clear()
                await self._quiet.wait()
            await self._reading.close()
            await self._engine.dispose()
            # The event loop cleans up broken connections in its next turns.
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    async def _read(self, work: Callable[[Connection], T]) -> T:
        mark = object()
        self._reads.add(mark)
        try:
            return await self._reading.run(work)
        finally:
            self._reads.discard(mark)
            self._quiet.set()

    async def _ended(self, ids: Sequence[str]) -> Sequence[Approval]:
        return await self.read(partial(self._shared.approvals.read_ended, ids=ids))


def without_password(address: URL) -> str:
    """The address for messages, without the password and the name of our driver."""
    return address.set(drivername="postgresql").render_as_string(hide_password=True)


def is_postgres(address: str) -> bool:
    """Whether an address is that of a PostgreSQL database; any other is a file."""
    return address.startswith(("postgresql://", "postgres://", "postgresql+asyncpg://"))


def parse_address(url: str) -> URL:
    """The address for the driver."""
    try:
        return make_url(url).set(drivername="postgresql+asyncpg")
    except ArgumentError:
        raise StoreError("this is not an address of a database: expected `postgresql://…`") from None


def _engine(address: URL, patience: float, **options: Any) -> AsyncEngine:
    settings = {
        "application_name": "assent",
        # A process that is suspended during a batch must not block others for long.
        "idle_in_transaction_session_timeout": str(int(patience * 1000)),
        # Nor must another program that keeps a row or a table locked.
        "lock_timeout": str(int(patience * 1000 * _FOR_LOCKS)),
    }
    arguments = {"timeout": patience, "command_timeout": patience, "server_settings": settings}
    return create_async_engine(address, connect_args=arguments, **options)


async def _prepared(address: URL, where: str, *, upgrade: bool) -> bytes:
    """Check the database before it is used."""
    engine = create_async_engine(address, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            return await connection.run_sync(
                lambda core: _check(CoreConnection(core), where, upgrade=upgrade)
            )
    except Exception as error:
        raise to_store_error(error, where) from error
    finally:
        await engine.dispose()


def _check(connection: CoreConnection, where: str, *, upgrade: bool) -> bytes:
    found = schema.read_version(connection)
    if upgrade and not found.is_usable and not found.is_newer:
        schema.upgrade(connection)
        found = schema.read_version(connection)
    schema.check_version(found, where, backup=True)
    ended = detect_restore(connection)
    if ended is not None:
        _log.warning("this database was restored from a backup: %d approvals are `unknown` now", ended)
    return read_secret(connection)
