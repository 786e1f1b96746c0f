"""The log of a run stores every chunk that was shown."""

import asyncio
from collections.abc import Sequence

from assent.gate.conversation import ChatRun, LogKind, LogLine, RunStatus
from assent.hosts.chat.chunk import Chunk
from assent.hosts.chat.run_log import RunLog, chunks_from_lines
from assent.stores.memory.store import MemoryStore
from tests.stores.promises.chat import RUN
from tests.waiting import wait_until_async

ONE: Chunk = {"type": "text-delta", "id": "t1", "delta": "half of "}
OTHER: Chunk = {"type": "text-delta", "id": "t2", "delta": "it"}


class DelayedStore(MemoryStore):
    """A store that holds each write until the test releases it."""

    def __init__(self) -> None:
        super().__init__()
        self.writing = asyncio.Event()
        self.going = asyncio.Event()

    async def append_lines(
        self, id: str, lines: Sequence[LogLine], status: RunStatus = RunStatus.RUNNING
    ) -> ChatRun:
        self.writing.set()
        await self.going.wait()
        return await super().append_lines(id, lines, status)


async def test_chunks_shown_during_a_write_are_written_afterwards() -> None:
    store = DelayedStore()
    log = RunLog(store, (await store.begin_run(RUN)).run)
    log.show_chunks(ONE)
    await store.writing.wait()
    log.show_chunks(OTHER)
    store.going.set()

    async def find_two_lines() -> Sequence[LogLine]:
        lines = await store.log_lines([RUN.id], kinds=[LogKind.CHUNKS])
        return lines if len(lines) >= 2 else ()

    lines = await wait_until_async(find_two_lines)
    assert chunks_from_lines(lines) == [ONE, OTHER]
