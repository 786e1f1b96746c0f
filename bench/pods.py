"""A second pod: a process that answers approvals when the first process requests it over a socket."""

import asyncio
import json
import multiprocessing
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from dbos import DBOSClient

from bench.pool import PoolApprovals
from bench.store_only import StoreApprovals
from bench.stores import ALLOW_ONCE, SAMPLE_PERSON, open_bench_gate

PROCESS_TIMEOUT = 60
"""Seconds to wait for the start and the end of the other process."""
ANSWER_TOPIC = "answer"

_SPAWN_CONTEXT = multiprocessing.get_context("spawn")


class OtherPod:
    """The connection of the first process to the second pod."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def answer(self, target: str, *words: str) -> None:
        """Let the second pod allow a call; the waiter is notified through the database."""
        self._writer.write(json.dumps([target, *words]).encode() + b"\n")

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()


@asynccontextmanager
async def start_pod(url: str, directory: Path) -> AsyncGenerator[OtherPod]:
    """Start a second process on the same database, and connect to it."""
    arrived: asyncio.Future[OtherPod] = asyncio.get_running_loop().create_future()

    async def accept_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        arrived.set_result(OtherPod(writer))

    socket = directory / "pods.sock"
    server = await asyncio.start_unix_server(accept_connection, socket)
    process = _SPAWN_CONTEXT.Process(target=_run_pod, args=(url, str(socket), str(directory)))
    process.start()
    try:
        async with asyncio.timeout(PROCESS_TIMEOUT):
            other = await arrived
        yield other
        other.close()
    finally:
        server.close()
        await asyncio.to_thread(process.join, PROCESS_TIMEOUT)
        process.terminate()


def _run_pod(url: str, socket: str, directory: str) -> None:
    asyncio.run(_answer_requests(url, socket, Path(directory)))


async def _answer_requests(url: str, socket: str, directory: Path) -> None:
    """Answer approvals until the first process closes the connection."""
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(open_bench_gate(url, directory))
        pool = await PoolApprovals.open(url)
        stack.push_async_callback(pool.close)
        client = DBOSClient(system_database_url=url, lazy=True)
        stack.callback(client.destroy)
        answers: dict[str, Callable[..., Awaitable[object]]] = {
            "gate": lambda id_, digest: ours.gate.answer(SAMPLE_PERSON, id_, digest, ALLOW_ONCE),
            "shelf": StoreApprovals(ours.gate.store).answer,
            "pool": pool.answer,
            "dbos": lambda id_: client.send_async(id_, "approved", ANSWER_TOPIC),
        }
        reader, writer = await asyncio.open_unix_connection(socket)
        writer.write(b"here\n")
        async with asyncio.TaskGroup() as tasks:
            while line := await reader.readline():
                target, *words = json.loads(line)
                tasks.create_task(_run_answer(partial(answers[target], *words)))


async def _run_answer(answer: Callable[[], Awaitable[object]]) -> None:
    await answer()
