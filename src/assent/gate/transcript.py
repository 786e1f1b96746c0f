"""A transcript: the runs of a chat, and the log that each can be rebuilt from in any process."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Protocol

from assent.gate.preset import Delivery


class Course(StrEnum):
    """How a run stands."""

    RUNNING = "running"
    SUSPENDED = "suspended"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    SUPERSEDED = "superseded"


class Noted(StrEnum):
    """What a line of a run's log is about."""

    CHUNKS = "chunks"
    """What the person was shown, as parts of the stream."""
    MESSAGES = "messages"
    """What the model said and was told; a step that is here is never asked for again."""
    CALLED = "called"
    """A call that is about to run; without a `returned` nobody knows what it did."""
    RETURNED = "returned"
    """What came of a call."""
    HELPED = "helped"
    """What a helper, which works inside a call, said and was told so far."""
    VOID = "void"
    """What was shown of a step from a number on, up to here, was cut off and does not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRun:
    """One turn of a chat as the store keeps it; its id is the turn's."""

    id: str
    conversation: str
    owner: str
    agent: str
    message: str
    """What the person said, as JSON."""
    mode: str | None = None
    """The mode that came with the message; None is the conversation's."""
    model: str = ""
    delivery: Delivery | None = None
    boot: str = ""
    """The process that has it."""
    course: Course = Course.RUNNING
    wish: str = ""
    """How somebody wants it to end; whoever has it sees to that."""
    length: int = 0
    """How many lines its log has."""
    began_at: datetime | None = None
    ended_at: datetime | None = None
    digest: str = ""
    """What was posted, as a digest; empty in runs of versions that kept none."""
    replaced_by: str = ""
    """The run that an edit or a new try of the message began instead; this one is no longer shown."""

    @property
    def message_id(self) -> str:
        """The id of what the person said; empty where it has none."""
        return str(json.loads(self.message).get("id", ""))


class Post(NamedTuple):
    """A request to a chat that its sender gave a key."""

    sender: str
    key: str
    digest: str


class Start(StrEnum):
    """What came of a request to begin a run."""

    NEW = "new"
    REPEATED = "repeated"
    """The same message was posted before: this is its run."""
    OCCUPIED = "occupied"
    """This run is still open and must end first."""


class Begun(NamedTuple):
    """A run, and whether it began just now."""

    run: ChatRun
    start: Start


class Line(NamedTuple):
    """One line of a run's log."""

    number: int
    kind: Noted
    body: str
    run: str = ""


EVERYTHING = frozenset(Noted)


class Transcript(Protocol):
    """Keeps runs and their logs; only the process that has a run writes to its log."""

    async def begin_run(
        self, run: ChatRun, *, post: Post | None = None, replaces: Collection[str] = ()
    ) -> Begun:
        """Begin a run here in place of others; `ConflictError` where its id or key means another message."""
        ...

    async def run_of_post(self, post: Post) -> ChatRun | None:
        """The run that a request with this key began; `ConflictError` where it was another request."""
        ...

    async def keep_post(self, post: Post, run: str) -> None:
        """Keep a key whose request was about a run that is there; `ConflictError` as above."""
        ...

    async def chat_run(self, id: str) -> ChatRun:
        """The run of an id, or `NotFoundError`."""
        ...

    async def chat_runs(self, conversation: str) -> Sequence[ChatRun]:
        """The runs of a conversation, oldest first."""
        ...

    async def note(self, id: str, lines: Sequence[Line], course: Course = Course.RUNNING) -> ChatRun:
        """Add lines to a log, and end the run with them; `ConflictError` where another process has it."""
        ...

    async def lines(
        self, runs: Collection[str], *, after: int = 0, kinds: Collection[Noted] = EVERYTHING
    ) -> Sequence[Line]:
        """The lines of these runs' logs with a number from `after` on, run by run in the order given."""
        ...

    async def take_run(self, id: str, silent: timedelta) -> ChatRun | None:
        """Have a run here that is suspended or ours, or whose process was silent for so long; None if not."""
        ...

    async def wish_run(self, id: str, wish: str) -> None:
        """Say how a run is to end; the first wish counts."""
        ...

    async def restless_runs(self, silent: timedelta) -> Sequence[ChatRun]:
        """Runs of this process that are wished to end, and those of processes that are silent so long."""
        ...
