"""The runs of this process, one task each; runs of a process that died are taken over."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import timedelta
from time import monotonic

from assent.compose import FullStore
from assent.errors import AssentError, StoreError
from assent.gate.approval import Approval, State
from assent.gate.conversation import ChatRun, LogKind, LogLine, Post, RunStatus, StartedRun, StartResult
from assent.gate.gate import Gate
from assent.gate.preset import Delivery
from assent.gate.store import ApprovalFilter
from assent.hosts.chat import chunk
from assent.hosts.chat.model_messages import (
    final_results_request,
    messages_from_lines,
    messages_to_json,
    unanswered_calls,
    user_message_request,
)
from assent.hosts.chat.request import user_text
from assent.hosts.chat.run_log import UNFINISHED_STATUSES, RunLog, RunTakenOver
from assent.hosts.chat.run_view import pending_questions

_log = logging.getLogger("assent.chat")
TAKEOVER_AFTER = timedelta(seconds=12)
"""After this time without a heartbeat, other processes take over the runs of a process."""
HEARTBEAT_SECONDS = 3.0
WATCH_SECONDS = 1.0
"""Maximum seconds between two searches for runs of dead processes."""
END_REASONS = {
    RunStatus.STOPPED: "the person stopped this run; the call was not made",
    RunStatus.SUPERSEDED: "a newer message came before this call was allowed; it was not made",
    RunStatus.FAILED: "the run failed before this call was made",
}
OPEN_STATES = frozenset({State.PENDING, State.APPROVED})
DriveRun = Callable[[RunLog, Sequence[LogLine]], Awaitable[RunStatus]]
"""Executes a run, from its stored log lines, until it ends or is suspended."""


class RunManager:
    """Starts and ends runs, and takes over runs whose process died."""

    def __init__(
        self, gate: Gate, store: FullStore, drive: DriveRun, *, takeover_after: timedelta = TAKEOVER_AFTER
    ) -> None:
        self.logs: dict[str, RunLog] = {}
        self._gate = gate
        self._store = store
        self._drive = drive
        self._takeover_after = takeover_after
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._ending: dict[str, RunStatus] = {}
        self._takeover_lock = asyncio.Lock()
        self._watch_task: asyncio.Task[None] | None = None

    def start_watching_stale_runs(self) -> None:
        """Start the background task that takes over runs of dead processes."""
        self._watch_task = asyncio.create_task(self._watch_for_stale_runs(), name="assent chat watch")

    async def close(self) -> None:
        """Stop all tasks without ending their runs: another process continues them."""
        tasks = [*self._tasks.values(), *([self._watch_task] if self._watch_task is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def begin_run(self, run: ChatRun, *, post: Post | None, replaces: Collection[str]) -> StartedRun:
        """Begin a run in this process, unless the same request began one or another run is unfinished."""
        # INVARIANT: no other task takes the run over between its first row and its task.
        async with self._takeover_lock:
            begun = await self._store.begin_run(run, post=post, replaces=replaces)
            if begun.start is StartResult.NEW:
                self.start_run(begun.run)
            return begun

    def start_run(self, run: ChatRun, lines: Sequence[LogLine] = ()) -> RunLog:
        """Start the task that executes a run."""
        log = self.logs[run.id] = RunLog(self._store, run, lines)
        # A run that another process began continues the same stream, without a second `start`.
        if not log.chunks or log.chunks[-1]["type"] == "finish":
            log.show_chunks(chunk.run_start_chunk(run.id))
        task = asyncio.create_task(self._run_to_end(log, lines), name=f"assent chat {run.id}")
        self._tasks[run.id] = task
        task.add_done_callback(lambda _: self._remove_task(log))
        return log

    async def take_over_run(self, run: ChatRun) -> RunLog | None:
        """Continue a suspended run or the run of a dead process; None if a process is executing it."""
        async with self._takeover_lock:
            if not await self._has_no_active_task(run.id):
                return None
            taken = await self._store.take_over_run(run.id, self._takeover_after)
            return None if taken is None else self.start_run(taken, await self._store.log_lines([run.id]))

    async def end_run(self, run: ChatRun, status: RunStatus) -> None:
        """End a run of this process, or request its end from the process that executes it."""
        task = self._tasks.get(run.id)
        if task is not None and not await self._has_no_active_task(run.id):
            self._ending[run.id] = status
            # A task that is cancelled before it starts would never end its run.
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
        # The task may have suspended the run instead of ending it.
        if (await self._store.chat_run(run.id)).status not in UNFINISHED_STATUSES:
            return
        await self._store.request_end(run.id, status)
        # The process that takes the run over reads the requested end.
        log = await self.take_over_run(run)
        if log is not None:
            await asyncio.wait([self._tasks[run.id]])

    async def wait_until_ended(self, run: ChatRun, seconds: float) -> bool:
        """Wait until another process has ended a run; False after the timeout."""
        deadline = monotonic() + seconds
        while monotonic() < deadline:
            change_count = self._store.change_count
            if (await self._store.chat_run(run.id)).status not in UNFINISHED_STATUSES:
                return True
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(WATCH_SECONDS / 4):
                    await self._store.wait_for_change(change_count)
        return False

    async def withdraw_questions_since(self, run: ChatRun, why: str) -> None:
        """Withdraw all questions and proposals that a run's agent and subtasks asked since the run began."""
        for one in await open_questions_since_start(self._store, run):
            await self._gate.withdraw(one.id, why)

    # ---- the task of a run ----------------------------------------------------------------------

    async def _run_to_end(self, log: RunLog, lines: Sequence[LogLine]) -> None:
        """Execute a run and store how it ended; the body of the run's task."""
        id = log.run.id
        try:
            await log.drop_unsaved_step(lines)
            # An end that was requested before the takeover takes effect immediately.
            status = (
                RunStatus(log.run.requested_end)
                if log.run.requested_end
                else await self._execute_unless_owner_is_disabled(log, lines)
            )
        except RunTakenOver:
            _log.warning("run %s continues in another process", id)
            return
        except asyncio.CancelledError:
            if id not in self._ending:
                raise
            status = self._ending[id]
        except AssentError as error:
            _log.error("run %s failed: %s", id, error)
            status = RunStatus.FAILED
        except Exception as error:  # noqa: BLE001 - one run fails here, and the others continue
            _log.error("run %s failed (%s)", id, type(error).__name__)
            log.show_chunks(chunk.run_error_chunk(f"the run failed: {type(error).__name__}"))
            status = RunStatus.FAILED
        with contextlib.suppress(RunTakenOver):
            # INVARIANT: only the process that executes a run withdraws its questions.
            await log.check_owner()
            await self._finish_run(log, status)

    async def _execute_unless_owner_is_disabled(self, log: RunLog, lines: Sequence[LogLine]) -> RunStatus:
        """Execute a run; if its owner's account is disabled, stop the run instead."""
        if not await self._is_account_disabled(log.run.owner):
            return await self._drive(log, lines)
        self._ending[log.run.id] = RunStatus.STOPPED
        return RunStatus.STOPPED

    async def _is_account_disabled(self, owner: str) -> bool:
        person = await self._store.person(owner)
        return person is not None and person.disabled_at is not None

    async def _finish_run(self, log: RunLog, status: RunStatus) -> None:
        """Store the final status of a run and clean up."""
        match status:
            case RunStatus.SUSPENDED:
                await log.end_run(status, chunk.stream_end_chunk())
            case RunStatus.DONE:
                await self._withdraw_questions(log.run, "the turn ended")
                await log.end_run(status, chunk.stream_end_chunk())
            case RunStatus.STOPPED | RunStatus.SUPERSEDED | RunStatus.FAILED:
                await self._abort_run(log, status)
            case RunStatus.RUNNING:
                raise ValueError(f"run {log.run.id} cannot end as running")

    async def _abort_run(self, log: RunLog, status: RunStatus) -> None:
        """End an unfinished run: withdraw its questions and show the final state of each card."""
        run = log.run
        await self._withdraw_questions(run, END_REASONS[status])
        messages = messages_from_lines(await self._store.log_lines([run.id], kinds=[LogKind.MESSAGES]))
        calls = unanswered_calls(messages)
        if not messages:
            await log.write_line(LogKind.MESSAGES, messages_to_json([user_message_request(user_text(run))]))
        elif calls:
            closing = final_results_request(calls, log.results, END_REASONS[status])
            await log.write_line(LogKind.MESSAGES, messages_to_json([closing]))
        await self._show_final_states(log, [call.tool_call_id for call in calls])
        if status is not RunStatus.FAILED:
            log.show_chunks(chunk.run_abort_chunk())
        await log.end_run(status, chunk.stream_end_chunk())

    async def _show_final_states(self, log: RunLog, calls: Sequence[str]) -> None:
        """Show the final card of each open question, and mark each call without a result as denied."""
        pending = pending_questions(log.chunks)
        for id, call in pending.items():
            log.show_chunks(chunk.approval_card_chunk(call, await self._store.approval(id)))
        for call in dict.fromkeys((*calls, *pending.values())):
            if call not in log.results:
                log.show_chunks(chunk.call_denied_chunk(call))

    async def _withdraw_questions(self, run: ChatRun, why: str) -> None:
        """Withdraw the open questions of a run and its subtasks; proposals stay open."""
        for one in await questions_of_run(self._store, run, OPEN_STATES):
            if one.delivery is not Delivery.PROPOSE:
                await self._gate.withdraw(one.id, why)

    async def _has_no_active_task(self, id: str) -> bool:
        """Whether no task of this process executes a run; first waits for a task that is about to end."""
        log, task = self.logs.get(id), self._tasks.get(id)
        if log is None or task is None:
            return True
        if log.is_ended:
            await asyncio.wait([task])
            self._remove_task(log)
        return log.is_ended

    def _remove_task(self, log: RunLog) -> None:
        """Forget the task and the log of a run that this process no longer executes."""
        log.stop_writing()
        id = log.run.id
        # The run may have been suspended and started again before this callback.
        if self.logs.get(id) is log:
            for by_run in (self.logs, self._tasks, self._ending):
                by_run.pop(id, None)

    # ---- runs without a process -----------------------------------------------------------------

    async def _watch_for_stale_runs(self) -> None:
        """Send heartbeats, and take over or end runs of dead processes, forever."""
        last_heartbeat = 0.0
        while True:
            change_count = self._store.change_count
            try:
                if self._tasks and monotonic() - last_heartbeat > HEARTBEAT_SECONDS:
                    last_heartbeat = monotonic()
                    await self._gate.record_heartbeat()
                    await self._end_runs_of_disabled_people()
                for run in await self._store.stale_runs(self._takeover_after):
                    if run.id in self._tasks and run.requested_end:
                        await self.end_run(run, RunStatus(run.requested_end))
                    elif run.id not in self._tasks:
                        await self.take_over_run(run)
            except StoreError as error:
                _log.warning("%s", error)
            except Exception as error:  # noqa: BLE001 - the search must go on, whatever one run does
                _log.error("searching for runs failed (%s)", type(error).__name__)
            with contextlib.suppress(TimeoutError, StoreError):
                async with asyncio.timeout(WATCH_SECONDS):
                    await self._store.wait_for_change(change_count)
            await asyncio.sleep(WATCH_SECONDS / 10)

    async def _end_runs_of_disabled_people(self) -> None:
        for log in list(self.logs.values()):
            if await self._is_account_disabled(log.run.owner) and log.run.id not in self._ending:
                await self.end_run(log.run, RunStatus.STOPPED)


