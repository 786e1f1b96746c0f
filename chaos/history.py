"""Histories: workers write each event as a line, synced to disk before they continue."""

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
    """The start of an act, or its end with the outcome."""

    act: Act
    step: str
    """Id of the act, the same at its start and end; a run has the step of its claim."""
    call: str
    at: float
    """Time of the monotonic clock, which all processes of a machine share."""
    wall: float = 0.0
    pid: int = 0
    approval: str = ""
    digest: str = ""
    """Digest of the tool and its arguments, computed by the worker itself."""
    say: str = ""
    by: str = ""
    outcome: str = ""
    """The outcome; empty in the start event."""
    shown: float = 0.0
    """When the approver requested the list that showed the question as open."""


class HistoryWriter:
    """Writes the history of one worker; concurrent events share one sync."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._queued: list[tuple[bytes, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._steps = count(1)
        self._mark = f"{os.getpid()}-{secrets.token_hex(4)}"

    def new_step(self) -> str:
        """A new id for an act."""
        return f"{self._mark}-{next(self._steps)}"

    async def record(self, act: Act, step: str, call: str, **said: str) -> None:
        """Record an event; returns when it is on disk."""
        event = Event(
            act=act, step=step, call=call, at=time.monotonic(), wall=time.time(), pid=os.getpid(), **said
        )
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queued.append((json.dumps(asdict(event)).encode() + b"\n", written))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_lines())
        await written

    async def _write_lines(self) -> None:
        while self._queued:
            batch, self._queued = self._queued, []
            await asyncio.to_thread(self._write_and_sync, b"".join(line for line, _ in batch))
            for _, written in batch:
                if not written.done():
                    written.set_result(None)
        self._writing = None

    def _write_and_sync(self, lines: bytes) -> None:
        os.write(self._handle, lines)
        os.fsync(self._handle)


def read_events(paths: Iterable[Path]) -> list[Event]:
    """Read all events of these histories, ordered by time."""
    return sorted((event for path in paths for event in _read_file(path)), key=lambda event: event.at)


def _read_file(path: Path) -> list[Event]:
    # A worker that was killed before its first event has no file.
    lines = path.read_bytes().split(b"\n") if path.exists() else []
    # Text after the last newline is incomplete, because its writer was killed.
    return [parse_event(json.loads(line)) for line in lines[:-1] if line]


def parse_event(written: Mapping[str, object]) -> Event:
    """Parse a written event."""
    known = {field.name for field in fields(Event)}
    said = {name: value for name, value in written.items() if name in known}
    return Event(**(said | {"act": Act(str(written["act"]))}))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The start and end of an act; the end is None if the worker was killed meanwhile."""

    start: Event
    end: Event | None

    @property
    def outcome(self) -> str:
        """The outcome; empty if it is unknown."""
        return "" if self.end is None else self.end.outcome

    @property
    def approval(self) -> str:
        """The id of the approval, if it is known."""
        return self.start.approval if self.end is None else self.end.approval or self.start.approval


def attempts(events: Sequence[Event]) -> list[Attempt]:
    """The acts of a history, in the order of their starts."""
    ends = {(event.act, event.step): event for event in events if event.outcome}
    return [Attempt(event, ends.get((event.act, event.step))) for event in events if not event.outcome]
