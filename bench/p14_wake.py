"""P14: the time from an answer on one pod to the waiter on another, compared with one durable insert."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from time import perf_counter

from dbos import DBOS, DBOSConfig

from assent.gate.approval import State
from bench.harness import MILLI, Effort, Goal, Result, WrongAnswerError, at_most
from bench.pods import TOPIC, Pod, start_pod
from bench.pool import Pool
from bench.server import database, version
from bench.stores import BenchGate, Round, median_wait, open_bench_gate, temporary_directory

EACH = 5
PARKED = 0.02
"""Seconds after which whoever waits has surely begun to."""


def measure(effort: Effort) -> Iterator[Result]:
    with temporary_directory() as directory, database(directory) as url:
        woken, heard, workflow, bare = asyncio.run(_race(url, directory, effort))
        server = version(url)
    what = f"parked, then woken from another pod, p50 ({server})"
    yield _result(what, woken, bare, "one bare insert", at_most(4))
    yield _result(what, woken, heard, "asyncpg, pool of 8")
    yield _result(what, woken, workflow, "DBOS")


def _result(what: str, ours: Round, theirs: Round, who: str, goal: Goal | None = None) -> Result:
    return Result(
        row="P14",
        what=what,
        ours=median_wait([ours]) * MILLI,
        unit="ms",
        peer=median_wait([theirs]) * MILLI,
        against=who,
        ratio=median_wait([ours]) / median_wait([theirs]),
        goal=goal,
    )


async def _race(url: str, directory: Path, effort: Effort) -> list[Round]:
    """Time all four in turns."""
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(open_bench_gate(url, directory))
        pool = await Pool.open(url)
        stack.push_async_callback(pool.close)
        await stack.enter_async_context(_dbos(url))
        parked = WakeTimer(await stack.enter_async_context(start_pod(url, directory)), ours, pool)
        waits: list[list[float]] = [[], [], [], []]
        for turn in range(effort.rounds * EACH + 1):
            for place, step in enumerate(
                (parked.time_store, parked.time_pool, parked.time_workflow, parked.time_insert)
            ):
                seconds = await step()
                if turn:  # the first one warmed up
                    waits[place].append(seconds)
    return [Round(of_one, sum(of_one)) for of_one in waits]


@asynccontextmanager
async def _dbos(url: str) -> AsyncGenerator[None]:
    config: DBOSConfig = {
        "name": "bench",
        "system_database_url": url,
        "enable_otlp": False,
        "console_log_level": "CRITICAL",
        "log_level": "CRITICAL",
    }
    DBOS(config=config)
    DBOS.launch()
    try:
        yield
    finally:
        DBOS.destroy()


@DBOS.workflow()
async def _wait_for_answer() -> tuple[object, float]:
    """The answer, and when it arrived."""
    return await DBOS.recv_async(TOPIC, timeout_seconds=60), perf_counter()


class WakeTimer:
    """Times from the answer on the other pod to the wake-up here; the waiter is parked first."""

    def __init__(self, other: Pod, ours: BenchGate, pool: Pool) -> None:
        self._other = other
        self._ours = ours
        self._pool = pool

    async def time_store(self) -> float:
        asked = await self._ours.ask()
        waiting = asyncio.create_task(self._ours.gate.store.wait_for_answer(asked.id))
        start = await self._request_answer("gate", asked.id, asked.digest)
        if (await waiting).state is not State.APPROVED:
            raise WrongAnswerError(f"whoever waited for {asked.id} heard something else")
        return perf_counter() - start

    async def time_pool(self) -> float:
        asked = await self._pool.ask()
        waiting = asyncio.create_task(self._pool.wait_for_answer(asked))
        start = await self._request_answer("pool", asked)
        await waiting
        return perf_counter() - start

    async def time_workflow(self) -> float:
        handle = await DBOS.start_workflow_async(_wait_for_answer)
        start = await self._request_answer("dbos", handle.workflow_id)
        said, at = await handle.get_result()
        if said != "approved":
            raise WrongAnswerError(f"the workflow heard {said!r}")
        return at - start

    async def time_insert(self) -> float:
        start = perf_counter()
        await self._pool.insert()
        return perf_counter() - start

    async def _request_answer(self, whose: str, *words: str) -> float:
        """Request the answer after the waiter is parked; returns the time of the request."""
        await asyncio.sleep(PARKED)
        start = perf_counter()
        self._other.answer(whose, *words)
        return start
