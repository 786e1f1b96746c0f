"""A store in PostgreSQL: for many processes on many machines."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from assent.errors import StoreError
from assent.gate.approval import Approval
from assent.gate.audit import Entry
from assent.stores import home, schema
from assent.stores.batch import Piece
from assent.stores.faults import explained, is_cut_off
from assent.stores.lines import Lines
from assent.stores.listener import POLL, Listener
from assent.stores.pipeline import Pipeline
from assent.stores.queries import secret_of
from assent.stores.shared import Shared, shared
from assent.stores.store import SqlStore

_log = logging.getLogger("assent.store")
T = TypeVar("T")
PATIENCE = 10.0
"""Seconds for which work waits for a server that went away."""
_FOR_LOCKS = 0.2
"""How much of that patience a statement has for a lock that somebody else holds."""
_READERS = 4
_PAUSE = 0.05


async def open_postgres(
    url: str, *, patience: float = PATIENCE, upgrade: bool = False, spool: str = "", poll: float = POLL
) -> SqlStore:
    """Open a database; `spool` names a file for audit entries that cannot be written before the end."""
    address = address_of(url)
    where = masked(address)
    secret = await _prepared(address, where, upgrade=upgrade)
    common = shared(where, spool)
    database = PostgresDatabase(address, common, patience=patience, poll=poll)
    store = SqlStore(database, common, secret=secret, clock=None)
    await store.record_heartbeat()
    await store.close_chains()
    return store


class PostgresDatabase:
    """A writer's connection, a listener's, and a few that read beside them."""

    def __init__(self, address: URL, shared: Shared, *, patience: float, poll: float) -> None:
        self._shared = shared
        self._patience = patience
        self._engine = _engine(address, patience, poolclass=NullPool)
        # A read is one statement that needs no transaction: two round trips less.
        self._reading = Lines(self._engine, _READERS)
        self._pipeline = Pipeline(self._engine, shared, patience=patience)
        self._listener = Listener(self._engine, shared, self._ended, poll=poll)
        self._is_open = True
        self._reads: set[object] = set()
        self._quiet = asyncio.Event()

    def put(self, piece: Piece) -> Awaitable[object]:
        """Queue a piece of work."""
        return self._pipeline.put(piece)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a read on what is committed now; one whose connection broke is tried again."""
        deadline = time.monotonic() + self._patience
        while True:
            if not self._is_open:
                raise self._shared.closed()
            try:
                return await self._read(work)
            except Exception as error:
                if not is_cut_off(error) or time.monotonic() > deadline:
                    raise explained(error, self._shared.where) from error
            await asyncio.sleep(_PAUSE)

    async def look(self, work: Callable[[Connection], T]) -> T:
        """Read a few rows, which is a trip to the server like any other."""
        return await self.read(work)

    def record(self, entry: Entry) -> None:
        """Queue an audit entry."""
        self._pipeline.record(entry)

    async def recorded(self) -> None:
        """Come back when every queued entry is written or spooled."""
        await self._pipeline.recorded()

    def check(self) -> None:
        """Refuse where it is closed; how the server is shows only when it is asked."""
        if not self._is_open:
            raise self._shared.closed()

    async def close(self) -> None:
        """Finish what is queued, and let go of the server."""
        self._shared.wakes.fail(self._shared.closed())
        self._shared.change_count.fail(self._shared.closed())
        if self._is_open:
            self._is_open = False
            await self._listener.close()
            await self._pipeline.close()
            while self._reads:
                self._quiet.clear()
                await self._quiet.wait()
            await self._reading.close()
            await self._engine.dispose()
            # A connection that was cut off is torn down by the loop in its next turns.
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
        return await self.read(partial(self._shared.questions.ended, ids=ids))


def masked(address: URL) -> str:
    """The address as messages show it: without its password, and without the name of our driver."""
    return address.set(drivername="postgresql").render_as_string(hide_password=True)


def is_postgres(address: str) -> bool:
    """Whether an address names a PostgreSQL database; anything else is a file."""
    return address.startswith(("postgresql://", "postgres://", "postgresql+asyncpg://"))


def address_of(url: str) -> URL:
    """The address as the driver takes it."""
    try:
        return make_url(url).set(drivername="postgresql+asyncpg")
    except ArgumentError:
        raise StoreError("this is not an address of a database: expected `postgresql://…`") from None


def _engine(address: URL, patience: float, **options: Any) -> AsyncEngine:
    settings = {
        "application_name": "assent",
        # A pod that stands still in the middle of a batch must not hold others up for long.
        "idle_in_transaction_session_timeout": str(int(patience * 1000)),
        # Nor may somebody else who locked a row or a table and forgot about it.
        "lock_timeout": str(int(patience * 1000 * _FOR_LOCKS)),
    }
    arguments = {"timeout": patience, "command_timeout": patience, "server_settings": settings}
    return create_async_engine(address, connect_args=arguments, **options)


async def _prepared(address: URL, where: str, *, upgrade: bool) -> bytes:
    """Look the database over before anything is kept in it."""
    engine = create_async_engine(address, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            return await connection.run_sync(_check, where, upgrade=upgrade)
    except Exception as error:
        raise explained(error, where) from error
    finally:
        await engine.dispose()


def _check(connection: Connection, where: str, *, upgrade: bool) -> bytes:
    found = schema.standing(connection)
    if upgrade and not found.is_usable and not found.is_newer:
        schema.upgrade(connection)
        found = schema.standing(connection)
    schema.check(found, where, backup=True)
    ended = home.settle(connection)
    if ended is not None:
        _log.warning("this database was restored from a backup: %d approvals are `unknown` now", ended)
    return secret_of(connection)
