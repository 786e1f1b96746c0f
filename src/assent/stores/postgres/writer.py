"""The only writer of a process on PostgreSQL: a task that commits queued requests in batches."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from sqlalchemy.ext.asyncio import AsyncEngine

from assent.gate.audit import Entry
from assent.stores.audit.ledger import RETRY_DELAY, Ledger
from assent.stores.audit.outbox import MOVED_AT_ONCE, move_to_audit
from assent.stores.postgres.connections import PgConnection, send_notices
from assent.stores.sql.batch import (
    BatchResult,
    Job,
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
from assent.stores.sql.policy import read_moment
from assent.stores.sql.statement import Connection
from assent.stores.store import SharedState

_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 1.0
_TRIES = 3
"""Attempts for a whole batch when two pods add the same approval at the same moment."""


class PgWriter:
    """Commits all requests that were queued during the last commit together.

    A batch whose connection broke is retried until a timeout: each request has no effect if it
    was done already, so a retry after an unknown outcome is safe.
    """

    def __init__(self, engine: AsyncEngine, shared: SharedState, *, patience: float) -> None:
        self._engine = engine
        self._shared = shared
        self._ledger = shared.ledger
        self._patience = patience
        self._jobs: list[Job] = []
        self._flushing: list[asyncio.Future[None]] = []
        self._news = asyncio.Event()
        self._connection: PgConnection | None = None
        self._mover = OutboxMover(engine, shared.ledger)
        self._ending = False
        self._task = asyncio.create_task(self._run())

    def put(self, request: WriteRequest) -> asyncio.Future[object]:
        """Queue a write request."""
        outcome: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        if self._ending:
            outcome.set_exception(self._shared.closed_error())
        else:
            self._jobs.append(Job(request, outcome))
            self._news.set()
        return outcome

    def record(self, entry: Entry) -> None:
        """Queue an audit entry, which is written with the next commit or after a short delay."""
        self._ledger.add(entry)
        self._news.set()

    async def recorded(self) -> None:
        """Wait until every queued entry is written or spooled."""
        if not self._ending:
            flushed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._flushing.append(flushed)
            self._news.set()
            await flushed

    async def close(self) -> None:
        """Finish the queued requests, write the audit, and stop."""
        self._ending = True
        self._news.set()
        await self._task

    async def _run(self) -> None:
        while not self._ending or self._jobs:
            is_news = await self._is_news()
            jobs, self._jobs = self._jobs, []
            if jobs:
                await self._commit(jobs)
            if self._flushing or self._ledger.is_due(idle=not (jobs or is_news)):
                await self._record()
        await self._record()
        await self._attempt(self._ledger.close_chain)
        await self._mover.close()
        self._ledger.write_spool()
        await self._drop()

    async def _is_news(self) -> bool:
        """Wait for a request; False if only audit entries are left to write."""
        if not (self._jobs or self._flushing or self._ending):
            self._news.clear()
            try:
                async with asyncio.timeout(self._ledger.wait_timeout()):
                    await self._news.wait()
            except TimeoutError:
                return False
        return True

    async def _commit(self, jobs: Sequence[Job]) -> None:
        requests = [job.request for job in jobs]
        deadline, pause, tries, unheard = time.monotonic() + self._patience, _FIRST_PAUSE, 0, False
        while True:
            try:
                done = await self._written(requests)
                break
            except Exception as error:  # noqa: BLE001 - every caller is told
                self._ledger.mark_rolled_back()
                await self._drop()
                tries, unheard = tries + 1, unheard or is_outcome_unknown(error)
                self._shared.commits.record_failure(
                    to_store_error(error, self._shared.address, outcome_unknown=unheard)
                )
                if is_data_error(error) and tries < _TRIES:
                    continue
                if (is_data_error(error) or is_lock_timeout(error)) and len(jobs) > 1:
                    for job in jobs:
                        await self._commit([job])
                    return
                # After this process was suspended, the server has not been waited for yet.
                is_late = tries > 1 and time.monotonic() + pause > deadline
                if not is_retryable(error) or is_late:
                    done = BatchResult(
                        [to_store_error(error, self._shared.address, outcome_unknown=unheard)] * len(jobs)
                    )
                    break
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        deliver_results(jobs, done)
        self._shared.waiters.notify(done.ended)
        if done.has_events:
            self._shared.signal.publish()

    async def _written(self, requests: Sequence[WriteRequest]) -> BatchResult:
        connection = await self._connected()
        async with connection.transaction():
            done = await connection.work(partial(self._work, requests=requests))
        self._shared.commits.record_success()
        self._ledger.mark_committed()
        self._mover.wake()
        self._shared.approvals.cache(done.new_questions)
        return done

    def _work(self, connection: Connection, requests: Sequence[WriteRequest]) -> BatchResult:
        done = run_batch(connection, self._shared.approvals, None, requests)
        # INVARIANT: an answer or a claim is never committed without its entry.
        self._ledger.write(connection, done.at or read_moment(connection, None).at, done.entries)
        send_notices(connection, [approval.id for approval in done.ended])
        return done

    async def _record(self) -> None:
        """Write waiting entries to the outbox and wake the mover."""
        flushing, self._flushing = self._flushing, []
        if self._ledger.unwritten:
            await self._attempt(self._link)
        self._mover.wake()
        if flushing:
            await self._mover.move_all()
        resolve_flushes(flushing)

    async def _attempt(self, work: Callable[[Connection], None]) -> None:
        """Run work for the audit, whose errors never reach a caller."""
        try:
            connection = await self._connected()
            async with connection.transaction():
                await connection.work(work)
            self._ledger.mark_committed()
        except Exception as error:  # noqa: BLE001 - the log hears of it
            self._ledger.mark_rolled_back()
            self._ledger.mark_failed(error)
            await self._drop()

    def _link(self, connection: Connection) -> None:
        self._ledger.write(connection, read_moment(connection, None).at)

    async def _connected(self) -> PgConnection:
        if self._connection is None:
            self._connection = await PgConnection.open(self._engine)
        return self._connection

    async def _drop(self) -> None:
        """Drop the connection after an error; its transaction is rolled back."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.discard()


