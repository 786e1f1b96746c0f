"""A store in an SQLite file: threads that read, and one thread that commits requests in batches."""

import asyncio
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from assent.errors import AssentError
from assent.gate.audit import Entry
from assent.stores.audit.outbox import MAX_MOVED_ROWS, move_to_audit
from assent.stores.sql.batch import (
    BatchResult,
    WriteJob,
    WriteRequest,
    deliver_results,
    resolve_flushes,
    run_batch,
)
from assent.stores.sql.errors import is_data_error, to_store_error
from assent.stores.sql.statement import Clock, Connection, HostClock, MonotonicClock
from assent.stores.sql.writer_state import WriterState
from assent.stores.sqlite.connection import PreparedFile, SqliteConnection, SqliteReaders, prepare_sqlite
from assent.stores.sqlite.file import FileIdentity
from assent.stores.store import SharedState, SqlStore, new_shared_state

T = TypeVar("T")
_READER_THREADS = 3
POLL_INTERVAL = 0.025
"""Seconds between checks for writes of other processes while tasks wait for answers."""
SLOW_POLL_INTERVAL = 0.1
"""Seconds between these checks while tasks wait only for changes."""
_log = logging.getLogger("assent.store")


async def open_sqlite(
    path: str, *, exclusive: bool = False, upgrade: bool = True, clock: Clock | None = None
) -> SqlStore:
    """Open or create a file; `exclusive` is for a server, because a file has at most one server."""
    file = await asyncio.to_thread(prepare_sqlite, path, exclusive=exclusive, upgrade=upgrade)
    common = new_shared_state(path, f"{file.identity.path}.audit.jsonl")
    clock = MonotonicClock(clock or HostClock(file.newest))
    database = SqliteDatabase(file, clock, common)
    store = SqlStore(database, common, secret=file.secret, clock=clock, upgraded_from=file.upgraded_from)
    await store.record_heartbeat()
    await store.close_chains()
    return store


