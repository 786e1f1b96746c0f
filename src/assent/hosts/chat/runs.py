"""The runs of this process: each is a task of its own, and those of a process that died are taken over."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import timedelta
from time import monotonic

from assent.compose import FullStore
from assent.errors import AssentError, StoreError
from assent.gate.gate import Gate
from assent.gate.preset import Delivery
from assent.gate.transcript import ChatRun, LogKind, LogLine, Post, RunStatus, StartedRun, StartResult
from assent.hosts.chat import chunk
from assent.hosts.chat.history import closed, messages_in, open_calls, said, written
from assent.hosts.chat.log import Log, TakenOver
from assent.hosts.chat.message import pending_in, person_text
from assent.hosts.chat.questions import OPEN, questions_of, questions_since

_log = logging.getLogger("assent.chat")
SILENT = timedelta(seconds=12)
"""A process that was not heard of for so long has lost its runs."""
BEAT = 3.0
"""Seconds between two signs of life of a process that has runs."""
LOOK = 1.0
"""Seconds between two looks for runs that need somebody."""
UNDER_WAY = (RunStatus.RUNNING, RunStatus.SUSPENDED)
WHY = {
    RunStatus.STOPPED: "the person stopped this run; the call was not made",
    RunStatus.SUPERSEDED: "a newer message came before this call was allowed; it was not made",
    RunStatus.FAILED: "the run failed before this call was made",
}
Drive = Callable[[Log, Sequence[LogLine]], Awaitable[RunStatus]]
"""Runs a run, from what is kept of it on, to where it ends or is suspended."""


class Runs:
    """Starts runs, ends them, and looks after those that nobody has."""

    def __init__(self, gate: Gate, store: FullStore, drive: Drive, *, silent: timedelta = SILENT) -> None:
        self.logs: dict[str, Log] = {}
        self._gate = gate
        self._store = store
        self._drive = drive
        self._silent = silent
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._ending: dict[str, RunStatus] = {}
        self._taking = asyncio.Lock()
        self._watch: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Begin to look for runs that need somebody."""
        self._watch = asyncio.create_task(self._keep_watch(), name="assent chat watch")

    async def close(self) -> None:
        """Let every run go where it stands: another process goes on with it."""
        tasks = [*self._tasks.values(), *([self._watch] if self._watch is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def start(self, run: ChatRun, lines: Sequence[LogLine] = ()) -> Log:
        """Let a run go on here."""
        log = self.logs[run.id] = Log(self._store, run, lines)
        # A run that another process began goes on in the same stream.
        if not log.chunks or log.chunks[-1]["type"] == "finish":
            log.show(chunk.start(run.id))
        task = asyncio.create_task(self._go(log, lines), name=f"assent chat {run.id}")
        self._tasks[run.id] = task
        task.add_done_callback(lambda _: self._forget(log))
        return log

    async def begin(self, run: ChatRun, *, post: Post | None, replaces: Collection[str]) -> StartedRun:
        """Begin a run here, unless its message began one before or another one is still open."""
        # INVARIANT: nobody takes the run up between its first row and its task.
        async with self._taking:
            begun = await self._store.begin_run(run, post=post, replaces=replaces)
            if begun.start is StartResult.NEW:
                self.start(begun.run)
            return begun

    async def withdraw_since(self, run: ChatRun, why: str) -> None:
        """Take back all that was asked and proposed from a run on, by its agent or one of its helpers."""
        for one in await questions_since(self._store, run):
            await self._gate.withdraw(one.id, why)

    async def take(self, run: ChatRun) -> Log | None:
        """Go on with a run that is suspended, or whose process is gone; None while somebody has it."""
        async with self._taking:
            if not await self._is_over(run.id):
                return None
            taken = await self._store.take_run(run.id, self._silent)
            return None if taken is None else self.start(taken, await self._store.lines([run.id]))

    async def end(self, run: ChatRun, course: RunStatus) -> None:
        """Let a run end so, whoever has it; comes back when it has ended."""
        task = self._tasks.get(run.id)
        if task is not None and not await self._is_over(run.id):
            self._ending[run.id] = course
            # A task that is cancelled before its first step never gets to end its run.
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
        # One that was about to be suspended does not end by that.
        if (await self._store.chat_run(run.id)).status not in UNDER_WAY:
            return
        await self._store.request_end(run.id, course)
        # Whoever takes it finds the wish, and ends it.
        log = await self.take(run)
        if log is not None:
            await asyncio.wait([self._tasks[run.id]])

    async def ended(self, run: ChatRun, patience: float) -> bool:
        """Wait for the end of a run that another process has."""
        deadline = monotonic() + patience
        while monotonic() < deadline:
            stirs = self._store.change_count
            if (await self._store.chat_run(run.id)).status not in UNDER_WAY:
                return True
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK / 4):
                    await self._store.wait_for_change(stirs)
        return False

    async def _go(self, log: Log, lines: Sequence[LogLine]) -> None:
        id = log.run.id
        try:
            await log.cut_off(lines)
            # What somebody wished before it was taken over counts at once.
            course = (
                RunStatus(log.run.requested_end) if log.run.requested_end else await self._driven(log, lines)
            )
        except TakenOver:
            _log.warning("run %s goes on in another process", id)
            return
        except asyncio.CancelledError:
            if id not in self._ending:
                raise
            course = self._ending[id]
        except AssentError as error:
            _log.error("run %s failed: %s", id, error)
            course = RunStatus.FAILED
        except Exception as error:  # noqa: BLE001 - the edge at which a run fails, and no other does
            _log.error("run %s failed (%s)", id, type(error).__name__)
            log.show(chunk.error(f"the run failed: {type(error).__name__}"))
            course = RunStatus.FAILED
        with contextlib.suppress(TakenOver):
            # INVARIANT: only who still has a run withdraws its questions.
            await log.check()
            await self._finish(log, course)

    async def _driven(self, log: Log, lines: Sequence[LogLine]) -> RunStatus:
        """Nothing runs in the name of somebody who was shut out."""
        if not await self._is_shut_out(log.run.owner):
            return await self._drive(log, lines)
        self._ending[log.run.id] = RunStatus.STOPPED
        return RunStatus.STOPPED

    async def _is_shut_out(self, owner: str) -> bool:
        person = await self._store.person(owner)
        return person is not None and person.disabled_at is not None

    async def _finish(self, log: Log, course: RunStatus) -> None:
        if course is RunStatus.SUSPENDED:
            await log.end(course, chunk.finish())
        elif course is RunStatus.DONE:
            await self._withdraw(log.run, "the turn ended")
            await log.end(course, chunk.finish())
        else:
            await self._break_off(log, course)

    async def _break_off(self, log: Log, course: RunStatus) -> None:
        """End a run in the middle: its questions are withdrawn, and each card shows a final state."""
        run = log.run
        await self._withdraw(run, WHY[course])
        own = messages_in(await self._store.lines([run.id], kinds=[LogKind.MESSAGES]))
        calls = open_calls(own)
        if not own:
            await log.note(LogKind.MESSAGES, written([said(person_text(run))]))
        elif calls:
            await log.note(LogKind.MESSAGES, written([closed(calls, log.returned, WHY[course])]))
        await self._show_ends(log, [call.tool_call_id for call in calls])
        if course is not RunStatus.FAILED:
            log.show(chunk.abort())
        await log.end(course, chunk.finish())

    async def _show_ends(self, log: Log, calls: Sequence[str]) -> None:
        """Show what became of each question that was still shown as open, and of each call without an end."""
        pending = pending_in(log.chunks)
        for id, call in pending.items():
            log.show(chunk.explained(call, await self._store.approval(id)))
        for call in dict.fromkeys((*calls, *pending.values())):
            if call not in log.returned:
                log.show(chunk.denied(call))

    async def _withdraw(self, run: ChatRun, why: str) -> None:
        """Take back what a run and its helpers still ask; what they proposed may be applied later."""
        for one in await questions_of(self._store, run, OPEN):
            if one.delivery is not Delivery.PROPOSE:
                await self._gate.withdraw(one.id, why)

    async def _end_of_shut_out(self) -> None:
        """End what still runs here in the name of somebody who was shut out meanwhile."""
        for log in list(self.logs.values()):
            if await self._is_shut_out(log.run.owner) and log.run.id not in self._ending:
                await self.end(log.run, RunStatus.STOPPED)

    async def _is_over(self, id: str) -> bool:
        """Whether nothing of a run is left here; one whose log has ended is as good as over."""
        log, task = self.logs.get(id), self._tasks.get(id)
        if log is None or task is None:
            return True
        if log.ended:
            await asyncio.wait([task])
            self._forget(log)
        return log.ended

    def _forget(self, log: Log) -> None:
        log.leave()
        id = log.run.id
        # It may have been suspended and taken again before this was called.
        if self.logs.get(id) is log:
            for kept in (self.logs, self._tasks, self._ending):
                kept.pop(id, None)

    async def _keep_watch(self) -> None:
        beaten = 0.0
        while True:
            stirs = self._store.change_count
            try:
                if self._tasks and monotonic() - beaten > BEAT:
                    beaten = monotonic()
                    await self._gate.record_heartbeat()
                    await self._end_of_shut_out()
                for run in await self._store.stale_runs(self._silent):
                    if run.id in self._tasks and run.requested_end:
                        await self.end(run, RunStatus(run.requested_end))
                    elif run.id not in self._tasks:
                        await self.take(run)
            except StoreError as error:
                _log.warning("%s", error)
            except Exception as error:  # noqa: BLE001 - the edge: runs without anybody must be found
                _log.error("looking after runs failed (%s)", type(error).__name__)
            with contextlib.suppress(TimeoutError, StoreError):
                async with asyncio.timeout(LOOK):
                    await self._store.wait_for_change(stirs)
            await asyncio.sleep(LOOK / 10)
