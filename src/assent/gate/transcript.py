"""Transcripts: the runs of a chat and their logs, from which any process can continue them."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Protocol

from assent.errors import ConflictError
from assent.gate.preset import Delivery


class RunStatus(StrEnum):
    """The status of a run."""

    RUNNING = "running"
    SUSPENDED = "suspended"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    SUPERSEDED = "superseded"


class LogKind(StrEnum):
    """The kind of a log line."""

    CHUNKS = "chunks"
    """Parts of the stream that the person saw."""
    MESSAGES = "messages"
    """Messages of the model and to it; a logged step is never requested again."""
    CALLED = "called"
    """A call that is about to run; without a `returned` line its result is unknown."""
    RETURNED = "returned"
    """The result of a call."""
    HELPED = "helped"
    """The messages of a helper that runs inside a call."""
    VOID = "void"
    """The shown parts of a step, from a number up to here, were cut off and are invalid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRun:
    """One turn of a chat; its id is the turn's id."""

    id: str
    conversation: str
    owner: str
    agent: str
    message: str
    """The person's message as JSON."""
    mode: str | None = None
    """The mode of the message; None is the conversation's mode."""
    model: str = ""
    delivery: Delivery | None = None
    boot: str = ""
    """The process that runs it."""
    status: RunStatus = RunStatus.RUNNING
    requested_end: str = ""
    """The requested end; the process that runs it carries it out."""
    length: int = 0
    """The number of log lines."""
    began_at: datetime | None = None
    ended_at: datetime | None = None
    digest: str = ""
    """The digest of the request; empty in runs of older versions."""
    replaced_by: str = ""
    """The run that replaced this one after an edit or retry; this one is no longer shown."""

    @property
    def message_id(self) -> str:
        """The id of the person's message; empty where it has none."""
        return str(json.loads(self.message).get("id", ""))


class Post(NamedTuple):
    """A chat request with an idempotency key."""

    sender: str
    key: str
    digest: str


class StartResult(StrEnum):
    """The result of a request to start a run."""

    NEW = "new"
    REPEATED = "repeated"
    """The same message was posted before; this is its run."""
    OCCUPIED = "occupied"
    """Another run is open and must end first."""


class StartedRun(NamedTuple):
    """A run, and how the request to start it ended."""

    run: ChatRun
    start: StartResult


class LogLine(NamedTuple):
    """One log line of a run."""

    number: int
    kind: LogKind
    body: str
    run: str = ""


ALL_KINDS = frozenset(LogKind)


class Transcript(Protocol):
    """Keeps runs and their logs; only the process that runs a run writes to its log."""

    async def begin_run(
        self, run: ChatRun, *, post: Post | None = None, replaces: Collection[str] = ()
    ) -> StartedRun:
        """Start a run in this process; `ConflictError` where its id or key belongs to another message."""
        ...

    async def run_of_post(self, post: Post) -> ChatRun | None:
        """The run of a request key; `ConflictError` where the key belongs to another request."""
        ...

    async def keep_post(self, post: Post, run: str) -> None:
        """Keep the key of a request about an existing run; `ConflictError` as above."""
        ...

    async def chat_run(self, id: str) -> ChatRun:
        """The run with an id, or `NotFoundError`."""
        ...

    async def chat_runs(self, conversation: str) -> Sequence[ChatRun]:
        """The runs of a conversation, oldest first."""
        ...

    async def note(self, id: str, lines: Sequence[LogLine], course: RunStatus = RunStatus.RUNNING) -> ChatRun:
        """Append log lines and set the status; `ConflictError` where another process has the run."""
        ...

    async def lines(
        self, runs: Collection[str], *, after: int = 0, kinds: Collection[LogKind] = ALL_KINDS
    ) -> Sequence[LogLine]:
        """The log lines of some runs from number `after` on, in the order of the runs."""
        ...

    async def take_run(self, id: str, silent: timedelta) -> ChatRun | None:
        """Take over a run that is suspended or whose process is silent for that long; None otherwise."""
        ...

    async def request_end(self, id: str, wish: str) -> None:
        """Request the end of a run; the first request counts."""
        ...

    async def stale_runs(self, silent: timedelta) -> Sequence[ChatRun]:
        """Runs of this process with a requested end, and runs of processes that are silent for that long."""
        ...


OPEN_STATUSES = (RunStatus.RUNNING, RunStatus.SUSPENDED)


def start_run(run: ChatRun, there: Sequence[ChatRun], replaces: Collection[str]) -> StartedRun:
    """The result of starting a run, given the runs of its conversation, oldest first."""
    for one in there:
        if one.id in replaces and one.replaced_by:
            return _find_successor(run, one, there)
    same = [one for one in there if one.message_id == run.message_id != "" and one.id not in replaces]
    if same and not replaces:
        return _find_repeat(run, same)
    still = next((one for one in there if one.status in OPEN_STATUSES), None)
    return StartedRun(run, StartResult.NEW) if still is None else StartedRun(still, StartResult.OCCUPIED)


def check_post(post: Post, digest: str) -> None:
    """Refuse a key that was used for another request."""
    if post.digest != digest:
        raise ConflictError(f"the key `{post.key}` belongs to another request: use a new key")


def is_repeat(run: ChatRun, known: ChatRun) -> bool:
    """Whether the message of a run was posted before, with the same content."""
    # A run of an older version has no digest; only its message can be compared.
    return known.digest == run.digest if known.digest else known.message == run.message


def _find_repeat(run: ChatRun, same: Sequence[ChatRun]) -> StartedRun:
    for one in reversed(same):
        if is_repeat(run, one):
            return StartedRun(one, StartResult.REPEATED)
    raise ConflictError(f"message `{run.message_id}` was posted before with different content: use a new id")


def _find_successor(run: ChatRun, replaced: ChatRun, there: Sequence[ChatRun]) -> StartedRun:
    """The run that already replaced this one; a request with other content comes too late."""
    found = next((one for one in there if one.id == replaced.replaced_by), None)
    if found is None or not is_repeat(run, found):
        raise ConflictError("this message was replaced meanwhile: load the conversation again")
    return StartedRun(found, StartResult.REPEATED)
