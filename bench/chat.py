"""Benchmark of the chat: memory of a run that waits for a person, and time from answer to result."""

import asyncio
import gc
import multiprocessing
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AsyncExitStack
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from assent.compose import open_gate_on_store, open_store
from assent.config.paths import find_config_paths
from assent.config.policy_loader import PolicyLoader
from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.gate.conversations import ConversationChanges, Conversations, NewConversation
from assent.gate.question import Limits
from assent.gate.store import ApprovalFilter
from assent.hosts.chat.chat import Chat, open_chat
from assent.hosts.chat.chunk import Chunk
from assent.hosts.chat.request import parse_request
from bench.harness import MILLISECONDS, Effort, Result
from bench.memory import resident_bytes
from bench.stores import temporary_directory

CONVERSATIONS = 200
SAMPLE_PERSON = Principal(id="ana")
ALLOW_ONCE = Answer(say=Say.ONCE)
BYTES_PER_KB = 1024
WRITE_FILE_MESSAGE = '/call write_file {"path": "%d.txt", "content": "x"}'


def measure(effort: Effort) -> Iterator[Result]:
    many = CONVERSATIONS // 4 if effort.quick else CONVERSATIONS
    size, times = asyncio.run(_measure_waiting_runs(many))
    # Measured in a new process: this process would reuse memory that it has freed before.
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        bare = pool.submit(_run_pydantic_ai_alone, many).result()
    yield Result(
        row="chat",
        what=f"memory of a run that waits, {many} conversations (SQLite)",
        ours=size / BYTES_PER_KB,
        unit="kB",
        peer=bare / BYTES_PER_KB,
        against="Pydantic AI on a future",
        ratio=size / bare if bare else None,
    )
    for what, part in (("p50", 0.5), ("p99", 0.99)):
        took = sorted(times)[int(len(times) * part)]
        yield Result(
            row="chat", what=f"answer to result on the stream, {what}", ours=took * MILLISECONDS, unit="ms"
        )


async def _measure_waiting_runs(many: int) -> tuple[float, list[float]]:
    """Return the memory of each waiting run in bytes, and the seconds from answer to result."""
    with temporary_directory() as directory:
        async with AsyncExitStack() as stack:
            work = directory / "work"
            work.mkdir()
            environ = {"XDG_CONFIG_HOME": str(directory / "c"), "XDG_DATA_HOME": str(directory / "d")}
            where = find_config_paths(str(work), environ)
            files = PolicyLoader(where, environ)
            store = await open_store(str(directory / "assent.db"))
            limits = Limits(pending=2 * many)
            gate = await stack.enter_async_context(open_gate_on_store(store, files, where, limits=limits))
            chat = await stack.enter_async_context(open_chat(gate, store, where, files, environ=environ))
            talks = Conversations(store, files)
            opened = [
                await talks.open(SAMPLE_PERSON, NewConversation(preset="chat"), ConversationChanges())
                for _ in range(many + 1)
            ]
            # The first run also loads what all runs share, so it is not counted.
            tails = {opened[0].id: await _post_message(chat, opened[0].id, 0)}
            await _wait_for_pending(store, 1)
            before = _resident_bytes_after_collection()
            for number, one in enumerate(opened[1:], 1):
                tails[one.id] = await _post_message(chat, one.id, number)
            questions = await _wait_for_pending(store, many + 1)
            size = (_resident_bytes_after_collection() - before) / many
            times = [await _time_answer(gate, one, tails[one.call.conversation]) for one in questions]
            await asyncio.gather(*(tail.wait() for tail in tails.values()))
            return size, times


class StreamListener:
    """Reads the stream of a chat and sets `has_result` when the result of the tool arrives."""

    def __init__(self, chunks: AsyncIterator[Chunk]) -> None:
        self.has_result = asyncio.Event()
        self._task = asyncio.create_task(self._read_chunks(chunks))

    async def wait(self) -> None:
        await self._task

    async def _read_chunks(self, chunks: AsyncIterator[Chunk]) -> None:
        async for one in chunks:
            if one["type"] == "tool-output-available":
                self.has_result.set()


async def _post_message(chat: Chat, conversation: str, number: int) -> StreamListener:
    message = {"role": "user", "parts": [{"type": "text", "text": WRITE_FILE_MESSAGE % number}]}
    return StreamListener(await chat.send(SAMPLE_PERSON, conversation, parse_request({"message": message})))


async def _wait_for_pending(store: Any, count: int) -> list[Approval]:
    which = ApprovalFilter(states=frozenset({State.PENDING}))
    while True:
        found = (await store.approvals(which, limit=count + 1)).approvals
        if len(found) >= count:
            return list(found)
        await asyncio.sleep(0.05)


async def _time_answer(gate: Any, question: Approval, tail: StreamListener) -> float:
    start = time.perf_counter()
    await gate.answer(SAMPLE_PERSON, question.id, question.digest, ALLOW_ONCE)
    await tail.has_result.wait()
    return time.perf_counter() - start


def _resident_bytes_after_collection() -> int:
    gc.collect()
    return resident_bytes()


def _run_pydantic_ai_alone(many: int) -> float:
    return asyncio.run(_measure_pydantic_ai_alone(many))


async def _measure_pydantic_ai_alone(many: int) -> float:
    """Return the memory of a waiting run of Pydantic AI without Assent: its tool waits for a future."""

    async def model(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:  # noqa: ARG001
        if any(isinstance(one, ModelResponse) for one in messages):
            yield "done"
        else:
            yield {0: DeltaToolCall("wait", "{}", tool_call_id="c1")}

    answers: list[asyncio.Future[None]] = []

    async def wait() -> str:
        answers.append(asyncio.get_running_loop().create_future())
        await answers[-1]
        return "ok"

    async def run() -> None:
        agent = Agent(FunctionModel(stream_function=model), tools=[wait])
        async with agent.run_stream("go") as stream:
            await stream.get_output()

    async def start_waiting_runs(count: int) -> list[asyncio.Task[None]]:
        tasks = [asyncio.create_task(run()) for _ in range(count)]
        wanted = len(answers) + count
        while len(answers) < wanted:
            await asyncio.sleep(0.01)
        return tasks

    tasks = await start_waiting_runs(1)
    before = _resident_bytes_after_collection()
    tasks += await start_waiting_runs(many)
    size = (_resident_bytes_after_collection() - before) / many
    for one in answers:
        one.set_result(None)
    await asyncio.gather(*tasks)
    return size
