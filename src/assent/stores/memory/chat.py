"""The chat's part of a store in memory: runs, and the lines of their logs."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from assent.errors import ConflictError, NotFoundError
from assent.gate.transcript import (
    ALL_KINDS,
    OPEN_STATUSES,
    ChatRun,
    LogKind,
    LogLine,
    Post,
    RunStatus,
    StartedRun,
    StartResult,
    check_post,
    start_run,
)
from assent.stores.sql.waiting import ChangeSignal


class MemoryChat:
    """Implements `gate.transcript.Transcript` in memory."""

    _stirs: ChangeSignal

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._chat_now = now
        self._runs: dict[str, ChatRun] = {}
        self._posts: dict[tuple[str, str], tuple[str, str]] = {}
        self._lines: dict[str, list[LogLine]] = {}

    async def begin_run(
        self, run: ChatRun, *, post: Post | None = None, replaces: Collection[str] = ()
    ) -> StartedRun:
        """Begin a run, or return the run of the same message or the one still open."""
        now = self._chat_now()
        known = None if post is None else await self.run_of_post(post)
        if known is not None:
            return StartedRun(known, StartResult.REPEATED)
        begun = start_run(run, await self.chat_runs(run.conversation), replaces)
        if begun.start is not StartResult.NEW:
            return begun
        if post is not None:
            self._posts[post.sender, post.key] = (post.digest, run.id)
        for id in replaces:
            self._runs[id] = replace(self._runs[id], replaced_by=run.id)
        self._lines[run.id] = []
        return StartedRun(self._keep_run(replace(run, began_at=now, boot="here")), StartResult.NEW)

    async def run_of_post(self, post: Post) -> ChatRun | None:
        """The run that a request with this key began."""
        digest, run = self._posts.get((post.sender, post.key), ("", ""))
        if not run:
            return None
        check_post(post, digest)
        return await self.chat_run(run)

    async def keep_post(self, post: Post, run: str) -> None:
        """Store the key of a request about an existing run."""
        digest, _ = self._posts.setdefault((post.sender, post.key), (post.digest, run))
        check_post(post, digest)

    async def chat_run(self, id: str) -> ChatRun:
        """The run with this id."""
        self._chat_now()
        if id not in self._runs:
            raise NotFoundError("run", id)
        return self._runs[id]

    async def chat_runs(self, conversation: str) -> Sequence[ChatRun]:
        """The runs of a conversation, oldest first."""
        self._chat_now()
        return [one for one in self._runs.values() if one.conversation == conversation]

    async def note(self, id: str, lines: Sequence[LogLine], course: RunStatus = RunStatus.RUNNING) -> ChatRun:
        """Add lines to a log; `course` may end the run."""
        now = self._chat_now()
        run = await self.chat_run(id)
        new = [line._replace(run=id) for line in lines if line.number >= run.length]
        if not new and run.status is course:
            return run
        if run.status is not RunStatus.RUNNING:
            raise ConflictError(f"run `{id}` is {run.status}")
        self._lines[id] += new
        ended = None if course is RunStatus.RUNNING else now
        changed = replace(run, length=run.length + len(new), status=course, ended_at=ended)
        if course is RunStatus.RUNNING:
            self._runs[id] = changed
            return changed
        return self._keep_run(changed)

    async def lines(
        self, runs: Collection[str], *, after: int = 0, kinds: Collection[LogKind] = ALL_KINDS
    ) -> Sequence[LogLine]:
        """The log lines of these runs, in the order of the runs."""
        self._chat_now()
        every = [line for run in runs for line in self._lines.get(run, ())]
        return [line for line in every if line.number >= after and line.kind in kinds]

    async def take_run(self, id: str, silent: timedelta) -> ChatRun | None:  # noqa: ARG002
        """Resume a run; there is no other process to take one from."""
        run = await self.chat_run(id)
        if run.status not in OPEN_STATUSES:
            return None
        return self._keep_run(replace(run, status=RunStatus.RUNNING, ended_at=None))

    async def request_end(self, id: str, wish: str) -> None:
        """Request how a run should end."""
        run = await self.chat_run(id)
        if run.status in OPEN_STATUSES and not run.requested_end:
            self._keep_run(replace(run, requested_end=wish))

    async def stale_runs(self, silent: timedelta) -> Sequence[ChatRun]:  # noqa: ARG002
        """Runs with a requested end."""
        self._chat_now()
        return [one for one in self._runs.values() if one.status is RunStatus.RUNNING and one.requested_end]

    def _keep_run(self, run: ChatRun) -> ChatRun:
        self._runs[run.id] = run
        self._stirs.publish()
        return run
