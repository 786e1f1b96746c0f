"""The one writer of a process on PostgreSQL: a task that commits whatever has queued, and tries again."""

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial

from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncEngine

from assent.gate.audit import Entry
from assent.stores.batch import Done, Piece, written
from assent.stores.faults import explained, is_about_one, is_cut_off, is_locked, is_unheard
from assent.stores.jobs import Job, finish, hand_over
from assent.stores.lines import Line
from assent.stores.mover import Mover
from assent.stores.notices import notify
from assent.stores.queries import moment_of
from assent.stores.shared import Shared

_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 1.0
_TRIES = 3
"""How often a batch is tried as a whole when two pods bring the same question at the same moment."""


class Pipeline:
    """InputUse what queued while the last commit ran into the next one.

    A batch whose connection broke is tried again until patience ends: each piece is one that does
    nothing when it was done already, so it is safe not to know whether the commit was heard.
    """

    def __init__(self, engine: AsyncEngine, shared: Shared, *, patience: float) -> None:
        self._engine = engine
        self._shared = shared
        self._ledger = shared.ledger
        self._patience = patience
        self._jobs: list[Job] = []
        self._flushing: list[asyncio.Future[None]] = []
        self._news = asyncio.Event()
        self._line: Line | None = None
        self._mover = Mover(engine, shared.ledger)
        self._ending = False
        self._task = asyncio.create_task(self._run())

    def put(self, piece: Piece) -> asyncio.Future[object]:
        """Queue a piece of work."""
        outcome: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        if self._ending:
            outcome.set_exception(self._shared.closed())
        else:
            self._jobs.append(Job(piece, outcome))
            self._news.set()
        return outcome

    def record(self, entry: Entry) -> None:
        """Queue an audit entry, which is written when there is time."""
        self._ledger.add(entry)
        self._news.set()

    async def recorded(self) -> None:
        """Come back when every queued entry is written, or spooled."""
        if not self._ending:
            flushed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._flushing.append(flushed)
            self._news.set()
            await flushed

    async def close(self) -> None:
        """Finish what is queued, write the audit, and end."""
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
        await self._attempt(self._ledger.close)
        await self._mover.close()
        self._ledger.unload()
        await self._drop()

    async def _is_news(self) -> bool:
        """Wait for something to do; False when only the audit is left to be written."""
        if not (self._jobs or self._flushing or self._ending):
            self._news.clear()
            try:
                async with asyncio.timeout(self._ledger.patience()):
                    await self._news.wait()
            except TimeoutError:
                return False
        return True

    async def _commit(self, jobs: Sequence[Job]) -> None:
        pieces = [job.piece for job in jobs]
        deadline, pause, tries, unheard = time.monotonic() + self._patience, _FIRST_PAUSE, 0, False
        while True:
            try:
                done = await self._written(pieces)
                break
            except Exception as error:  # noqa: BLE001 - every caller is told
                self._ledger.undone()
                await self._drop()
                tries, unheard = tries + 1, unheard or is_unheard(error)
                self._shared.commits.failed(explained(error, self._shared.where, unheard=unheard))
                if is_about_one(error) and tries < _TRIES:
                    continue
                if (is_about_one(error) or is_locked(error)) and len(jobs) > 1:
                    for job in jobs:
                        await self._commit([job])
                    return
                # Whoever stood still themselves, as a laptop that sleeps, has waited for nobody yet.
                is_late = tries > 1 and time.monotonic() + pause > deadline
                if not is_cut_off(error) or is_late:
                    done = Done([explained(error, self._shared.where, unheard=unheard)] * len(jobs))
                    break
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        hand_over(jobs, done)
        self._shared.wakes.wake(done.ended)
        if done.told:
            self._shared.stirs.happened()

    async def _written(self, pieces: Sequence[Piece]) -> Done:
        line = await self._connected()
        async with line.transaction():
            done = await line.run(partial(self._work, pieces=pieces))
        self._shared.commits.succeeded()
        self._ledger.written()
        self._mover.nudge()
        self._shared.questions.keep(done.asked)
        return done

    def _work(self, connection: Connection, pieces: Sequence[Piece]) -> Done:
        done = written(connection, self._shared.questions, None, pieces)
        # INVARIANT: an answer or a claim is never committed without its entry.
        self._ledger.write(connection, done.at or moment_of(connection, None).at, done.entries)
        notify(connection, [approval.id for approval in done.ended])
        return done

    async def _record(self) -> None:
        """Write what waits to the outbox; the mover goes on from there."""
        flushing, self._flushing = self._flushing, []
        if self._ledger.unwritten:
            await self._attempt(self._link)
        self._mover.nudge()
        if flushing:
            await self._mover.moved()
        finish(flushing)

    async def _attempt(self, work: Callable[[Connection], None]) -> None:
        """Do something for the audit, which never fails a call."""
        try:
            line = await self._connected()
            async with line.transaction():
                await line.run(work)
            self._ledger.written()
        except Exception as error:  # noqa: BLE001 - the log hears of it
            self._ledger.undone()
            self._ledger.failed(error)
            await self._drop()

    def _link(self, connection: Connection) -> None:
        self._ledger.write(connection, moment_of(connection, None).at)

    async def _connected(self) -> Line:
        if self._line is None:
            self._line = await Line.opened(self._engine)
        return self._line

    async def _drop(self) -> None:
        """Start afresh after a fault: whatever the line still held is rolled back."""
        line, self._line = self._line, None
        if line is not None:
            await line.hang_up()
