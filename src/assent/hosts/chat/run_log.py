"""The log of a run: its chunks, messages and calls. Any process can continue the run from its log."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from assent.errors import AssentError, ConflictError
from assent.gate.conversation import ChatRun, LogKind, LogLine, RunStatus, Transcript
from assent.hosts.chat.chunk import CARD_CHUNK_TYPE, Chunk
from assent.hosts.chat.tools.tool import CallSuspendedError

UNFINISHED_STATUSES = (RunStatus.RUNNING, RunStatus.SUSPENDED)
WRITE_DELAY = 0.1
"""Seconds to collect chunks before they are written in one batch."""
STEP_START: Chunk = {"type": "start-step"}


class RunTakenOver(CallSuspendedError):
    """Another process took over the run; this process must no longer change the run."""


class CallResult(NamedTuple):
    """The result of a call, as the log stores it."""

    text: str
    data: Mapping[str, object]
    failed: bool = False
    denied: bool = False


class RunLog:
    """The log of a run of this process; no other process writes to it."""

    def __init__(self, store: Transcript, run: ChatRun, lines: Sequence[LogLine] = ()) -> None:
        self.run = run
        self.chunks: list[Chunk] = chunks_from_lines(lines)
        self.started_calls: set[str] = {line.body for line in lines if line.kind is LogKind.CALLED}
        self.results: dict[str, CallResult] = dict(_results_from_lines(lines))
        self.subtask_messages: Mapping[str, Sequence[str]] = _subtasks_from_lines(lines)
        """The stored messages of subtasks, by the id of the call that started each."""
        self.is_ended = False
        self._store = store
        self._next_number = run.length
        self._unwritten: list[Chunk] = []
        self._write_lock = asyncio.Lock()
        self._changed = asyncio.Event()
        self._delayed_write: asyncio.Task[None] | None = None
        self._write_error: Exception | None = None

    def show_chunks(self, *chunks: Chunk) -> None:
        """Send chunks to all readers immediately, and write them to the store after a short delay."""
        self.chunks += chunks
        self._unwritten += [one for one in chunks if not one.get("transient")]
        self._notify_readers()
        if self._unwritten and (self._delayed_write is None or self._delayed_write.done()):
            self._delayed_write = asyncio.create_task(self._write_after_delay())

    async def follow_chunks(self, after: int = 0) -> AsyncIterator[Chunk]:
        """Yield the chunks after a position, until the run ends or another process takes it over."""
        while True:
            changed = self._changed
            while after < len(self.chunks):
                yield self.chunks[after]
                after += 1
            if self.is_ended:
                return
            await changed.wait()

    def question_id(self, call: str) -> str | None:
        """The id of the approval that was shown for a call."""
        for one in self.chunks:
            data = one.get("data")
            if one["type"] == CARD_CHUNK_TYPE and isinstance(data, dict) and data["toolCallId"] == call:
                return str(one["id"])
        return None

    def has_shown_call(self, call: str) -> bool:
        """Whether a call was already shown to clients."""
        return any(one.get("toolCallId") == call for one in self.chunks)

    async def check_owner(self) -> None:
        """Raise `RunTakenOver` if another process has taken over the run."""
        if (await self._store.chat_run(self.run.id)).boot != self.run.boot:
            raise RunTakenOver(self.run.id)

    async def write_line(self, kind: LogKind, body: str, *chunks: Chunk) -> None:
        """Write all pending chunks and one line; both are stored when this returns."""
        self.show_chunks(*chunks)
        await self._write_lines([(kind, body)], RunStatus.RUNNING)

    async def write_pending_chunks(self) -> None:
        """Write all pending chunks to the store."""
        await self._write_lines([], RunStatus.RUNNING)

    async def record_call_start(self, id: str) -> None:
        """Store that a call starts now; if this raises, the call must not run."""
        await self.write_line(LogKind.CALLED, id)
        self.started_calls.add(id)

    async def record_subtask_messages(self, call: str, messages: str) -> None:
        """Store the new messages of a subtask."""
        await self.write_line(LogKind.HELPED, json.dumps({"call": call, "said": messages}))

    async def record_call_result(self, id: str, result: CallResult, *chunks: Chunk) -> None:
        """Store the result of a call."""
        self.results[id] = result
        await self.write_line(LogKind.RETURNED, json.dumps({"id": id, **result._asdict()}), *chunks)

    async def drop_unsaved_step(self, lines: Sequence[LogLine]) -> None:
        """Remove the chunks of an incomplete model answer, whose message was never stored."""
        steps = [line.number for line in lines if _is_step_start(line)]
        saved = [line.number for line in lines if line.kind is LogKind.MESSAGES]
        if steps and max(saved, default=-1) < steps[-1]:
            void = LogLine(self._next_number, LogKind.VOID, str(steps[-1]))
            self.chunks = chunks_from_lines([*lines, void])
            await self.write_line(void.kind, void.body)

    async def end_run(self, status: RunStatus, *chunks: Chunk) -> None:
        """Show the last chunks, and store that the run ended or was suspended."""
        self.chunks += chunks
        self._unwritten += chunks
        try:
            await self._write_lines([], status)
        finally:
            self.stop_writing()

    def stop_writing(self) -> None:
        """Stop writing and end all streams of this log, without changing the stored run."""
        self.is_ended = True
        if self._delayed_write is not None:
            self._delayed_write.cancel()
        self._notify_readers()

    def _notify_readers(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def _write_after_delay(self) -> None:
        # INVARIANT: chunks that arrive during a write are written by the next round of this loop.
        while self._unwritten and self._write_error is None:
            await asyncio.sleep(WRITE_DELAY)
            try:
                await self._write_lines([], RunStatus.RUNNING)
            except (AssentError, RunTakenOver) as error:
                # The next write raises this error again, before any call can run.
                self._write_error = error

    async def _write_lines(self, notes: Iterable[tuple[LogKind, str]], status: RunStatus) -> None:
        async with self._write_lock:
            if self._write_error is not None:
                raise self._write_error
            shown, self._unwritten = self._unwritten, []
            notes = [*([(LogKind.CHUNKS, json.dumps(merge_deltas(shown)))] if shown else []), *notes]
            lines = [LogLine(self._next_number + offset, *note) for offset, note in enumerate(notes)]
            if lines or status is not RunStatus.RUNNING:
                try:
                    self.run = await self._store.append_lines(self.run.id, lines, status)
                except ConflictError as error:
                    raise RunTakenOver(self.run.id) from error
                self._next_number = self.run.length


def chunks_from_lines(lines: Sequence[LogLine]) -> list[Chunk]:
    """The chunks in stored log lines, without the chunks of removed model answers."""
    kept: list[tuple[int, Chunk]] = []
    for line in lines:
        if line.kind is LogKind.CHUNKS:
            kept += [(line.number, one) for one in cast("list[Chunk]", json.loads(line.body))]
        elif line.kind is LogKind.VOID:
            first_removed = int(line.body)
            kept = [(number, one) for number, one in kept if number < first_removed]
    return [one for _, one in kept]


def merge_deltas(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Join adjacent deltas of the same text into one chunk."""
    joined: list[Chunk] = []
    for one in chunks:
        last = joined[-1] if joined else {}
        if one["type"] in ("text-delta", "reasoning-delta") and _is_same_text(one, last):
            joined[-1] = {**last, "delta": f"{last['delta']}{one['delta']}"}
        else:
            joined.append(one)
    return joined


def _is_same_text(one: Chunk, other: Chunk) -> bool:
    return (one["type"], one["id"]) == (other.get("type"), other.get("id"))


def _is_step_start(line: LogLine) -> bool:
    return line.kind is LogKind.CHUNKS and json.loads(line.body)[0] == STEP_START


def _results_from_lines(lines: Sequence[LogLine]) -> Iterable[tuple[str, CallResult]]:
    for line in lines:
        if line.kind is LogKind.RETURNED:
            found = json.loads(line.body)
            yield found.pop("id"), CallResult(**found)


def _subtasks_from_lines(lines: Sequence[LogLine]) -> Mapping[str, Sequence[str]]:
    messages: dict[str, list[str]] = {}
    for line in lines:
        if line.kind is LogKind.HELPED:
            found = json.loads(line.body)
            messages.setdefault(found["call"], []).append(found["said"])
    return messages
