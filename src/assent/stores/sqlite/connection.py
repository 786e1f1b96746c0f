"""Connections to an SQLite file: prepares and opens the file, waits for locks, and commits."""

import logging
import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, Dialect, Engine, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.pool import NullPool

from assent.errors import AssentError, StoreError
from assent.stores import migrations as schema
from assent.stores.sql.approvals import newest_timestamp
from assent.stores.sql.errors import UnknownOutcomeError, to_store_error
from assent.stores.sql.policy import read_secret
from assent.stores.sql.statement import CoreConnection
from assent.stores.sqlite.file import FileIdentity, ServerLock, prepare_file, upgrade_file

_log = logging.getLogger("assent.store")
BUSY_TIMEOUT = 5.0
"""Seconds that a write waits for the writes of other processes."""
_RETRY_DELAY = 0.002
"""Base retry delay in seconds."""
_SHORTEST_DELAY = 0.0002
_AGING_SECONDS = 0.02
"""Seconds of waiting after which a writer retries twice as often as a new writer."""
_CONTENTION_SECONDS = 1.0
"""Seconds for which a file counts as contended after a writer found it locked."""
_SMALL_FILE_BYTES = 4_000_000
"""The maximum size in bytes of a file that is always checked completely."""
_CHECK_SECONDS = 0.2
"""Seconds for the check of a large file when it is opened."""
_SMALL_CHECK_SECONDS = 60.0
"""Seconds for the check of a small file when it is opened."""
_BUSY_ERRORS = ("SQLITE_BUSY", "SQLITE_LOCKED")
_PRAGMAS = (
    # INVARIANT: what was acknowledged survives a power cut; NORMAL would not promise that.
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
)

_DIALECT = sqlite.dialect()


class BusyRetry:
    """Retries a locked file; the process that has waited longest is preferred.

    SQLite's own busy handler retries less and less often, and loses to processes that came later.
    """

    def __init__(self) -> None:
        self._contended_until = 0.0

    def run(self, execute: Callable[[str], object], statement: str) -> None:
        """Run a statement that needs a lock on the file, as soon as no other process holds it."""
        started = time.monotonic()
        if started < self._contended_until:
            # A process that has just written waits, or it would lock the file again before others retry.
            _sleep_before_retry(0.0)
        while not _try_statement(execute, statement, until=started + BUSY_TIMEOUT):
            now = time.monotonic()
            self._contended_until = now + _CONTENTION_SECONDS
            _sleep_before_retry(now - started)


