"""P13: approvals a second on PostgreSQL, asked on one pod and answered on another, a hundred at a time."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

from assent.gate.approval import State
from assent.gate.outcome import Run
from bench.harness import MILLI, Effort, Result, WrongAnswerError, at_least
from bench.pods import Pod, pod
from bench.pool import Pool
from bench.server import database, version
from bench.shelf import Shelf
from bench.stores import Desk, Round, Waiters, desk, nearly_all, pace, race, room, versus

MANY = 100
EACH = 4


def measure(effort: Effort) -> Iterator[Result]:
    with room() as directory, database(directory) as url:
        kept, taken, pooled = asyncio.run(_raced(url, directory, effort))
        server = version(url)
    for what, ours, goal in (
        (f"100 wait on two pods: kept, answered, woken ({server})", kept, at_least(8)),
        ("the same through the gate: decided twice, and taken", taken, None),
    ):
        yield Result(
            row="P13",
            what=what,
            ours=pace(ours),
            unit="/s",
            peer=pace(pooled),
            against="asyncpg, pool of 8",
            ratio=versus(ours, pooled, lambda one: one.per_second),
            goal=goal,
        )
    yield Result(
        row="P13",
        what="the slowest of a hundred approvals, p99",
        ours=nearly_all(kept) * MILLI,
        unit="ms",
        peer=nearly_all(pooled) * MILLI,
        against="asyncpg, pool of 8",
    )


async def _raced(url: str, directory: Path, effort: Effort) -> list[list[Round]]:
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(desk(url, directory))
        pool = await Pool.opened(url)
        stack.push_async_callback(pool.close)
        other = await stack.enter_async_context(pod(url, directory))
        apart = Apart(other, ours, Shelf(ours.gate.store), pool)
        recorded = ours.gate.store.flush_audit
        contenders = (
            Waiters(apart.kept, MANY, EACH, recorded),
            Waiters(apart.taken, MANY, 1, recorded),
            Waiters(apart.pooled, MANY, 1),
        )
        return await race(*contenders, rounds=effort.rounds)


class Apart:
    """Asks here, and has the other pod answer."""

    def __init__(self, other: Pod, ours: Desk, shelf: Shelf, pool: Pool) -> None:
        self._other = other
        self._ours = ours
        self._shelf = shelf
        self._pool = pool

    async def kept(self) -> None:
        asked = await self._shelf.asked()
        self._other.answer("shelf", asked.id)
        woken = await self._ours.gate.store.wait_for_answer(asked.id)
        if woken.state is not State.APPROVED:
            raise WrongAnswerError(f"whoever waited for {asked.id} heard {woken.state}")

    async def taken(self) -> None:
        asked = await self._ours.asked()
        self._other.answer("gate", asked.id, asked.digest)
        if not isinstance(await self._ours.turn.wait(asked), Run):
            raise WrongAnswerError(f"a yes to {asked.id} did not let it run")

    async def pooled(self) -> None:
        asked = await self._pool.asked()
        self._other.answer("pool", asked)
        await self._pool.woken(asked)
