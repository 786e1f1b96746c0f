"""A conversation: its owner, its mode and preset, and the runs of its chat."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Protocol

from assent.engine.policy.modes import MODE_ALIASES, Mode, mode_from_wire, narrower_mode, parse_mode
from assent.errors import AssentError, ConflictError
from assent.gate.access import Principal, Resource, check_owner
from assent.gate.preset import Delivery, Preset

CHANGEABLE_FIELDS = frozenset({"mode", "title", "model"})
"""The fields that the owner can change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A stored conversation; `mode` is spelled as in the request."""

    id: str
    owner: str
    agent: str = ""
    preset: str
    mode: str = ""
    """The mode of the next turns; empty if the preset has no modes."""
    title: str = ""
    model: str = ""
    at: datetime | None = None

    @property
    def resource(self) -> Resource:
        """The resource that rights on this conversation apply to."""
        return Resource(owner=self.owner, conversation=self.id, agent=self.agent)


def merge_fields(known: Conversation, new: Conversation, fields: Collection[str]) -> Conversation:
    """The stored conversation with the named fields taken from `new`."""
    return replace(known, **{name: getattr(new, name) for name in CHANGEABLE_FIELDS.intersection(fields)})


def new_conversation(id: str, owner: str, agent: str, preset: Preset, starts_in: str = "") -> Conversation:
    """A new conversation that starts in the configured mode, or in the preset's first mode."""
    is_offered = not starts_in or _offered_name(mode_from_wire(starts_in), preset) is not None
    _, mode = effective_mode(starts_in if is_offered else "", preset)
    return Conversation(id=id, owner=owner, agent=agent, preset=preset.name, mode=mode)


def with_mode(conversation: Conversation, word: str, preset: Preset, principal: Principal) -> Conversation:
    """The conversation with another mode for its next turns; a running turn keeps its mode."""
    check_owner(principal, conversation.resource)
    requested_mode(word, preset)
    return replace(conversation, mode=word)


def requested_mode(word: str, preset: Preset) -> Mode:
    """The mode that a request names; raises an error for a mode that is unknown or not offered."""
    mode = parse_mode(word)
    if _offered_name(mode, preset) is None:
        offered = f"offers {', '.join(preset.modes)}" if preset.modes else "has no modes"
        raise AssentError(f"mode `{word}` cannot be used: the preset `{preset.name}` {offered}")
    return mode


def effective_mode(word: str, preset: Preset) -> tuple[Mode | None, str]:
    """The mode that a stored name means under the current preset, and its spelling.

    If the preset no longer offers the mode, the narrower of it and the preset's first mode applies. An
    unknown name means `default`.
    """
    first = preset.mode
    if first is None:
        return None, ""
    if not word:
        return first, preset.modes[0]
    mode = mode_from_wire(word)
    spelled = _offered_name(mode, preset)
    if spelled is None:
        return (first, preset.modes[0]) if narrower_mode(mode, first) is first else (mode, mode.value)
    # An unknown name is replaced, because it may contain any text.
    return mode, word if word in (*Mode, *MODE_ALIASES) else spelled


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
    """Parts of the reply that were streamed to the person."""
    MESSAGES = "messages"
    """Messages to and from the model; a logged step is never requested again."""
    CALLED = "called"
    """A call that is about to run; without a later `returned` line its result is unknown."""
    RETURNED = "returned"
    """The result of a call."""
    HELPED = "helped"
    """The messages of a sub-agent that runs inside a call."""
    VOID = "void"
    """The streamed parts from this number on were cut off and are invalid."""


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
    """The id of the process that runs the turn."""
    status: RunStatus = RunStatus.RUNNING
    requested_end: str = ""
    """How the run is asked to end; the process that runs it ends it."""
    length: int = 0
    """The number of log lines."""
    began_at: datetime | None = None
    ended_at: datetime | None = None
    digest: str = ""
    """The digest of the request; empty in runs of older versions."""
    replaced_by: str = ""
    """The id of the run that replaced this one after an edit or retry; this run is no longer shown."""

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
    """The same message was posted before; the existing run is returned."""
    OCCUPIED = "occupied"
    """Another run of the conversation is open and must end first."""


