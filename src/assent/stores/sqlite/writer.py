"""The only writer of an SQLite file in this process: a thread that commits queued requests in batches."""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence

from assent.gate.audit import Entry
from assent.stores.audit.outbox import MOVED_AT_ONCE, move_to_audit
from assent.stores.sql.batch import (
    BatchResult,
    Job,
    WriteRequest,
    deliver_results,
    resolve_flushes,
    run_batch,
)
from assent.stores.sql.errors import is_data_error, to_store_error
from assent.stores.sql.times import Clock
from assent.stores.sqlite.connection import SqliteConnection, SqliteReaders
from assent.stores.sqlite.file import FileIdentity
from assent.stores.store import SharedState

POLL_INTERVAL = 0.025
"""Seconds between checks for writes of other processes while tasks wait for answers."""
SLOW_POLL_INTERVAL = 0.1
"""The same while tasks wait only for changes."""


class SqliteWriter:
    """Commits all requests that were queued during the last commit together."""

    def __init__(self, file: FileIdentity, readers: SqliteReaders, clock: Clock, shared: SharedState) -> None:
        self._file = file
        self._readers = readers
        self._clock = clock
        self._shared = shared
        self._ledger, self._wakes, self._stirs = shared.ledger, shared.waiters, shared.signal
        self._loop = asyncio.get_running_loop()
        self._put: list[Job] = []
        self._queue: queue.SimpleQueue[list[Job] | asyncio.Future[None] | None] = queue.SimpleQueue()
        self._connection: SqliteConnection | None = None
        self._seen = -1
        self._ending = False
        self._flushing: list[asyncio.Future[None]] = []
        self._thread = threading.Thread(target=self._run, name="assent-writer", daemon=True)
        shared.waiters.on_first_waiter = shared.signal.on_first_waiter = self._nudge
        self._thread.start()

    def put(self, request: WriteRequest) -> asyncio.Future[object]:
        """Queue a write request."""
        outcome: asyncio.Future[object] = self._loop.create_future()
        if self._ending:
            outcome.set_exception(self._shared.closed_error())
            return outcome
        if not self._put:
            # Requests of one turn of the event loop are sent together.
            self._loop.call_soon(self._send)
        self._put.append(Job(request, outcome))
        return outcome

    def record(self, entry: Entry) -> None:
        """Queue an audit entry, which is written with the next commit or after a short delay."""
        is_first = not self._ledger.unwritten
        self._ledger.add(entry)
        if is_first:
            self._nudge()

    async def recorded(self) -> None:
        """Wait until every queued entry is written or spooled."""
        if not self._ending:
            flushed: asyncio.Future[None] = self._loop.create_future()
            self._send()
            self._queue.put(flushed)
            await flushed

    async def close(self) -> None:
        """Finish the queued requests, write the audit, and stop."""
        if not self._ending:
            self._ending = True
            self._send()
            self._nudge()
            await asyncio.to_thread(self._thread.join)

    def _send(self) -> None:
        jobs, self._put = self._put, []
        if jobs:
            self._queue.put(jobs)

    def _nudge(self) -> None:
        self._queue.put(None)

    # ---- in the thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            jobs, is_lull = self._taken()
            if jobs:
                self._commit(jobs)
            elif len(self._wakes) or len(self._stirs):
                self._glance()
            if self._flushing or self._ledger.is_due(idle=is_lull):
                self._record()
            if self._ending and self._queue.empty():
                break
        self._record()
        self._attempt(self._close_chain)
        self._ledger.write_spool()
        self._drop()

    def _taken(self) -> tuple[list[Job], bool]:
        """All queued requests, or the next one; True if nothing came for a while."""
        jobs: list[Job] = []
        is_lull = True
        try:
            self._take(jobs, self._queue.get(timeout=self._patience()))
            is_lull = False
            while True:
                self._take(jobs, self._queue.get_nowait())
        except queue.Empty:
            return jobs, is_lull

    def _patience(self) -> float | None:
        rest = self._ledger.wait_timeout()
        look = POLL_INTERVAL if len(self._wakes) else SLOW_POLL_INTERVAL if len(self._stirs) else None
        return min((one for one in (rest, look) if one is not None), default=None)

    def _take(self, jobs: list[Job], item: list[Job] | asyncio.Future[None] | None) -> None:
        if isinstance(item, list):
            jobs += item
        elif item is not None:
            self._flushing.append(item)

    def _commit(self, jobs: Sequence[Job]) -> None:
        try:
            done = self._written([job.request for job in jobs])
        except Exception as error:  # noqa: BLE001 - every caller is told
            self._ledger.mark_rolled_back()
            self._drop()
            if is_data_error(error) and len(jobs) > 1:
                for job in jobs:
                    self._commit([job])
                return
            done = BatchResult([to_store_error(error, self._shared.address)] * len(jobs))
        self._tell(self._hand_over, jobs, done)

    def _written(self, requests: Sequence[WriteRequest]) -> BatchResult:
        connection = self._connected()
        with connection.transaction():
            done = run_batch(connection, self._shared.approvals, self._clock, requests)
            # INVARIANT: an answer or a claim is never committed without its entry.
            self._ledger.write(connection, done.at or self._clock(), done.entries)
        self._shared.commits.record_success()
        self._ledger.mark_committed()
        self._shared.approvals.cache(done.new_questions)
        return done

    def _record(self) -> None:
        """Write waiting entries to the outbox, and move the outbox to the audit if possible."""
        flushing, self._flushing = self._flushing, []
        if len(self._ledger):
            self._attempt(self._write_and_move)
        self._tell(resolve_flushes, flushing)

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
        if problem is None and moved < MOVED_AT_ONCE:
            self._ledger.mark_moved()
        return problem

    def _close_chain(self, connection: SqliteConnection) -> None:
        with connection.transaction():
            self._ledger.close_chain(connection)

    def _attempt(self, work: Callable[[SqliteConnection], Exception | None]) -> None:
        """Run work for the audit, whose errors never reach a caller."""
        try:
            problem = work(self._connected())
        except Exception as error:  # noqa: BLE001 - the log hears of it
            self._ledger.mark_rolled_back()
            self._drop()
            problem = error
        if problem is not None:
            self._ledger.mark_failed(problem)

    def _glance(self) -> None:
        """Notify tasks whose approval another process answered."""
        try:
            seen = self._connected().data_version()
            if seen == self._seen:
                return
            with self._readers.connection() as connection:
                ids = self._wakes.ids()
                ended = self._shared.approvals.read_ended(connection, ids) if ids else []
            self._seen = seen
            self._tell(self._wakes.notify, ended)
            self._tell(self._stirs.notify)
        except Exception:  # noqa: BLE001 - it is looked at again in a moment, and callers hear of it elsewhere
            self._drop()

    def _connected(self) -> SqliteConnection:
        if self._connection is None:
            self._connection = SqliteConnection(self._file, writing=True)
        return self._connection

    def _drop(self) -> None:
        """Drop the connection after an error; its transaction is rolled back."""
        connection, self._connection, self._seen = self._connection, None, -1
        if connection is not None:
            connection.close()

    def _tell(self, what: Callable[..., None], *words: object) -> None:
        try:
            self._loop.call_soon_threadsafe(what, *words)
        except RuntimeError:
            # The program ended its event loop without closing the store.
            self._ending = True

    # ---- in the event loop -----------------------------------------------------------------------

    def _hand_over(self, jobs: Sequence[Job], done: BatchResult) -> None:
        deliver_results(jobs, done)
        self._wakes.notify(done.ended)
        if done.has_events:
            self._stirs.publish()