class SqliteConnection:
    """Executes statements with Python's own driver; transactions begin and end only explicitly."""

    def __init__(self, file: FileIdentity, *, writing: bool = False) -> None:
        self._file = file
        self._writing = writing
        self._retry = BusyRetry()
        self.dialect: Dialect = _DIALECT
        self.driver = _open_driver(file, writing=writing)

    def fetch(self, text: str, values: Sequence[object]) -> Sequence[Any]:
        """Run a statement and return its rows."""
        with closing(self.driver.execute(text, values)) as cursor:
            return cursor.fetchall()

    def run(self, text: str, values: Sequence[object]) -> int:
        """Run a statement and return the number of rows it changed."""
        with closing(self.driver.execute(text, values)) as cursor:
            return cursor.rowcount

    def run_many(self, text: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement once for each row of values."""
        self.driver.executemany(text, rows).close()

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Commit everything or nothing; a commit whose outcome is unknown raises an error that says so."""
        if self._writing:
            self._retry.run(self.driver.execute, "BEGIN IMMEDIATE")
        else:
            self.driver.execute("BEGIN")
        try:
            yield
        except BaseException:
            self._roll_back()
            raise
        try:
            self._commit()
        except Exception as error:
            raise UnknownOutcomeError from error

    @contextmanager
    def savepoint(self) -> Generator[None]:
        """Undo only this part of a transaction when it fails."""
        self.driver.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self.driver.execute("ROLLBACK TO part")
            self.driver.execute("RELEASE part")
            raise
        self.driver.execute("RELEASE part")

    def data_version(self) -> int:
        """A number that changes when another connection has written; reading it needs no transaction."""
        ((version,),) = self.fetch("PRAGMA data_version", ())
        return int(version)

    def never_wait(self) -> None:
        """Fail at once, instead of waiting for a lock."""
        self.run("PRAGMA busy_timeout = 0", ())

    def close(self) -> None:
        """Close the connection; what was not committed is rolled back."""
        self.driver.close()

    def _commit(self) -> None:
        # INVARIANT: a commit during which the file was removed or replaced is not acknowledged.
        if self._writing:
            self._file.check_before_commit()
        self.driver.execute("COMMIT")
        if self._writing:
            self._file.check_after_commit()

    def _roll_back(self) -> None:
        # SQLite may have rolled back by itself, as after a full disk.
        if self.driver.in_transaction:
            self.driver.execute("ROLLBACK")


class SqliteReaders:
    """Read-only connections that threads share; a connection on which a read failed is not used again."""

    def __init__(self, file: FileIdentity) -> None:
        self._file = file
        self._idle: list[SqliteConnection] = []

    @contextmanager
    def connection(self) -> Generator[SqliteConnection]:
        """Borrow a connection for one read."""
        taken = self._take_connection()
        try:
            yield taken
        except AssentError:
            self._idle.append(taken)
            raise
        except BaseException:
            taken.close()
            raise
        self._idle.append(taken)

    def close(self) -> None:
        """Close the connections that no thread uses."""
        while self._idle:
            self._idle.pop().close()

    def _take_connection(self) -> SqliteConnection:
        try:
            # `pop` is atomic, so two threads never take the same connection.
            return self._idle.pop()
        except IndexError:
            return SqliteConnection(self._file)


def sqlite_engine(file: FileIdentity, *, writing: bool) -> Engine:
    """SQLAlchemy connections to a file, for migrations and maintenance."""
    engine = create_engine(
        "sqlite+pysqlite://", creator=partial(_open_driver, file, writing=writing), poolclass=NullPool
    )
    retry = BusyRetry()
    if writing:
        _check_commits(engine, file)

    @event.listens_for(engine, "begin")
    def _begin_transaction(connection: Connection) -> None:  # pyright: ignore[reportUnusedFunction]
        cursor = connection.connection.cursor()
        if writing:
            retry.run(cursor.execute, "BEGIN IMMEDIATE")
        else:
            cursor.execute("BEGIN")

    return engine


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedFile:
    """The result of `prepare_sqlite`: a file that was checked and is ready for use."""

    identity: FileIdentity
    quick_reader: SqliteConnection
    """A connection for short reads in the event loop; never in a transaction, and never waits for a lock."""
    lock: ServerLock | None
    newest: datetime | None
    secret: bytes
    upgraded_from: str
    """The schema before an upgrade; empty if the file was not upgraded."""


def prepare_sqlite(path: str, *, exclusive: bool, upgrade: bool) -> PreparedFile:
    """Check permissions, integrity and schema of a file before it is used."""
    is_new = prepare_file(path)
    identity = FileIdentity(path)
    lock = ServerLock(identity) if exclusive else None
    try:
        quick_reader = SqliteConnection(identity)
        upgraded_from = ""
        if not _is_usable(quick_reader, path):
            upgraded_from = _create_or_upgrade(identity, path, upgrade=upgrade or is_new)
        newest, secret = newest_timestamp(quick_reader), read_secret(quick_reader)
        quick_reader.never_wait()
        identity.add_log_files()
    except Exception as error:
        if lock is not None:
            lock.release()
        raise to_store_error(error, path) from error
    return PreparedFile(
        identity=identity,
        quick_reader=quick_reader,
        lock=lock,
        newest=newest,
        secret=secret,
        upgraded_from=upgraded_from,
    )


def _try_statement(execute: Callable[[str], object], statement: str, *, until: float) -> bool:
    """Try a statement; returns False while another process has the file and there is time left."""
    try:
        execute(statement)
    except sqlite3.OperationalError as error:
        is_busy = getattr(error, "sqlite_errorname", "").startswith(_BUSY_ERRORS)
        if not is_busy or time.monotonic() > until:
            raise
        return False
    return True


def _sleep_before_retry(waited: float) -> None:
    """Sleep before a retry; the longer a writer has waited, the shorter."""
    # The time is random, so that two processes do not retry at the same moments.
    delay = random.uniform(_RETRY_DELAY / 2, _RETRY_DELAY * 2)  # noqa: S311
    time.sleep(max(_SHORTEST_DELAY, delay / (1 + waited / _AGING_SECONDS)))


def _check_commits(engine: Engine, file: FileIdentity) -> None:
    """Check the file before and after each commit, as `SqliteConnection` does."""
    commit = engine.dialect.do_commit

    def checked_commit(connection: Any) -> None:
        file.check_before_commit()
        commit(connection)
        file.check_after_commit()

    engine.dialect.do_commit = checked_commit  # type: ignore[assignment,method-assign]


def _open_driver(file: FileIdentity, *, writing: bool) -> sqlite3.Connection:
    file.check()
    connection = sqlite3.connect(
        file.uri, uri=True, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False
    )
    file.check()
    # Two processes that create a file at once block each other here, and SQLite itself does not wait.
    BusyRetry().run(connection.execute, "PRAGMA journal_mode = WAL")
    for pragma in (*_PRAGMAS, "PRAGMA busy_timeout = 0" if writing else "PRAGMA query_only = ON"):
        connection.execute(pragma)
    return connection


def _is_usable(connection: SqliteConnection, path: str) -> bool:
    """Whether a file is undamaged and has our tables; other processes may write during the check."""
    with connection.transaction():
        problem = _find_damage(connection, path)
        if problem != "ok":
            what = problem.splitlines()[-1]
            raise StoreError(f"cannot use {path}: it is damaged ({what}); restore a backup")
        return schema.read_version(connection).is_usable


def _find_damage(connection: SqliteConnection, path: str) -> str:
    """Find damage in a short check; `assent db check` reads a large file completely."""
    driver = connection.driver
    ending = threading.Timer(
        _SMALL_CHECK_SECONDS if os.stat(path).st_size <= _SMALL_FILE_BYTES else _CHECK_SECONDS,
        driver.interrupt,
    )
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


def _create_or_upgrade(identity: FileIdentity, path: str, *, upgrade: bool) -> str:
    """Create or upgrade the tables, unless another process just did, or raise the reason why not.

    Returns the schema before an upgrade; empty if there was no upgrade.
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
