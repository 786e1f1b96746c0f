"""P13: approvals per second on PostgreSQL, asked on one pod and answered on another, a hundred at a time."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

from assent.gate.approval import State
from assent.gate.calls import Run
from bench.harness import MILLI, Effort, Result, WrongAnswerError, at_least
from bench.pods import Pod, start_pod
from bench.pool import Pool
from bench.server import database, version
from bench.store_only import StoreOnly
from bench.stores import (
    BenchGate,
    Round,
    Waiters,
    approvals_per_second,
    open_bench_gate,
    percentile_wait,
    race,
    ratio_of,
    temporary_directory,
)

MANY = 100
EACH = 4


def measure(effort: Effort) -> Iterator[Result]:
    with temporary_directory() as directory, database(directory) as url:
        kept, taken, pooled = asyncio.run(_race(url, directory, effort))
        server = version(url)
    for what, ours, goal in (
        (f"100 wait on two pods: kept, answered, woken ({server})", kept, at_least(8)),
        ("the same through the gate: decided twice, and taken", taken, None),
    ):
        yield Result(
            row="P13",
            what=what,
            ours=approvals_per_second(ours),
            unit="/s",
            peer=approvals_per_second(pooled),
            against="asyncpg, pool of 8",
            ratio=ratio_of(ours, pooled, lambda one: one.per_second),
            goal=goal,
        )
    yield Result(
        row="P13",
        what="the slowest of a hundred approvals, p99",
        ours=percentile_wait(kept) * MILLI,
        unit="ms",
        peer=percentile_wait(pooled) * MILLI,
        against="asyncpg, pool of 8",
    )


async def _race(url: str, directory: Path, effort: Effort) -> list[list[Round]]:
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(open_bench_gate(url, directory))
        pool = await Pool.open(url)
        stack.push_async_callback(pool.close)
        other = await stack.enter_async_context(start_pod(url, directory))
        apart = TwoPods(other, ours, StoreOnly(ours.gate.store), pool)
        recorded = ours.gate.store.flush_audit
        contenders = (
            Waiters(apart.approve_in_store, MANY, EACH, recorded),
            Waiters(apart.approve_and_claim, MANY, 1, recorded),
            Waiters(apart.approve_in_pool, MANY, 1),
        )
        return await race(*contenders, rounds=effort.rounds)


class TwoPods:
    """Asks on this pod and lets the other pod answer."""

    def __init__(self, other: Pod, ours: BenchGate, shelf: StoreOnly, pool: Pool) -> None:
        self._other = other
        self._ours = ours
        self._shelf = shelf
        self._pool = pool

    async def approve_in_store(self) -> None:
        asked = await self._shelf.ask()
        self._other.answer("shelf", asked.id)
        woken = await self._ours.gate.store.wait_for_answer(asked.id)
        if woken.state is not State.APPROVED:
            raise WrongAnswerError(f"whoever waited for {asked.id} heard {woken.state}")

    async def approve_and_claim(self) -> None:
        asked = await self._ours.ask()
        self._other.answer("gate", asked.id, asked.digest)
        if not isinstance(await self._ours.turn.wait(asked), Run):
            raise WrongAnswerError(f"a yes to {asked.id} did not let it run")

    async def approve_in_pool(self) -> None:
        asked = await self._pool.ask()
        self._other.answer("pool", asked)
        await self._pool.wait_for_answer(asked)
