"""The one writer of an SQLite file in this process: a thread that commits whatever has queued."""

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from assent.gate.audit import Entry
from assent.stores.batch import Done, Piece, written
from assent.stores.clock import Clock
from assent.stores.faults import committing, explained, is_about_one
from assent.stores.jobs import Job, finish, hand_over
from assent.stores.outbox import AT_ONCE, move
from assent.stores.shared import Shared

GLANCE = 0.025
"""Seconds between looks at what other processes wrote, while somebody waits."""
SLOW_GLANCE = 0.1
"""The same, while somebody only looks on."""


class Writer:
    """InputUse what queued while the last commit ran into the next one; who comes alone waits for nobody."""

    def __init__(self, engine: Engine, readers: Engine, clock: Clock, shared: Shared) -> None:
        self._engine = engine
        self._readers = readers
        self._clock = clock
        self._shared = shared
        self._ledger, self._wakes, self._stirs = shared.ledger, shared.wakes, shared.stirs
        self._loop = asyncio.get_running_loop()
        self._put: list[Job] = []
        self._queue: queue.SimpleQueue[list[Job] | asyncio.Future[None] | None] = queue.SimpleQueue()
        self._connection: Connection | None = None
        self._seen = -1
        self._ending = False
        self._flushing: list[asyncio.Future[None]] = []
        self._thread = threading.Thread(target=self._run, name="assent-writer", daemon=True)
        shared.wakes.nudge = shared.stirs.nudge = self._nudge
        self._thread.start()

    def put(self, piece: Piece) -> asyncio.Future[object]:
        """Queue a piece of work."""
        outcome: asyncio.Future[object] = self._loop.create_future()
        if self._ending:
            outcome.set_exception(self._shared.closed())
            return outcome
        if not self._put:
            # What comes in one turn of the loop goes together: else the thread would begin with the first.
            self._loop.call_soon(self._send)
        self._put.append(Job(piece, outcome))
        return outcome

    def record(self, entry: Entry) -> None:
        """Queue an audit entry, which is written when there is time."""
        is_first = not self._ledger.unwritten
        self._ledger.add(entry)
        if is_first:
            self._nudge()

    async def recorded(self) -> None:
        """Come back when every queued entry is written, or spooled."""
        if not self._ending:
            flushed: asyncio.Future[None] = self._loop.create_future()
            self._send()
            self._queue.put(flushed)
            await flushed

    async def close(self) -> None:
        """Finish what is queued, write the audit, and end."""
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
        self._ledger.unload()
        self._drop()

    def _taken(self) -> tuple[list[Job], bool]:
        """Everything that is queued, or the first that comes; True when for a while nothing did."""
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
        rest = self._ledger.patience()
        look = GLANCE if len(self._wakes) else SLOW_GLANCE if len(self._stirs) else None
        return min((one for one in (rest, look) if one is not None), default=None)

    def _take(self, jobs: list[Job], item: list[Job] | asyncio.Future[None] | None) -> None:
        if isinstance(item, list):
            jobs += item
        elif item is not None:
            self._flushing.append(item)

    def _commit(self, jobs: Sequence[Job]) -> None:
        try:
            done = self._written([job.piece for job in jobs])
        except Exception as error:  # noqa: BLE001 - every caller is told
            self._ledger.undone()
            self._drop()
            if is_about_one(error) and len(jobs) > 1:
                for job in jobs:
                    self._commit([job])
                return
            done = Done([explained(error, self._shared.where)] * len(jobs))
        self._tell(self._hand_over, jobs, done)

    def _written(self, pieces: Sequence[Piece]) -> Done:
        connection = self._connected()
        transaction = connection.begin()
        done = written(connection, self._shared.questions, self._clock, pieces)
        # INVARIANT: an answer or a claim is never committed without its entry.
        self._ledger.write(connection, done.at or self._clock(), done.entries)
        with committing():
            transaction.commit()
        self._shared.commits.succeeded()
        self._ledger.written()
        self._shared.questions.keep(done.asked)
        return done

    def _record(self) -> None:
        """Write what waits to the outbox, and move that to the audit, as far as it can be."""
        flushing, self._flushing = self._flushing, []
        if len(self._ledger):
            self._attempt(self._write_and_move)
        self._tell(finish, flushing)

    def _write_and_move(self, connection: Connection) -> Exception | None:
        moved, problem = 0, None
        with connection.begin():
            self._ledger.write(connection, self._clock())
            try:
                with connection.begin_nested():
                    moved = move(connection)
            except DBAPIError as error:
                problem = error
        self._ledger.written()
        if problem is None and moved < AT_ONCE:
            self._ledger.moved()
        return problem

    def _close_chain(self, connection: Connection) -> None:
        with connection.begin():
            self._ledger.close(connection)

    def _attempt(self, work: Callable[[Connection], Exception | None]) -> None:
        """Do something for the audit, which never fails a call."""
        try:
            problem = work(self._connected())
        except Exception as error:  # noqa: BLE001 - the log hears of it
            self._ledger.undone()
            self._drop()
            problem = error
        if problem is not None:
            self._ledger.failed(problem)

    def _glance(self) -> None:
        """Wake those whose question another process answered."""
        try:
            seen = _data_version(self._connected())
            if seen == self._seen:
                return
            with self._readers.connect() as connection:
                ids = self._wakes.ids()
                ended = self._shared.questions.ended(connection, ids) if ids else []
            self._seen = seen
            self._tell(self._wakes.wake, ended)
            self._tell(self._stirs.stir)
        except Exception:  # noqa: BLE001 - it is looked at again in a moment, and callers hear of it elsewhere
            self._drop()

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection

    def _drop(self) -> None:
        """Start afresh after a fault: whatever the connection still held is rolled back."""
        connection, self._connection, self._seen = self._connection, None, -1
        if connection is not None:
            connection.invalidate()
            connection.close()

    def _tell(self, what: Callable[..., None], *words: object) -> None:
        try:
            self._loop.call_soon_threadsafe(what, *words)
        except RuntimeError:
            # The program ended its loop without closing the store: nobody is left to tell.
            self._ending = True

    # ---- in the event loop -----------------------------------------------------------------------

    def _hand_over(self, jobs: Sequence[Job], done: Done) -> None:
        hand_over(jobs, done)
        self._wakes.wake(done.ended)
        if done.told:
            self._stirs.happened()


def _data_version(connection: Connection) -> int:
    """A number that is another whenever another connection wrote; asking costs no transaction."""
    cursor = connection.connection.cursor()
    try:
        cursor.execute("PRAGMA data_version")
        ((seen,),) = cursor.fetchall()
        return int(seen)
    finally:
        cursor.close()
