"""A store in PostgreSQL: connections that read, and one task that commits requests in batches."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import NullPool

from assent.errors import StoreError
from assent.gate.approval import Approval
from assent.gate.audit import Entry
from assent.stores.audit.ledger import RETRY_DELAY, Ledger
from assent.stores.audit.outbox import MAX_MOVED_ROWS, move_to_audit
from assent.stores.postgres.connections import (
    POLL_SECONDS,
    Listener,
    PgConnection,
    PgPool,
    postgres_engine,
    prepare_postgres,
    send_notices,
)
from assent.stores.sql.batch import (
    BatchResult,
    WriteJob,
    WriteRequest,
    deliver_results,
    resolve_flushes,
    run_batch,
)
from assent.stores.sql.errors import (
    is_data_error,
    is_lock_timeout,
    is_outcome_unknown,
    is_retryable,
    to_store_error,
)
from assent.stores.sql.statement import Connection, read_moment
from assent.stores.store import SharedState, SqlStore, new_shared_state

T = TypeVar("T")
SERVER_TIMEOUT = 10.0
"""Seconds for which requests wait for an unreachable server."""
_READER_CONNECTIONS = 4
_RETRY_DELAY = 0.05

_FIRST_DELAY, _LONGEST_DELAY = 0.02, 1.0

_MAX_BATCH_TRIES = 3
"""The number of attempts for a batch if two pods add the same approval at the same time."""
MOVE_INTERVAL_SECONDS = 0.05
"""The minimum number of seconds between two moves of rows from the outbox to the audit."""
OUTBOX_CHECK_SECONDS = 5.0
"""Seconds between checks for rows that a dead process left in the outbox."""
_MOVE_LOCK_TIMEOUT_MS = 1000
"""Milliseconds that a move of rows to the audit waits for a locked table."""
_log = logging.getLogger("assent.store")


async def open_postgres(
    url: str,
    *,
    timeout: float = SERVER_TIMEOUT,
    upgrade: bool = False,
    spool: str = "",
    poll: float = POLL_SECONDS,
) -> SqlStore:
    """Open a database; `spool` is a file for audit entries that cannot be written before the process ends."""
    address = parse_address(url)
    where = without_password(address)
    secret = await prepare_postgres(address, where, upgrade=upgrade)
    common = new_shared_state(where, spool)
    database = PostgresDatabase(address, common, timeout=timeout, poll=poll)
    store = SqlStore(database, common, secret=secret, clock=None)
    await store.record_heartbeat()
    await store.close_chains()
    return store


class PostgresDatabase:
    """One connection that writes, one that listens, and a few that read."""

    def __init__(self, address: URL, shared: SharedState, *, timeout: float, poll: float) -> None:
        self._shared = shared
        self._patience = timeout
        self._engine = postgres_engine(address, timeout, poolclass=NullPool)
        # A read is one statement without a transaction, which saves two round trips.
        self._reading = PgPool(self._engine, _READER_CONNECTIONS)
        self._writer = PgWriter(self._engine, shared, timeout=timeout)
        self._listener = Listener(self._engine, shared, self._read_ended, poll=poll)
        self.put, self.record, self.wait_until_recorded = (
            self._writer.put,
            self._writer.record,
            self._writer.wait_until_recorded,
        )
        self._is_open = True
        self._reads: set[object] = set()
        self._quiet = asyncio.Event()

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a read on committed data; it is retried if its connection breaks."""
        deadline = time.monotonic() + self._patience
        while True:
            if not self._is_open:
                raise self._shared.closed_error()
            try:
                return await self._read_on_connection(work)
            except Exception as error:
                if not is_retryable(error) or time.monotonic() > deadline:
                    raise to_store_error(error, self._shared.address) from error
            await asyncio.sleep(_RETRY_DELAY)

    async def read_quickly(self, work: Callable[[Connection], T]) -> T:
        """Run a short read; on this database it is like any other read."""
        return await self.read(work)

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
            await self._writer.close()
            while self._reads:
                self._quiet.clear()
                await self._quiet.wait()
            await self._reading.close()
            await self._engine.dispose()
            # The event loop cleans up broken connections in its next turns.
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    async def _read_on_connection(self, work: Callable[[Connection], T]) -> T:
        mark = object()
        self._reads.add(mark)
        try:
            return await self._reading.run(work)
        finally:
            self._reads.discard(mark)
            self._quiet.set()

    async def _read_ended(self, ids: Sequence[str]) -> Sequence[Approval]:
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


