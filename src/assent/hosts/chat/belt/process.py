"""A process group: started clean, heard while it works, ended as a whole."""

import asyncio
import os
import signal
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from io import FileIO
from typing import NamedTuple

from assent.hosts.chat.belt.context import Progress

_CHUNK = 65_536
_LINGER = 0.5
"""Seconds that output may still come after a process has ended; what it left behind is ended then."""
_GRACE = 2.0
"""Seconds between asking a group to end and ending it."""


class Output:
    """The beginning and the end of what a process says; the middle is counted and let go."""

    def __init__(self, most: int) -> None:
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._most_head = most * 3 // 4
        self._most_tail = most - self._most_head
        self._in_tail = 0
        self.total = 0

    def add(self, chunk: bytes) -> bytes:
        """Take a piece in; what of it belongs to the beginning is given back, to be shown at once."""
        self.total += len(chunk)
        room = self._most_head - len(self._head)
        shown, rest = chunk[:room], chunk[room:]
        self._head += shown
        if rest:
            self._tail.append(rest)
            self._in_tail += len(rest)
        while self._tail and self._in_tail - len(self._tail[0]) >= self._most_tail:
            self._in_tail -= len(self._tail.popleft())
        return shown

    @property
    def text(self) -> str:
        """Everything, or both ends and how much is missing between them."""
        tail = b"".join(self._tail)[-self._most_tail :]
        missing = self.total - len(self._head) - len(tail)
        between = f"\n… {missing:,} more bytes …\n" if missing else ""
        return _decoded(bytes(self._head)) + between + _decoded(tail)


class Ended(NamedTuple):
    """How a process ended: its status is None when it was ended for taking too long."""

    status: int | None
    output: Output


async def run_group(
    words: Sequence[str],
    *,
    cwd: str,
    environment: Mapping[str, str],
    seconds: float,
    most: int,
    progress: Progress,
) -> Ended:
    """Run a program in a group of its own; however this ends, nothing of the group is left."""
    output = Output(most)
    async with _pipe() as (heard, spoken):
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=cwd,
            env=dict(environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=spoken,
            stderr=spoken,
            start_new_session=True,
        )
        spoken.close()
        reading = asyncio.create_task(_read(heard, output, progress))
        try:
            status = await _ended(process, reading, seconds)
        finally:
            _signal(process.pid, signal.SIGKILL)
            reading.cancel()
            await asyncio.shield(process.wait())
            await asyncio.wait([reading])
    return Ended(status, output)


async def _ended(
    process: asyncio.subprocess.Process, reading: asyncio.Task[None], seconds: float
) -> int | None:
    """The status of a process, or None when it had to be ended."""
    try:
        async with asyncio.timeout(seconds):
            status = await process.wait()
            await asyncio.wait([reading], timeout=_LINGER)
            return status
    except TimeoutError:
        _signal(process.pid, signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE)
        return None


@asynccontextmanager
async def _pipe() -> AsyncGenerator[tuple[asyncio.StreamReader, FileIO]]:
    """A pipe of our own: asyncio's would keep us waiting for whatever a process left behind."""
    out, into = os.pipe()
    reader = asyncio.StreamReader(limit=_CHUNK)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(out, "rb", 0)
    )
    with FileIO(into, "wb") as speaking:
        try:
            yield reader, speaking
        finally:
            transport.close()


async def _read(heard: asyncio.StreamReader, output: Output, progress: Progress) -> None:
    while chunk := await heard.read(_CHUNK):
        if shown := output.add(chunk):
            await progress(_decoded(shown))


def _signal(group: int, number: signal.Signals) -> None:
    """Signal a whole group; one that is empty by now hears nothing."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _decoded(piece: bytes) -> str:
    return piece.decode("utf-8", errors="replace")