async def questions_of_run(
    store: FullStore, run: ChatRun, states: frozenset[State] = frozenset({State.PENDING})
) -> list[Approval]:
    """The approvals of a run and its subtasks that have one of these states."""
    found = await _find_questions(store, run.conversation, states)
    return [one for one in found if is_question_of_run(run, one)]


async def open_questions_since_start(store: FullStore, run: ChatRun) -> list[Approval]:
    """The open questions and proposals of a run's agent and its subtasks since the run began."""
    began_at = run.began_at
    return [
        one
        for one in await _find_questions(store, run.conversation, OPEN_STATES)
        if run.agent in (one.call.agent, *one.lineage) and (began_at is None or one.asked_at >= began_at)
    ]


def is_question_of_run(run: ChatRun, approval: Approval) -> bool:
    """Whether an approval belongs to a run or one of its subtasks."""
    return approval.turn == run.id or _is_question_of_subtask(run, approval)


def _is_question_of_subtask(run: ChatRun, approval: Approval) -> bool:
    # A conversation has only one unfinished run, so the lineage identifies the run of the subtask.
    # Proposals stay open after their run has ended.
    is_here = approval.call.conversation == run.conversation and approval.delivery is not Delivery.PROPOSE
    return is_here and run.agent in approval.lineage


async def _find_questions(store: FullStore, conversation: str, states: frozenset[State]) -> list[Approval]:
    which, after, found = ApprovalFilter(states=states, conversation=conversation), "", list[Approval]()
    while True:
        page = await store.approvals(which, after=after)
        found += page.approvals
        if not page.after:
            return found
        after = page.after
