"""The log of a run stores every chunk that was shown."""

import asyncio
from collections.abc import Sequence

from assent.gate.transcript import ChatRun, LogKind, LogLine, RunStatus
from assent.hosts.chat.chunk import Chunk
from assent.hosts.chat.run_log import RunLog, chunks_from_lines
from assent.stores.memory.store import MemoryStore
from tests.stores.promises.chat import RUN

ONE: Chunk = {"type": "text-delta", "id": "t1", "delta": "half of "}
OTHER: Chunk = {"type": "text-delta", "id": "t2", "delta": "it"}


class Slow(MemoryStore):
    """A store that writes a line only when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.writing = asyncio.Event()
        self.going = asyncio.Event()

    async def note(self, id: str, lines: Sequence[LogLine], course: RunStatus = RunStatus.RUNNING) -> ChatRun:
        self.writing.set()
        await self.going.wait()
        return await super().note(id, lines, course)


async def test_what_is_shown_while_something_is_written_is_written_too() -> None:
    store = Slow()
    log = RunLog(store, (await store.begin_run(RUN)).run)
    log.show(ONE)
    await store.writing.wait()
    log.show(OTHER)
    store.going.set()

    async with asyncio.timeout(60):
        while len(lines := await store.lines([RUN.id], kinds=[LogKind.CHUNKS])) < 2:
            await asyncio.sleep(0.01)
    assert chunks_from_lines(lines) == [ONE, OTHER]
