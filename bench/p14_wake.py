"""P14: from an answer on one pod to whoever waits on another, beside one bare durable insert."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from time import perf_counter

from dbos import DBOS, DBOSConfig

from assent.gate.approval import State
from bench.harness import MILLI, Effort, Goal, Result, WrongAnswerError, at_most
from bench.pods import TOPIC, Pod, pod
from bench.pool import Pool
from bench.server import database, version
from bench.stores import Desk, Round, desk, middle, room

EACH = 5
PARKED = 0.02
"""Seconds after which whoever waits has surely begun to."""


def measure(effort: Effort) -> Iterator[Result]:
    with room() as directory, database(directory) as url:
        woken, heard, workflow, bare = asyncio.run(_raced(url, directory, effort))
        server = version(url)
    what = f"parked, then woken from another pod, p50 ({server})"
    yield _result(what, woken, bare, "one bare insert", at_most(4))
    yield _result(what, woken, heard, "asyncpg, pool of 8")
    yield _result(what, woken, workflow, "DBOS")


def _result(what: str, ours: Round, theirs: Round, who: str, goal: Goal | None = None) -> Result:
    return Result(
        row="P14",
        what=what,
        ours=middle([ours]) * MILLI,
        unit="ms",
        peer=middle([theirs]) * MILLI,
        against=who,
        ratio=middle([ours]) / middle([theirs]),
        goal=goal,
    )


async def _raced(url: str, directory: Path, effort: Effort) -> list[Round]:
    """All four in turns, one after the other."""
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(desk(url, directory))
        pool = await Pool.opened(url)
        stack.push_async_callback(pool.close)
        await stack.enter_async_context(_dbos(url))
        parked = Parked(await stack.enter_async_context(pod(url, directory)), ours, pool)
        waits: list[list[float]] = [[], [], [], []]
        for turn in range(effort.rounds * EACH + 1):
            for place, step in enumerate((parked.woken, parked.heard, parked.workflow, parked.inserted)):
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
async def _waiting() -> tuple[object, float]:
    """What was said, and when it was heard."""
    return await DBOS.recv_async(TOPIC, timeout_seconds=60), perf_counter()


class Parked:
    """Waits for a while before it has the other pod answer; the clock starts with the answer."""

    def __init__(self, other: Pod, ours: Desk, pool: Pool) -> None:
        self._other = other
        self._ours = ours
        self._pool = pool

    async def woken(self) -> float:
        asked = await self._ours.asked()
        waiting = asyncio.create_task(self._ours.gate.store.wait_for_answer(asked.id))
        start = await self._answered("gate", asked.id, asked.digest)
        if (await waiting).state is not State.APPROVED:
            raise WrongAnswerError(f"whoever waited for {asked.id} heard something else")
        return perf_counter() - start

    async def heard(self) -> float:
        asked = await self._pool.asked()
        waiting = asyncio.create_task(self._pool.woken(asked))
        start = await self._answered("pool", asked)
        await waiting
        return perf_counter() - start

    async def workflow(self) -> float:
        handle = await DBOS.start_workflow_async(_waiting)
        start = await self._answered("dbos", handle.workflow_id)
        said, at = await handle.get_result()
        if said != "approved":
            raise WrongAnswerError(f"the workflow heard {said!r}")
        return at - start

    async def inserted(self) -> float:
        start = perf_counter()
        await self._pool.inserted()
        return perf_counter() - start

    async def _answered(self, whose: str, *words: str) -> float:
        """Send the order, when whoever waits is parked; when it was sent."""
        await asyncio.sleep(PARKED)
        start = perf_counter()
        self._other.answer(whose, *words)
        return start
