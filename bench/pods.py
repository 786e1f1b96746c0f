"""A second pod: a process that answers on request of the first one, over a socket."""

import asyncio
import json
import multiprocessing
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from dbos import DBOSClient

from bench.pool import Pool
from bench.store_only import StoreOnly
from bench.stores import ANA, YES, open_bench_gate

TIMEOUT = 60
"""Seconds to wait for the other process."""
TOPIC = "answer"

_SPAWN = multiprocessing.get_context("spawn")


class Pod:
    """The connection of the first process to the other one."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def answer(self, whose: str, *words: str) -> None:
        """Let the other pod say yes; the waiter is notified through the database."""
        self._writer.write(json.dumps([whose, *words]).encode() + b"\n")

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()


@asynccontextmanager
async def start_pod(url: str, directory: Path) -> AsyncGenerator[Pod]:
    """Start another process on the same database."""
    arrived: asyncio.Future[Pod] = asyncio.get_running_loop().create_future()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        arrived.set_result(Pod(writer))

    socket = directory / "pods.sock"
    server = await asyncio.start_unix_server(meet, socket)
    process = _SPAWN.Process(target=_run_pod, args=(url, str(socket), str(directory)))
    process.start()
    try:
        async with asyncio.timeout(TIMEOUT):
            other = await arrived
        yield other
        other.close()
    finally:
        server.close()
        await asyncio.to_thread(process.join, TIMEOUT)
        process.terminate()


def _run_pod(url: str, socket: str, directory: str) -> None:
    asyncio.run(_serve(url, socket, Path(directory)))


async def _serve(url: str, socket: str, directory: Path) -> None:
    """Answer until the first pod closes the connection."""
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(open_bench_gate(url, directory))
        pool = await Pool.open(url)
        stack.push_async_callback(pool.close)
        client = DBOSClient(system_database_url=url, lazy=True)
        stack.callback(client.destroy)
        answers: dict[str, Callable[..., Awaitable[object]]] = {
            "gate": lambda id_, digest: ours.gate.answer(ANA, id_, digest, YES),
            "shelf": StoreOnly(ours.gate.store).answer,
            "pool": pool.answer,
            "dbos": lambda id_: client.send_async(id_, "approved", TOPIC),
        }
        reader, writer = await asyncio.open_unix_connection(socket)
        writer.write(b"here\n")
        async with asyncio.TaskGroup() as tasks:
            while line := await reader.readline():
                whose, *words = json.loads(line)
                tasks.create_task(_await_answer(partial(answers[whose], *words)))


async def _await_answer(answer: Callable[[], Awaitable[object]]) -> None:
    await answer()
