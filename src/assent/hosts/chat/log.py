"""The log of a run: what was shown, said and called, kept so that any process can go on from it."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from assent.errors import AssentError, ConflictError
from assent.gate.transcript import ChatRun, LogKind, LogLine, RunStatus, Transcript
from assent.hosts.chat.belt.fault import ParkedError
from assent.hosts.chat.chunk import ASSENT, Chunk

BREATH = 0.1
"""Seconds in which what is shown is gathered before it is written."""


STEP: Chunk = {"type": "start-step"}


class TakenOver(ParkedError):
    """Another process has the run: whatever this one still does must not count."""


class Returned(NamedTuple):
    """What came of a call, as the log keeps it."""

    text: str
    data: Mapping[str, object]
    failed: bool = False
    denied: bool = False


class Log:
    """The log of a run that this process has; it alone writes to it."""

    def __init__(self, store: Transcript, run: ChatRun, lines: Sequence[LogLine] = ()) -> None:
        self.run = run
        self.chunks: list[Chunk] = shown_in(lines)
        self.called: set[str] = {line.body for line in lines if line.kind is LogKind.CALLED}
        self.returned: dict[str, Returned] = dict(_returned_in(lines))
        self.helped: Mapping[str, Sequence[str]] = _helped_in(lines)
        """What was kept of helpers, by the call that each works for."""
        self.ended = False
        self._store = store
        self._number = run.length
        self._unwritten: list[Chunk] = []
        self._writing = asyncio.Lock()
        self._news = asyncio.Event()
        self._soon: asyncio.Task[None] | None = None
        self._lost: Exception | None = None

    def show(self, *chunks: Chunk) -> None:
        """Show something at once, and write it soon."""
        self.chunks += chunks
        self._unwritten += [one for one in chunks if not one.get("transient")]
        self._rouse()
        if self._unwritten and (self._soon is None or self._soon.done()):
            self._soon = asyncio.create_task(self._write_soon())

    async def note(self, kind: LogKind, body: str, *chunks: Chunk) -> None:
        """Write a line, and whatever was shown up to it, in one go; it is kept when this returns."""
        self.show(*chunks)
        await self._write([(kind, body)], RunStatus.RUNNING)

    def question(self, call: str) -> str | None:
        """The id of the question that was shown about a call, if one was."""
        for one in self.chunks:
            data = one.get("data")
            if one["type"] == ASSENT and isinstance(data, dict) and data["toolCallId"] == call:
                return str(one["id"])
        return None

    def shows(self, call: str) -> bool:
        """Whether a call was shown before."""
        return any(one.get("toolCallId") == call for one in self.chunks)

    async def flush(self) -> None:
        """Write whatever was shown."""
        await self._write([], RunStatus.RUNNING)

    async def check(self) -> None:
        """Make sure that this process still has the run."""
        if (await self._store.chat_run(self.run.id)).boot != self.run.boot:
            raise TakenOver(self.run.id)

    async def call(self, id: str) -> None:
        """A call is about to run; if that cannot be kept, it must not."""
        await self.note(LogKind.CALLED, id)
        self.called.add(id)

    async def help(self, call: str, said: str) -> None:
        """A helper has come a step further."""
        await self.note(LogKind.HELPED, json.dumps({"call": call, "said": said}))

    async def returns(self, id: str, result: Returned, *chunks: Chunk) -> None:
        """A call has come back."""
        self.returned[id] = result
        await self.note(LogKind.RETURNED, json.dumps({"id": id, **result._asdict()}), *chunks)

    async def end(self, course: RunStatus, *chunks: Chunk) -> None:
        """End the run, with the last that is shown of it."""
        self.chunks += chunks
        self._unwritten += chunks
        try:
            await self._write([], course)
        finally:
            self.leave()

    async def cut_off(self, lines: Sequence[LogLine]) -> None:
        """Take back what was shown of an answer that was never kept."""
        steps = [line.number for line in lines if _begins_step(line)]
        kept = [line.number for line in lines if line.kind is LogKind.MESSAGES]
        if steps and max(kept, default=-1) < steps[-1]:
            void = LogLine(self._number, LogKind.VOID, str(steps[-1]))
            self.chunks = shown_in([*lines, void])
            await self.note(void.kind, void.body)

    def leave(self) -> None:
        """Let go of it here; nobody is shown more of it by this process."""
        self.ended = True
        if self._soon is not None:
            self._soon.cancel()
        self._rouse()

    async def follow(self, after: int = 0) -> AsyncIterator[Chunk]:
        """What is shown from a place on, until the run ends or goes on elsewhere."""
        while True:
            news = self._news
            while after < len(self.chunks):
                yield self.chunks[after]
                after += 1
            if self.ended:
                return
            await news.wait()

    def _rouse(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def _write_soon(self) -> None:
        # INVARIANT: what is shown while something is written is written next; nobody else comes for it.
        while self._unwritten and self._lost is None:
            await asyncio.sleep(BREATH)
            try:
                await self._write([], RunStatus.RUNNING)
            except (AssentError, TakenOver) as error:
                # Whoever writes the next line, before anything runs, meets it.
                self._lost = error

    async def _write(self, notes: Iterable[tuple[LogKind, str]], course: RunStatus) -> None:
        async with self._writing:
            if self._lost is not None:
                raise self._lost
            shown, self._unwritten = self._unwritten, []
            notes = [*([(LogKind.CHUNKS, json.dumps(merged(shown)))] if shown else []), *notes]
            lines = [LogLine(self._number + place, *note) for place, note in enumerate(notes)]
            if lines or course is not RunStatus.RUNNING:
                try:
                    self.run = await self._store.note(self.run.id, lines, course)
                except ConflictError as error:
                    raise TakenOver(self.run.id) from error
                self._number = self.run.length


def _begins_step(line: LogLine) -> bool:
    return line.kind is LogKind.CHUNKS and json.loads(line.body)[0] == STEP


def shown_in(lines: Sequence[LogLine]) -> list[Chunk]:
    """What counts of that which was shown; an answer of the model that was cut off does not."""
    kept: list[tuple[int, Chunk]] = []
    for line in lines:
        if line.kind is LogKind.CHUNKS:
            kept += [(line.number, one) for one in cast("list[Chunk]", json.loads(line.body))]
        elif line.kind is LogKind.VOID:
            first = int(line.body)
            kept = [(number, one) for number, one in kept if number < first]
    return [one for _, one in kept]


def merged(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The same with neighbouring pieces of one text joined."""
    joined: list[Chunk] = []
    for one in chunks:
        last = joined[-1] if joined else {}
        if one["type"] in ("text-delta", "reasoning-delta") and _same(one, last):
            joined[-1] = {**last, "delta": f"{last['delta']}{one['delta']}"}
        else:
            joined.append(one)
    return joined


def _same(one: Chunk, other: Chunk) -> bool:
    return (one["type"], one["id"]) == (other.get("type"), other.get("id"))


def _returned_in(lines: Sequence[LogLine]) -> Iterable[tuple[str, Returned]]:
    for line in lines:
        if line.kind is LogKind.RETURNED:
            found = json.loads(line.body)
            yield found.pop("id"), Returned(**found)


def _helped_in(lines: Sequence[LogLine]) -> Mapping[str, Sequence[str]]:
    helped: dict[str, list[str]] = {}
    for line in lines:
        if line.kind is LogKind.HELPED:
            found = json.loads(line.body)
            helped.setdefault(found["call"], []).append(found["said"])
    return helped
