"""A store in an SQLite file: embedded, durable, and open to other processes of the same machine."""

import asyncio
import logging
import os
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool, QueuePool

from assent.errors import StoreError
from assent.gate.audit import Entry
from assent.stores import schema
from assent.stores.batch import Piece
from assent.stores.clock import Clock, Forward, HostClock
from assent.stores.faults import explained
from assent.stores.file import FileIdentity, ServerLock, checked_file
from assent.stores.file_backup import upgrade_file
from assent.stores.patience import PATIENCE, Patience
from assent.stores.queries import newest_of, secret_of
from assent.stores.shared import Shared, shared
from assent.stores.store import SqlStore
from assent.stores.writer import Writer

T = TypeVar("T")
_log = logging.getLogger("assent.store")
_READERS = 3
_SMALL = 4_000_000
"""Bytes up to which a file is looked through whole, however busy the machine is."""
_LOOK, _WHOLE = 0.2, 60.0
"""Seconds that a big file is looked through at its opening, and a small one: who restarts is waited for."""
_PRAGMAS = (
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
    common = shared(path, f"{file.identity.path}.audit.jsonl")
    clock = Forward(clock or HostClock(file.newest))
    database = SqliteDatabase(file, clock, common)
    store = SqlStore(database, common, secret=file.secret, clock=clock, upgraded_from=file.upgraded_from)
    await store.beat()
    await store.close_chains()
    return store


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file that was found in order."""

    identity: FileIdentity
    writing: Engine
    reading: Engine
    looking: Connection
    """For short looks from the event loop, which must never wait for anybody."""
    lock: ServerLock | None
    newest: datetime | None
    secret: bytes
    upgraded_from: str
    """The schema that it had before it was brought to this version's; empty where it was not."""


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

    async def look(self, work: Callable[[Connection], T]) -> T:
        """Read a few rows at once: a trip to a thread and back takes longer than the read itself."""
        if not self._is_open:
            raise self._shared.closed()
        try:
            self._file.identity.check()
            return work(self._file.looking)
        except Exception:  # noqa: BLE001 - whatever it was, a thread may wait for it, and tells of it
            return await self.read(work)

    def record(self, entry: Entry) -> None:
        """Queue an audit entry."""
        self._writer.record(entry)

    async def recorded(self) -> None:
        """Come back when every queued entry is written or spooled."""
        await self._writer.recorded()

    def check(self) -> None:
        """Refuse where the file was removed, replaced or made read-only."""
        if not self._is_open:
            raise self._shared.closed()
        self._file.identity.check_before_commit()

    async def close(self) -> None:
        """Finish what is queued, and let go of the file."""
        self._shared.wakes.fail(self._shared.closed())
        self._shared.stirs.fail(self._shared.closed())
        self._is_open = False
        await self._writer.close()
        await asyncio.to_thread(self._threads.shutdown)
        self._file.looking.close()
        for engine in (self._file.reading, self._file.writing):
            engine.dispose()
        if self._file.lock is not None:
            self._file.lock.release()

    def _read(self, work: Callable[[Connection], T]) -> T:
        try:
            # A policy that nobody can change any more must not let anything run, either.
            self._file.identity.check()
            with self._file.reading.connect() as connection:
                return work(connection)
        except Exception as error:
            raise explained(error, self._shared.where) from error


def sqlite_engine(file: FileIdentity, *, writing: bool) -> Engine:
    """Connections to a file: one that writes, or a few that only read."""
    pool: dict[str, Any] = (
        {"poolclass": NullPool}
        if writing
        # One more for the writer's glances, and one for the loop's looks.
        else {"poolclass": QueuePool, "pool_size": _READERS, "max_overflow": 2}
    )
    engine = create_engine("sqlite+pysqlite://", creator=partial(_connect, file, writing=writing), **pool)
    patience = Patience()
    if writing:
        _check_commits(engine, file)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:  # pyright: ignore[reportUnusedFunction]
        cursor = connection.connection.cursor()
        if writing:
            patience.take(cursor.execute, "BEGIN IMMEDIATE")
        else:
            cursor.execute("BEGIN")

    return engine


def _check_commits(engine: Engine, file: FileIdentity) -> None:
    """Let no commit succeed whose file nobody will find again.

    INVARIANT: whatever commits on this engine looks before and after; a commit between whose two looks the
    file was removed is not acknowledged.
    """
    commit = engine.dialect.do_commit

    def checked(connection: Any) -> None:
        file.check_before_commit()
        commit(connection)
        file.check_after_commit()

    engine.dialect.do_commit = checked  # type: ignore[assignment,method-assign]


def _connect(file: FileIdentity, *, writing: bool) -> sqlite3.Connection:
    """A connection that begins and ends transactions only where we say so."""
    file.check()
    connection = sqlite3.connect(
        file.uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
    )
    file.check()
    # Two who make a file at once stand in each other's way here, and SQLite lets neither of them wait.
    Patience().take(connection.execute, "PRAGMA journal_mode = WAL")
    for pragma in (*_PRAGMAS, "PRAGMA busy_timeout = 0" if writing else "PRAGMA query_only = ON"):
        connection.execute(pragma)
    return connection


def _looking(reading: Engine) -> Connection:
    """A connection that is never in a transaction, and never waits."""
    connection = reading.connect()
    with closing(connection.connection.cursor()) as cursor:
        cursor.execute("PRAGMA busy_timeout = 0")
    return connection


def _prepared(path: str, *, exclusive: bool, upgrade: bool) -> File:
    """Look the file over before anything is kept in it: permissions, integrity, schema."""
    is_new = checked_file(path)
    identity = FileIdentity(path)
    lock = ServerLock(identity) if exclusive else None
    writing, reading = sqlite_engine(identity, writing=True), sqlite_engine(identity, writing=False)
    try:
        with reading.connect() as connection:
            is_usable = _is_usable(connection, path)
        upgraded_from = ""
        if not is_usable:
            with writing.connect() as connection:
                upgraded_from = _bring_forward(connection, path, upgrade=upgrade or is_new)
        with reading.connect() as connection:
            newest, secret = newest_of(connection), secret_of(connection)
        looking = _looking(reading)
        identity.add_logs()
    except Exception as error:
        if lock is not None:
            lock.release()
        raise explained(error, path) from error
    return File(
        identity=identity,
        writing=writing,
        reading=reading,
        looking=looking,
        lock=lock,
        newest=newest,
        secret=secret,
        upgraded_from=upgraded_from,
    )


def _is_usable(connection: Connection, path: str) -> bool:
    """Whether a file is whole and has our tables; looked at without holding up whoever writes to it."""
    with connection.begin():
        problem = _problem(connection, path)
        if problem != "ok":
            what = problem.splitlines()[-1]
            raise StoreError(f"cannot use {path}: it is damaged ({what}); restore a backup")
        return schema.standing(connection).is_usable


def _problem(connection: Connection, path: str) -> str:
    """What a short look finds wrong; the rest of a big file is for `assent db check`."""
    driver = cast("sqlite3.Connection", connection.connection.driver_connection)
    ending = threading.Timer(_WHOLE if os.stat(path).st_size <= _SMALL else _LOOK, driver.interrupt)
    ending.start()
    try:
        with closing(driver.cursor()) as cursor:
            return str(cursor.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorname", "") != "SQLITE_INTERRUPT":
            raise
        return "ok"
    finally:
        ending.cancel()
        ending.join()


def _bring_forward(connection: Connection, path: str, *, upgrade: bool) -> str:
    """Make the tables this version needs, unless somebody else just did, or say why not.

    What it returns is the schema that was there before; empty where there was none, or nothing to do.
    """
    with connection.begin():
        before = found = schema.standing(connection)
        backup = ""
        if upgrade:
            backup = upgrade_file(connection, path)
            found = schema.standing(connection)
        schema.check(found, path)
    if backup:
        _log.info("%s has schema %s now; as it was with %s: %s", path, found.found, before.found, backup)
    return before.found if backup else ""
