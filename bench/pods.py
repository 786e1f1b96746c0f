"""A second pod: a process of its own that answers what the first one tells it to, over a socket."""

import asyncio
import json
import multiprocessing
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from dbos import DBOSClient

from bench.pool import Pool
from bench.shelf import Shelf
from bench.stores import ANA, YES, desk

PATIENCE = 60
"""Seconds that it may take until the other one is there."""
TOPIC = "answer"

_SPAWN = multiprocessing.get_context("spawn")


class Pod:
    """The other process, as the first one sees it."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def answer(self, whose: str, *words: str) -> None:
        """Have it say yes; whoever waits for that hears of it through the database."""
        self._writer.write(json.dumps([whose, *words]).encode() + b"\n")

    def hang_up(self) -> None:
        """Let it go."""
        self._writer.close()


@asynccontextmanager
async def pod(url: str, directory: Path) -> AsyncGenerator[Pod]:
    """Another process on the same database."""
    arrived: asyncio.Future[Pod] = asyncio.get_running_loop().create_future()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        arrived.set_result(Pod(writer))

    socket = directory / "pods.sock"
    server = await asyncio.start_unix_server(meet, socket)
    process = _SPAWN.Process(target=_live, args=(url, str(socket), str(directory)))
    process.start()
    try:
        async with asyncio.timeout(PATIENCE):
            other = await arrived
        yield other
        other.hang_up()
    finally:
        server.close()
        await asyncio.to_thread(process.join, PATIENCE)
        process.terminate()


def _live(url: str, socket: str, directory: str) -> None:
    asyncio.run(_serve(url, socket, Path(directory)))


async def _serve(url: str, socket: str, directory: Path) -> None:
    """Answer until the first pod hangs up."""
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(desk(url, directory))
        pool = await Pool.opened(url)
        stack.push_async_callback(pool.close)
        client = DBOSClient(system_database_url=url, lazy=True)
        stack.callback(client.destroy)
        answers: dict[str, Callable[..., Awaitable[object]]] = {
            "gate": lambda id_, digest: ours.gate.answer(ANA, id_, digest, YES),
            "shelf": Shelf(ours.gate.store).answer,
            "pool": pool.answer,
            "dbos": lambda id_: client.send_async(id_, "approved", TOPIC),
        }
        reader, writer = await asyncio.open_unix_connection(socket)
        writer.write(b"here\n")
        async with asyncio.TaskGroup() as tasks:
            while line := await reader.readline():
                whose, *words = json.loads(line)
                tasks.create_task(_awaited(partial(answers[whose], *words)))


async def _awaited(answer: Callable[[], Awaitable[object]]) -> None:
    await answer()
