"""A store in an SQLite file: embedded, durable, and open to other processes of the same machine."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool, QueuePool

from assent.errors import StoreError
from assent.gate.audit import Entry
from assent.stores import schema
from assent.stores.batch import Piece
from assent.stores.clock import Clock, Forward, HostClock
from assent.stores.faults import explained
from assent.stores.file import ServerLock, checked_file
from assent.stores.queries import newest_of, secret_of
from assent.stores.shared import Shared, shared
from assent.stores.store import SqlStore
from assent.stores.writer import Writer

T = TypeVar("T")
PATIENCE = 5.0
"""Seconds that a write waits for another process to finish its own."""
_READERS = 3
_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    # INVARIANT: what was acknowledged survives a power cut; NORMAL would not promise that.
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
)


async def open_sqlite(
    path: str, *, exclusive: bool = False, upgrade: bool = True, clock: Clock | None = None
) -> SqlStore:
    """Open a file, or make it; `exclusive` is for a server, of which a file has one at a time."""
    file = await asyncio.to_thread(_prepared, path, exclusive=exclusive, upgrade=upgrade)
    common = shared(path, f"{path}.audit.jsonl")
    clock = Forward(clock or HostClock(file.newest))
    database = SqliteDatabase(file, clock, common)
    store = SqlStore(database, common, secret=file.secret, clock=clock)
    await store.beat()
    return store


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file that was found in order."""

    path: str
    writing: Engine
    reading: Engine
    lock: ServerLock | None
    newest: datetime | None
    secret: bytes


class SqliteDatabase:
    """A writer's thread, and a few threads that read beside it."""

    def __init__(self, file: File, clock: Clock, shared: Shared) -> None:
        self._file = file
        self._shared = shared
        self._threads = ThreadPoolExecutor(_READERS, thread_name_prefix="assent-reader")
        self._writer = Writer(file.writing, file.reading, clock, shared)
        self._is_open = True

    def put(self, piece: Piece) -> Awaitable[object]:
        """Queue a piece of work."""
        return self._writer.put(piece)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a read on a thread of its own, on what is committed now."""
        if not self._is_open:
            raise self._shared.closed()
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._read, work)

    def record(self, entry: Entry) -> None:
        """Queue an audit entry."""
        self._writer.record(entry)

    async def recorded(self) -> None:
        """Come back when every queued entry is written or spooled."""
        await self._writer.recorded()

    async def close(self) -> None:
        """Finish what is queued, and let go of the file."""
        self._shared.wakes.fail(self._shared.closed())
        self._is_open = False
        await self._writer.close()
        await asyncio.to_thread(self._threads.shutdown)
        for engine in (self._file.reading, self._file.writing):
            engine.dispose()
        if self._file.lock is not None:
            self._file.lock.release()

    def _read(self, work: Callable[[Connection], T]) -> T:
        try:
            with self._file.reading.connect() as connection:
                return work(connection)
        except Exception as error:
            raise explained(error, self._file.path) from error


def sqlite_engine(path: str, *, writing: bool) -> Engine:
    """Connections to a file: one that writes, or a few that only read."""
    pool: dict[str, Any] = (
        {"poolclass": NullPool}
        if writing
        else {"poolclass": QueuePool, "pool_size": _READERS, "max_overflow": 1}
    )
    engine = create_engine("sqlite+pysqlite://", creator=partial(_connect, path, writing=writing), **pool)
    begin = "BEGIN IMMEDIATE" if writing else "BEGIN"

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:  # pyright: ignore[reportUnusedFunction]
        connection.connection.cursor().execute(begin)

    return engine


def _connect(path: str, *, writing: bool) -> sqlite3.Connection:
    """A connection that begins and ends transactions only where we say so."""
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    for pragma in _PRAGMAS if writing else (*_PRAGMAS, "PRAGMA query_only = ON"):
        connection.execute(pragma)
    return connection


def _prepared(path: str, *, exclusive: bool, upgrade: bool) -> File:
    """Look the file over before anything is kept in it: permissions, integrity, schema."""
    is_new = checked_file(path)
    lock = ServerLock(path) if exclusive else None
    writing, reading = sqlite_engine(path, writing=True), sqlite_engine(path, writing=False)
    try:
        with writing.connect() as connection:
            _check(connection, path, upgrade=upgrade or is_new)
        with reading.connect() as connection:
            newest, secret = newest_of(connection), secret_of(connection)
    except Exception as error:
        if lock is not None:
            lock.release()
        raise explained(error, path) from error
    return File(path=path, writing=writing, reading=reading, lock=lock, newest=newest, secret=secret)


def _check(connection: Connection, path: str, *, upgrade: bool) -> None:
    with connection.begin():
        problem = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
        if problem != "ok":
            what = str(problem).splitlines()[-1]
            raise StoreError(f"cannot use {path}: it is damaged ({what}); restore a backup")
        found = schema.standing(connection)
        if not found.is_usable and not found.is_newer and upgrade:
            schema.upgrade(connection)
            found = schema.standing(connection)
        schema.check(found, path)