class StartedRun(NamedTuple):
    """A run, and the result of the request to start it."""

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
    """The part of a store that keeps chat runs and logs; only the process of a run writes to its log."""

    async def begin_run(
        self, run: ChatRun, *, post: Post | None = None, replaces: Collection[str] = ()
    ) -> StartedRun:
        """Start a run in this process; `ConflictError` where its id or key belongs to another message."""
        ...

    async def find_run_of_post(self, post: Post) -> ChatRun | None:
        """The run that a request with this key started.

        Raises `ConflictError` if the key belongs to another request.
        """
        ...

    async def save_post(self, post: Post, run: str) -> None:
        """Save the key of a request about a run; `ConflictError` if it belongs to another request."""
        ...

    async def chat_run(self, id: str) -> ChatRun:
        """The run with an id, or `NotFoundError`."""
        ...

    async def chat_runs(self, conversation: str) -> Sequence[ChatRun]:
        """The runs of a conversation, oldest first."""
        ...

    async def append_lines(
        self, id: str, lines: Sequence[LogLine], status: RunStatus = RunStatus.RUNNING
    ) -> ChatRun:
        """Append log lines and set the status; `ConflictError` if another process has the run."""
        ...

    async def log_lines(
        self, runs: Collection[str], *, after: int = 0, kinds: Collection[LogKind] = ALL_KINDS
    ) -> Sequence[LogLine]:
        """The log lines of some runs from number `after` on, in the order of the runs."""
        ...

    async def take_over_run(self, id: str, silent: timedelta) -> ChatRun | None:
        """Take over a run that is suspended or whose process is silent for that long; None otherwise."""
        ...

    async def request_end(self, id: str, requested_end: str) -> None:
        """Request that a run ends in this way; the first request counts."""
        ...

    async def stale_runs(self, silent: timedelta) -> Sequence[ChatRun]:
        """Runs of this process with a requested end, and runs of processes that are silent for that long."""
        ...


OPEN_STATUSES = (RunStatus.RUNNING, RunStatus.SUSPENDED)


def start_run(run: ChatRun, existing: Sequence[ChatRun], replaces: Collection[str]) -> StartedRun:
    """Decide how a request to start a run ends; `existing` are the runs of its conversation, oldest first."""
    for one in existing:
        if one.id in replaces and one.replaced_by:
            return _find_successor(run, one, existing)
    same = [one for one in existing if one.message_id == run.message_id != "" and one.id not in replaces]
    if same and not replaces:
        return _find_repeat(run, same)
    still = next((one for one in existing if one.status in OPEN_STATUSES), None)
    return StartedRun(run, StartResult.NEW) if still is None else StartedRun(still, StartResult.OCCUPIED)


def check_post(post: Post, digest: str) -> None:
    """Raise `ConflictError` for a key that was used for another request."""
    if post.digest != digest:
        raise ConflictError(f"the key `{post.key}` belongs to another request: use a new key")


def is_repeat(run: ChatRun, known: ChatRun) -> bool:
    """Whether the message of a run was posted before, with the same content."""
    # A run of an older version has no digest; only its message can be compared.
    return known.digest == run.digest if known.digest else known.message == run.message


def _offered_name(mode: Mode, preset: Preset) -> str | None:
    """The preset's spelling of a mode; None where it does not offer it."""
    return next((word for word in preset.modes if parse_mode(word) is mode), None)


def _find_successor(run: ChatRun, replaced: ChatRun, existing: Sequence[ChatRun]) -> StartedRun:
    """The run that already replaced `replaced`; `ConflictError` if its message has other content."""
    found = next((one for one in existing if one.id == replaced.replaced_by), None)
    if found is None or not is_repeat(run, found):
        raise ConflictError("this message was replaced meanwhile: load the conversation again")
    return StartedRun(found, StartResult.REPEATED)


def _find_repeat(run: ChatRun, same: Sequence[ChatRun]) -> StartedRun:
    for one in reversed(same):
        if is_repeat(run, one):
            return StartedRun(one, StartResult.REPEATED)
    raise ConflictError(f"message `{run.message_id}` was posted before with different content: use a new id")
