"""A history: what one worker did, told by itself, one line for each event, on disk before it goes on."""

import asyncio
import json
import os
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from itertools import count
from pathlib import Path


class Act(StrEnum):
    """What a worker does."""

    SUBMIT = "submit"
    ANSWER = "answer"
    TAKE = "take"
    RUN = "run"
    REPORT = "report"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The start of an act, or its end with what came of it."""

    act: Act
    step: str
    """The same for the start and the end of one act; running has the step of the act that allowed it."""
    call: str
    at: float
    """By the clock that all processes of a machine share and that nobody sets."""
    wall: float = 0.0
    pid: int = 0
    approval: str = ""
    digest: str = ""
    """Of the tool and its arguments, as the worker itself computes it."""
    say: str = ""
    by: str = ""
    outcome: str = ""
    """Empty at the start."""
    shown: float = 0.0
    """When whoever answers asked for the list that showed the question as open."""


class Diary:
    """Where one worker writes; events that come together are synced together."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._queued: list[tuple[bytes, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._steps = count(1)
        self._mark = f"{os.getpid()}-{secrets.token_hex(4)}"

    def step(self) -> str:
        """A mark for an act that begins."""
        return f"{self._mark}-{next(self._steps)}"

    async def tell(self, act: Act, step: str, call: str, **said: str) -> None:
        """Write an event; it is on disk when this comes back."""
        event = Event(
            act=act, step=step, call=call, at=time.monotonic(), wall=time.time(), pid=os.getpid(), **said
        )
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queued.append((json.dumps(asdict(event)).encode() + b"\n", written))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        await written

    async def _write(self) -> None:
        while self._queued:
            batch, self._queued = self._queued, []
            await asyncio.to_thread(self._sync, b"".join(line for line, _ in batch))
            for _, written in batch:
                if not written.done():
                    written.set_result(None)
        self._writing = None

    def _sync(self, lines: bytes) -> None:
        os.write(self._handle, lines)
        os.fsync(self._handle)


def read(paths: Iterable[Path]) -> list[Event]:
    """Everything that these histories tell, in the order in which it happened."""
    return sorted((event for path in paths for event in _events(path)), key=lambda event: event.at)


def _events(path: Path) -> list[Event]:
    # A life that was over before it began to write has no file.
    lines = path.read_bytes().split(b"\n") if path.exists() else []
    # What follows the last newline is a line that its writer was killed in.
    return [event_of(json.loads(line)) for line in lines[:-1] if line]


def event_of(told: Mapping[str, object]) -> Event:
    """An event as it was written."""
    known = {field.name for field in fields(Event)}
    said = {name: value for name, value in told.items() if name in known}
    return Event(**(said | {"act": Act(str(told["act"]))}))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Attempt:
    """An act from its start to its end, which is missing where the worker was killed in between."""

    start: Event
    end: Event | None

    @property
    def outcome(self) -> str:
        """What came of it; empty when nobody knows."""
        return "" if self.end is None else self.end.outcome

    @property
    def approval(self) -> str:
        """The approval it was about, as far as it is known."""
        return self.start.approval if self.end is None else self.end.approval or self.start.approval


def attempts(events: Sequence[Event]) -> list[Attempt]:
    """The acts that a history tells of, in the order in which they began."""
    ends = {(event.act, event.step): event for event in events if event.outcome}
    return [Attempt(event, ends.get((event.act, event.step))) for event in events if not event.outcome]
