"""P14: the time until an answer on one pod wakes the waiter on another pod, compared with one insert."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from time import perf_counter

from dbos import DBOS, DBOSConfig

from assent.gate.approval import State
from bench.harness import MILLISECONDS, Effort, Goal, Result, WrongAnswerError, goal_at_most
from bench.pods import ANSWER_TOPIC, OtherPod, start_pod
from bench.pool import PoolApprovals
from bench.server import open_database, server_version
from bench.stores import BenchGate, Round, median_wait, open_bench_gate, temporary_directory

WAKES_PER_ROUND = 5
SECONDS_UNTIL_WAITING = 0.02
"""Seconds after which a started waiter certainly waits."""


def measure(effort: Effort) -> Iterator[Result]:
    with temporary_directory() as directory, open_database(directory) as url:
        woken, heard, workflow, bare = asyncio.run(_time_in_rounds(url, directory, effort))
        server = server_version(url)
    what = f"parked, then woken from another pod, p50 ({server})"
    yield _to_result(what, woken, bare, "one bare insert", goal_at_most(4))
    yield _to_result(what, woken, heard, "asyncpg, pool of 8")
    yield _to_result(what, woken, workflow, "DBOS")


def _to_result(what: str, ours: Round, theirs: Round, who: str, goal: Goal | None = None) -> Result:
    return Result(
        row="P14",
        what=what,
        ours=median_wait([ours]) * MILLISECONDS,
        unit="ms",
        peer=median_wait([theirs]) * MILLISECONDS,
        against=who,
        ratio=median_wait([ours]) / median_wait([theirs]),
        goal=goal,
    )


async def _time_in_rounds(url: str, directory: Path, effort: Effort) -> list[Round]:
    """Measure the four competitors alternately."""
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(open_bench_gate(url, directory))
        pool = await PoolApprovals.open(url)
        stack.push_async_callback(pool.close)
        await stack.enter_async_context(_run_dbos(url))
        parked = WakeTimer(await stack.enter_async_context(start_pod(url, directory)), ours, pool)
        waits: list[list[float]] = [[], [], [], []]
        for turn in range(effort.rounds * WAKES_PER_ROUND + 1):
            for index, step in enumerate(
                (parked.time_store_wake, parked.time_pool_wake, parked.time_workflow_wake, parked.time_insert)
            ):
                seconds = await step()
                if turn:  # The first turn is a warm-up.
                    waits[index].append(seconds)
    return [Round(of_one, sum(of_one)) for of_one in waits]


@asynccontextmanager
async def _run_dbos(url: str) -> AsyncGenerator[None]:
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
    """Return the answer and the time when it arrived."""
    return await DBOS.recv_async(ANSWER_TOPIC, timeout_seconds=60), perf_counter()


class WakeTimer:
    """Measures the time from the answer on the other pod until the waiter on this pod wakes up."""

    def __init__(self, other: OtherPod, ours: BenchGate, pool: PoolApprovals) -> None:
        self._other = other
        self._ours = ours
        self._pool = pool

    async def time_store_wake(self) -> float:
        asked = await self._ours.ask()
        waiting = asyncio.create_task(self._ours.gate.store.wait_for_answer(asked.id))
        start = await self._request_answer("gate", asked.id, asked.digest)
        if (await waiting).state is not State.APPROVED:
            raise WrongAnswerError(f"the waiter for {asked.id} got another state")
        return perf_counter() - start

    async def time_pool_wake(self) -> float:
        asked = await self._pool.ask()
        waiting = asyncio.create_task(self._pool.wait_for_answer(asked))
        start = await self._request_answer("pool", asked)
        await waiting
        return perf_counter() - start

    async def time_workflow_wake(self) -> float:
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

    async def _request_answer(self, target: str, *words: str) -> float:
        """Let the other pod answer when the waiter waits; returns the time of the request."""
        await asyncio.sleep(SECONDS_UNTIL_WAITING)
        start = perf_counter()
        self._other.answer(target, *words)
        return start