REST = 0.05
"""Shortest time in seconds between two moves."""
LOOK = 5.0
"""Seconds between checks for rows that a dead process left in the outbox."""
_LOCKED = 1000
"""Milliseconds that a move waits for a locked table."""


class OutboxMover:
    """Moves the outbox to the audit on its own connection; a locked audit table blocks only this."""

    def __init__(self, engine: AsyncEngine, ledger: Ledger) -> None:
        self._engine = engine
        self._ledger = ledger
        self._news = asyncio.Event()
        self._connection: PgConnection | None = None
        self._turn = asyncio.Lock()
        self._task = asyncio.create_task(self._run())

    def wake(self) -> None:
        """Move soon: the outbox may have rows."""
        if len(self._ledger):
            self._news.set()

    async def move_all(self) -> None:
        """Move all rows of the outbox, or return after the first failure."""
        async with self._turn:
            try:
                while await self._move() == MOVED_AT_ONCE:
                    pass
                self._ledger.mark_moved()
            except Exception as error:  # noqa: BLE001 - the audit never fails a call
                self._ledger.mark_failed(error)
                await self._drop()

    async def close(self) -> None:
        """Move once more, and stop."""
        self._task.cancel()
        await asyncio.wait([self._task])
        if len(self._ledger):
            await self.move_all()
        await self._drop()

    async def _run(self) -> None:
        while True:
            await self.move_all()
            self._news.clear()
            await asyncio.sleep(RETRY_DELAY if self._ledger.spooled else REST)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK):
                    await self._news.wait()

    async def _move(self) -> int:
        connection = await self._connected()
        async with connection.transaction():
            return await connection.work(move_to_audit)

    async def _connected(self) -> PgConnection:
        if self._connection is None:
            self._connection = await PgConnection.open(self._engine)
            await self._connection.set("lock_timeout", str(_LOCKED))
        return self._connection

    async def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.discard()