class SqliteDatabase:
    """One thread that writes, and a few that read beside it."""

    def __init__(self, file: PreparedFile, clock: Clock, shared: SharedState) -> None:
        self._file = file
        self._shared = shared
        self._threads = ThreadPoolExecutor(_READER_THREADS, thread_name_prefix="assent-reader")
        self._readers = SqliteReaders(file.identity)
        self._quick_reader = file.quick_reader
        self._has_quick_read_failed = False
        self._writer = SqliteWriter(file.identity, self._readers, clock, shared)
        self.put, self.record, self.wait_until_recorded = (
            self._writer.put,
            self._writer.record,
            self._writer.wait_until_recorded,
        )
        self._is_open = True

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a read in a thread, on committed data."""
        if not self._is_open:
            raise self._shared.closed_error()
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._read_in_thread, work)

    async def read_quickly(self, work: Callable[[Connection], T]) -> T:
        """Run a short read in the event loop, which is faster than in a thread."""
        if not self._is_open:
            raise self._shared.closed_error()
        try:
            self._file.identity.check()
            return work(self._usable_quick_reader())
        except AssentError:
            pass
        except Exception:  # noqa: BLE001 - whatever it was, a thread may wait for it, and tells of it
            # INVARIANT: a connection on which a read failed is not used again: it may hold an old state.
            self._has_quick_read_failed = True
        return await self.read(work)

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
        self._quick_reader.close()
        self._readers.close()
        if self._file.lock is not None:
            self._file.lock.release()

    def _read_in_thread(self, work: Callable[[Connection], T]) -> T:
        try:
            # If the file was replaced, its old policy must not allow calls any more.
            self._file.identity.check()
            with self._readers.connection() as connection:
                return work(connection)
        except Exception as error:
            raise to_store_error(error, self._shared.address) from error

    def _usable_quick_reader(self) -> SqliteConnection:
        if self._has_quick_read_failed:
            # The new connection comes first: when the last one is closed, SQLite removes the log of the file.
            failed, self._quick_reader = self._quick_reader, SqliteConnection(self._file.identity)
            failed.close()
            self._quick_reader.never_wait()
            self._has_quick_read_failed = False
        return self._quick_reader


class SqliteWriter:
    """Commits all requests that were queued during the last commit together."""

    def __init__(self, file: FileIdentity, readers: SqliteReaders, clock: Clock, shared: SharedState) -> None:
        self._file = file
        self._readers = readers
        self._clock = clock
        self._shared = shared
        self._ledger, self._waiters, self._signal = shared.ledger, shared.waiters, shared.signal
        self._loop = asyncio.get_running_loop()
        self._put: list[WriteJob] = []
        self._queue: queue.SimpleQueue[list[WriteJob] | asyncio.Future[None] | None] = queue.SimpleQueue()
        self._connection: SqliteConnection | None = None
        self._data_version = -1
        self._state = WriterState()
        self._ending = False
        self._flushing: list[asyncio.Future[None]] = []
        self._thread = threading.Thread(target=self._run_thread, name="assent-writer", daemon=True)
        shared.waiters.on_first_waiter = shared.signal.on_first_waiter = self._wake_thread
        self._thread.start()

    def put(self, request: WriteRequest) -> asyncio.Future[object]:
        """Queue a write request."""
        outcome: asyncio.Future[object] = self._loop.create_future()
        if self._ending:
            outcome.set_exception(self._shared.closed_error())
            return outcome
        if not self._put:
            # Requests of one turn of the event loop are sent together.
            self._loop.call_soon(self._send_requests)
        self._put.append(WriteJob(request, outcome))
        return outcome

    def record(self, entry: Entry) -> None:
        """Queue an audit entry, which is written with the next commit or after a short delay."""
        is_first = not self._ledger.unwritten_count
        self._ledger.add(entry)
        if is_first:
            self._wake_thread()

    async def wait_until_recorded(self) -> None:
        """Wait until every queued audit entry is in the database or in the spool file."""
        if not self._ending:
            flushed: asyncio.Future[None] = self._loop.create_future()
            self._send_requests()
            self._queue.put(flushed)
            await flushed

    async def close(self) -> None:
        """Finish the queued requests, write the audit, and stop."""
        if not self._ending:
            self._ending = True
            self._send_requests()
            self._wake_thread()
            await asyncio.to_thread(self._thread.join)

    def _send_requests(self) -> None:
        jobs, self._put = self._put, []
        if jobs:
            self._queue.put(jobs)

    def _wake_thread(self) -> None:
        self._queue.put(None)

    # ---- in the thread ---------------------------------------------------------------------------

    def _run_thread(self) -> None:
        while True:
            jobs, is_idle = self._take_requests()
            if jobs:
                self._commit(jobs)
            elif len(self._waiters) or len(self._signal):
                self._notify_waiters()
            if self._flushing or self._ledger.is_due(idle=is_idle):
                self._write_audit()
            if self._ending and self._queue.empty():
                break
        self._write_audit()
        self._try_audit(self._close_chain)
        self._ledger.write_spool()
        self._drop_connection()

    def _take_requests(self) -> tuple[list[WriteJob], bool]:
        """Take all queued requests, or wait for one; the second value is true if none came for a while."""
        jobs: list[WriteJob] = []
        is_idle = True
        try:
            self._add_item(jobs, self._queue.get(timeout=self._wait_timeout()))
            is_idle = False
            while True:
                self._add_item(jobs, self._queue.get_nowait())
        except queue.Empty:
            return jobs, is_idle

    def _wait_timeout(self) -> float | None:
        rest = self._ledger.wait_timeout()
        read_quickly = (
            POLL_INTERVAL if len(self._waiters) else SLOW_POLL_INTERVAL if len(self._signal) else None
        )
        return min((one for one in (rest, read_quickly) if one is not None), default=None)

    def _add_item(self, jobs: list[WriteJob], item: list[WriteJob] | asyncio.Future[None] | None) -> None:
        if isinstance(item, list):
            jobs += item
        elif item is not None:
            self._flushing.append(item)

    def _commit(self, jobs: Sequence[WriteJob]) -> None:
        try:
            done = self._write_batch([job.request for job in jobs])
        except Exception as error:  # noqa: BLE001 - every caller is told
            self._ledger.mark_rolled_back()
            self._drop_connection()
            if is_data_error(error) and len(jobs) > 1:
                for job in jobs:
                    self._commit([job])
                return
            done = BatchResult([to_store_error(error, self._shared.address)] * len(jobs))
        self._call_in_loop(self._deliver_results, jobs, done)

    def _write_batch(self, requests: Sequence[WriteRequest]) -> BatchResult:
        connection = self._connect()
        with connection.transaction():
            # Within the transaction, so that no other process writes after it was read.
            self._state.forget_unless(connection.data_version())
            done = run_batch(connection, self._shared.approvals, self._clock, requests, self._state)
            # INVARIANT: an answer or a claim is never committed without its entry.
            self._ledger.write(connection, done.at or self._clock(), done.entries)
        self._ledger.mark_committed()
        self._shared.commits.record_success()
        self._shared.approvals.cache_questions(done.new_questions)
        return done

    def _write_audit(self) -> None:
        """Write waiting entries to the outbox, and move the outbox to the audit if possible."""
        flushing, self._flushing = self._flushing, []
        if len(self._ledger):
            self._try_audit(self._write_and_move)
        self._call_in_loop(resolve_flushes, flushing)

    def _write_and_move(self, connection: SqliteConnection) -> Exception | None:
        moved, problem = 0, None
        with connection.transaction():
            self._ledger.write(connection, self._clock())
            try:
                with connection.savepoint():
                    moved = move_to_audit(connection)
            except sqlite3.Error as error:
                problem = error
        self._ledger.mark_committed()
        if problem is None and moved < MAX_MOVED_ROWS:
            self._ledger.mark_moved()
        return problem

    def _close_chain(self, connection: SqliteConnection) -> None:
        with connection.transaction():
            self._ledger.close_chain(connection)

    def _try_audit(self, work: Callable[[SqliteConnection], Exception | None]) -> None:
        """Run work for the audit, whose errors never reach a caller."""
        try:
            problem = work(self._connect())
        except Exception as error:  # noqa: BLE001 - the log hears of it
            self._ledger.mark_rolled_back()
            self._drop_connection()
            problem = error
        if problem is not None:
            self._ledger.mark_failed(problem)

    def _notify_waiters(self) -> None:
        """Notify tasks whose approval another process answered."""
        try:
            seen = self._connect().data_version()
            if seen == self._data_version:
                return
            with self._readers.connection() as connection:
                ids = self._waiters.ids()
                ended = self._shared.approvals.read_ended(connection, ids) if ids else []
            self._data_version = seen
            self._call_in_loop(self._waiters.notify, ended)
            self._call_in_loop(self._signal.notify)
        except Exception:  # noqa: BLE001 - it is looked at again in a moment, and callers hear of it elsewhere
            self._drop_connection()

    def _connect(self) -> SqliteConnection:
        if self._connection is None:
            self._connection = SqliteConnection(self._file, writing=True)
        return self._connection

    def _drop_connection(self) -> None:
        """Close the connection after an error; its transaction is rolled back."""
        connection, self._connection, self._data_version = self._connection, None, -1
        self._state.forget()
        if connection is not None:
            connection.close()

    def _call_in_loop(self, callback: Callable[..., None], *values: object) -> None:
        try:
            self._loop.call_soon_threadsafe(callback, *values)
        except RuntimeError:
            # The program closed its event loop without closing the store.
            self._ending = True

    # ---- in the event loop -----------------------------------------------------------------------

    def _deliver_results(self, jobs: Sequence[WriteJob], done: BatchResult) -> None:
        deliver_results(jobs, done)
        self._waiters.notify(done.ended)
        if done.has_events:
            self._signal.publish()
