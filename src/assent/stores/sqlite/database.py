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
from typing import TypeVar

from assent.errors import StoreError
from assent.gate.audit import Entry
from assent.stores import migrations as schema
from assent.stores.sql.approvals import newest_timestamp
from assent.stores.sql.batch import WriteRequest
from assent.stores.sql.errors import to_store_error
from assent.stores.sql.policy import read_secret
from assent.stores.sql.statement import Connection, CoreConnection
from assent.stores.sql.times import Clock, HostClock, MonotonicClock
from assent.stores.sqlite.connection import SqliteConnection, SqliteReaders, sqlite_engine
from assent.stores.sqlite.file import FileIdentity, ServerLock, prepare_file, upgrade_file
from assent.stores.sqlite.writer import SqliteWriter
from assent.stores.store import SharedState, SqlStore, new_shared_state

T = TypeVar("T")
_log = logging.getLogger("assent.store")
_READERS = 3
_SMALL = 4_000_000
"""Size in bytes up to which a file is checked completely, however busy the machine is."""
_LOOK, _WHOLE = 0.2, 60.0
"""Seconds for the check of a large file and of a small one when it is opened."""


async def open_sqlite(
    path: str, *, exclusive: bool = False, upgrade: bool = True, clock: Clock | None = None
) -> SqlStore:
    """Open or create a file; `exclusive` is for a server, of which a file has at most one."""
    file = await asyncio.to_thread(_prepared, path, exclusive=exclusive, upgrade=upgrade)
    common = new_shared_state(path, f"{file.identity.path}.audit.jsonl")
    clock = MonotonicClock(clock or HostClock(file.newest))
    database = SqliteDatabase(file, clock, common)
    store = SqlStore(database, common, secret=file.secret, clock=clock, upgraded_from=file.upgraded_from)
    await store.record_heartbeat()
    await store.close_chains()
    return store


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedFile:
    """A file that was checked and is ready for use."""

    identity: FileIdentity
    looking: SqliteConnection
    """For short reads in the event loop: never in a transaction, and never waits for a lock."""
    lock: ServerLock | None
    newest: datetime | None
    secret: bytes
    upgraded_from: str
    """The schema before an upgrade; empty if the file was not upgraded."""


class SqliteDatabase:
    """One thread that writes, and a few that read beside it."""

    def __init__(self, file: PreparedFile, clock: Clock, shared: SharedState) -> None:
        self._file = file
        self._shared = shared
        self._threads = ThreadPoolExecutor(_READERS, thread_name_prefix="assent-reader")
        self._readers = SqliteReaders(file.identity)
        self._writer = SqliteWriter(file.identity, self._readers, clock, shared)
        self._is_open = True

    def put(self, request: WriteRequest) -> Awaitable[object]:
        """Queue a write request."""
        return self._writer.put(request)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a read in a thread, on committed data."""
        if not self._is_open:
            raise self._shared.closed_error()
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._read, work)

    async def look(self, work: Callable[[Connection], T]) -> T:
        """Run a short read in the event loop, which is faster than a switch to a thread."""
        if not self._is_open:
            raise self._shared.closed_error()
        try:
            self._file.identity.check()
            return work(self._file.looking)
        except Exception:  # noqa: BLE001 - whatever it was, a thread may wait for it, and tells of it
            return await self.read(work)

    def record(self, entry: Entry) -> None:
        """Queue an audit entry."""
        self._writer.record(entry)

    async def recorded(self) -> None:
        """Wait until every queued entry is written or spooled."""
        await self._writer.recorded()

    def check(self) -> None:
        """Raise an error if the file was removed, replaced or made read-only."""
        if not self._is_open:
            raise self._shared.closed_error()
        self._file.identity.check_before_commit()

    async def close(self) -> None:
        """Finish the queued requests and close the file."""
        self._shared.waiters.fail(self._shared.closed_error())
        self._shared.signal.fail(self._shared.closed_error())
        self._is_open = False
        await self._writer.close()
        await asyncio.to_thread(self._threads.shutdown)
        self._file.looking.close()
        self._readers.close()
        if self._file.lock is not None:
            self._file.lock.release()

    def _read(self, work: Callable[[Connection], T]) -> T:
        try:
            # If the file was replaced, the policy in it can no longer be changed, and must not allow calls.
            self._file.identity.check()
            with self._readers.connection() as connection:
                return work(connection)
        except Exception as error:
            raise to_store_error(error, self._shared.address) from error


def _prepared(path: str, *, exclusive: bool, upgrade: bool) -> PreparedFile:
    """Check permissions, integrity and schema of a file before it is used."""
    is_new = prepare_file(path)
    identity = FileIdentity(path)
    lock = ServerLock(identity) if exclusive else None
    try:
        looking = SqliteConnection(identity)
        upgraded_from = ""
        if not _is_usable(looking, path):
            upgraded_from = _bring_forward(identity, path, upgrade=upgrade or is_new)
        newest, secret = newest_timestamp(looking), read_secret(looking)
        looking.run("PRAGMA busy_timeout = 0", ())
        identity.add_logs()
    except Exception as error:
        if lock is not None:
            lock.release()
        raise to_store_error(error, path) from error
    return PreparedFile(
        identity=identity,
        looking=looking,
        lock=lock,
        newest=newest,
        secret=secret,
        upgraded_from=upgraded_from,
    )


def _is_usable(connection: SqliteConnection, path: str) -> bool:
    """Whether a file is undamaged and has our tables; other processes may write during the check."""
    with connection.transaction():
        problem = _problem(connection, path)
        if problem != "ok":
            what = problem.splitlines()[-1]
            raise StoreError(f"cannot use {path}: it is damaged ({what}); restore a backup")
        return schema.read_version(connection).is_usable


def _problem(connection: SqliteConnection, path: str) -> str:
    """The result of a short check; `assent db check` reads a large file completely."""
    driver = connection.driver
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


def _bring_forward(identity: FileIdentity, path: str, *, upgrade: bool) -> str:
    """Create or upgrade the tables, unless another process just did, or raise the reason why not.

    It returns the schema before an upgrade, and an empty text if there was none or nothing to do.
    """
    with sqlite_engine(identity, writing=True).begin() as core:
        connection = CoreConnection(core)
        before = found = schema.read_version(connection)
        backup = ""
        if upgrade:
            backup = upgrade_file(connection, path)
            found = schema.read_version(connection)
        schema.check_version(found, path)
    if backup:
        _log.info("%s has schema %s now; as it was with %s: %s", path, found.found, before.found, backup)
    return before.found if backup else ""