class PgWriter:
    """Commits all requests that were queued during the last commit together.

    A batch whose connection broke is retried until a timeout: each request has no effect if it
    was done already, so a retry after an unknown outcome is safe.
    """

    def __init__(self, engine: AsyncEngine, shared: SharedState, *, timeout: float) -> None:
        self._engine = engine
        self._shared = shared
        self._ledger = shared.ledger
        self._patience = timeout
        self._jobs: list[WriteJob] = []
        self._flushing: list[asyncio.Future[None]] = []
        self._wake = asyncio.Event()
        self._connection: PgConnection | None = None
        self._mover = OutboxMover(engine, shared.ledger)
        self._ending = False
        self._task = asyncio.create_task(self._run_loop())

    def put(self, request: WriteRequest) -> asyncio.Future[object]:
        """Queue a write request."""
        outcome: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        if self._ending:
            outcome.set_exception(self._shared.closed_error())
        else:
            self._jobs.append(WriteJob(request, outcome))
            self._wake.set()
        return outcome

    def record(self, entry: Entry) -> None:
        """Queue an audit entry, which is written with the next commit or after a short delay."""
        self._ledger.add(entry)
        self._wake.set()

    async def wait_until_recorded(self) -> None:
        """Wait until every queued audit entry is in the database or in the spool file."""
        if not self._ending:
            flushed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._flushing.append(flushed)
            self._wake.set()
            await flushed

    async def close(self) -> None:
        """Finish the queued requests, write the audit, and stop."""
        self._ending = True
        self._wake.set()
        await self._task

    async def _run_loop(self) -> None:
        while not self._ending or self._jobs:
            has_request = await self._wait_for_request()
            jobs, self._jobs = self._jobs, []
            if jobs:
                await self._commit(jobs)
            if self._flushing or self._ledger.is_due(idle=not (jobs or has_request)):
                await self._write_audit()
        await self._write_audit()
        await self._try_audit(self._ledger.close_chain)
        await self._mover.close()
        self._ledger.write_spool()
        await self._drop_connection()

    async def _wait_for_request(self) -> bool:
        """Wait for a request; False if only audit entries are left to write."""
        if not (self._jobs or self._flushing or self._ending):
            self._wake.clear()
            try:
                async with asyncio.timeout(self._ledger.wait_timeout()):
                    await self._wake.wait()
            except TimeoutError:
                return False
        return True

    async def _commit(self, jobs: Sequence[WriteJob]) -> None:
        requests = [job.request for job in jobs]
        deadline, pause, tries, unheard = time.monotonic() + self._patience, _FIRST_DELAY, 0, False
        while True:
            try:
                done = await self._write_batch(requests)
                break
            except Exception as error:  # noqa: BLE001 - every caller is told
                self._ledger.mark_rolled_back()
                await self._drop_connection()
                tries, unheard = tries + 1, unheard or is_outcome_unknown(error)
                self._shared.commits.record_failure(
                    to_store_error(error, self._shared.address, outcome_unknown=unheard)
                )
                if is_data_error(error) and tries < _MAX_BATCH_TRIES:
                    continue
                if (is_data_error(error) or is_lock_timeout(error)) and len(jobs) > 1:
                    for job in jobs:
                        await self._commit([job])
                    return
                # If this process was suspended, it has not waited for the server yet.
                is_late = tries > 1 and time.monotonic() + pause > deadline
                if not is_retryable(error) or is_late:
                    done = BatchResult(
                        [to_store_error(error, self._shared.address, outcome_unknown=unheard)] * len(jobs)
                    )
                    break
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_DELAY)
        deliver_results(jobs, done)
        self._shared.waiters.notify(done.ended)
        if done.has_events:
            self._shared.signal.publish()

    async def _write_batch(self, requests: Sequence[WriteRequest]) -> BatchResult:
        connection = await self._connect()
        async with connection.transaction():
            done = await connection.run_sync(partial(self._run_requests, requests=requests))
        self._shared.commits.record_success()
        self._ledger.mark_committed()
        self._mover.wake()
        self._shared.approvals.cache_questions(done.new_questions)
        return done

    def _run_requests(self, connection: Connection, requests: Sequence[WriteRequest]) -> BatchResult:
        done = run_batch(connection, self._shared.approvals, None, requests)
        # INVARIANT: an answer or a claim is never committed without its entry.
        self._ledger.write(connection, done.at or read_moment(connection, None).at, done.entries)
        send_notices(connection, [approval.id for approval in done.ended])
        return done

    async def _write_audit(self) -> None:
        """Write waiting entries to the outbox and wake the mover."""
        flushing, self._flushing = self._flushing, []
        if self._ledger.unwritten_count:
            await self._try_audit(self._link_entries)
        self._mover.wake()
        if flushing:
            await self._mover.move_all()
        resolve_flushes(flushing)

    async def _try_audit(self, work: Callable[[Connection], None]) -> None:
        """Run work for the audit, whose errors never reach a caller."""
        try:
            connection = await self._connect()
            async with connection.transaction():
                await connection.run_sync(work)
            self._ledger.mark_committed()
        except Exception as error:  # noqa: BLE001 - the log hears of it
            self._ledger.mark_rolled_back()
            self._ledger.mark_failed(error)
            await self._drop_connection()

    def _link_entries(self, connection: Connection) -> None:
        self._ledger.write(connection, read_moment(connection, None).at)

    async def _connect(self) -> PgConnection:
        if self._connection is None:
            self._connection = await PgConnection.open(self._engine)
        return self._connection

    async def _drop_connection(self) -> None:
        """Close the connection after an error; its transaction is rolled back."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.discard()


class OutboxMover:
    """Moves rows from the outbox to the audit on its own connection, which a locked table may block."""

    def __init__(self, engine: AsyncEngine, ledger: Ledger) -> None:
        self._engine = engine
        self._ledger = ledger
        self._wake = asyncio.Event()
        self._connection: PgConnection | None = None
        self._turn = asyncio.Lock()
        self._task = asyncio.create_task(self._run_loop())

    def wake(self) -> None:
        """Start a move soon, because the outbox may have rows."""
        if len(self._ledger):
            self._wake.set()

    async def move_all(self) -> None:
        """Move all rows of the outbox, or return after the first failure."""
        async with self._turn:
            try:
                while await self._move_batch() == MAX_MOVED_ROWS:
                    pass
                self._ledger.mark_moved()
            except Exception as error:  # noqa: BLE001 - the audit never fails a call
                self._ledger.mark_failed(error)
                await self._drop_connection()

    async def close(self) -> None:
        """Move the waiting rows one last time, and stop."""
        self._task.cancel()
        await asyncio.wait([self._task])
        if len(self._ledger):
            await self.move_all()
        await self._drop_connection()

    async def _run_loop(self) -> None:
        while True:
            await self.move_all()
            self._wake.clear()
            await asyncio.sleep(RETRY_DELAY if self._ledger.spooled_count else MOVE_INTERVAL_SECONDS)
            with suppress(TimeoutError):
                async with asyncio.timeout(OUTBOX_CHECK_SECONDS):
                    await self._wake.wait()

    async def _move_batch(self) -> int:
        connection = await self._connect()
        async with connection.transaction():
            return await connection.run_sync(move_to_audit)

    async def _connect(self) -> PgConnection:
        if self._connection is None:
            self._connection = await PgConnection.open(self._engine)
            await self._connection.set_parameter("lock_timeout", str(_MOVE_LOCK_TIMEOUT_MS))
        return self._connection

    async def _drop_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.discard()
