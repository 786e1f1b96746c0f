"""P13: approvals per second on PostgreSQL: 100 concurrent calls on one pod, answered on another pod."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

from assent.gate.approval import State
from assent.gate.calls import Run
from bench.harness import MILLISECONDS, Effort, Result, WrongAnswerError, goal_at_least
from bench.pods import OtherPod, start_pod
from bench.pool import PoolApprovals
from bench.server import open_database, server_version
from bench.store_only import StoreApprovals
from bench.stores import (
    BenchGate,
    Round,
    WaiterGroup,
    approvals_per_second,
    median_ratio,
    open_bench_gate,
    percentile_wait,
    temporary_directory,
    time_in_rounds,
)

WAITERS = 100
APPROVALS_PER_WAITER = 4


def measure(effort: Effort) -> Iterator[Result]:
    with temporary_directory() as directory, open_database(directory) as url:
        kept, taken, pooled = asyncio.run(_time_in_rounds(url, directory, effort))
        server = server_version(url)
    for what, ours, goal in (
        (f"100 wait on two pods: kept, answered, woken ({server})", kept, goal_at_least(8)),
        ("the same through the gate: decided twice, and taken", taken, None),
    ):
        yield Result(
            row="P13",
            what=what,
            ours=approvals_per_second(ours),
            unit="/s",
            peer=approvals_per_second(pooled),
            against="asyncpg, pool of 8",
            ratio=median_ratio(ours, pooled, lambda one: one.approval_rate),
            goal=goal,
        )
    yield Result(
        row="P13",
        what="the slowest of a hundred approvals, p99",
        ours=percentile_wait(kept) * MILLISECONDS,
        unit="ms",
        peer=percentile_wait(pooled) * MILLISECONDS,
        against="asyncpg, pool of 8",
    )


async def _time_in_rounds(url: str, directory: Path, effort: Effort) -> list[list[Round]]:
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(open_bench_gate(url, directory))
        pool = await PoolApprovals.open(url)
        stack.push_async_callback(pool.close)
        other = await stack.enter_async_context(start_pod(url, directory))
        apart = TwoPods(other, ours, StoreApprovals(ours.gate.store), pool)
        recorded = ours.gate.store.flush_audit
        contenders = (
            WaiterGroup(apart.approve_in_store, WAITERS, APPROVALS_PER_WAITER, recorded),
            WaiterGroup(apart.approve_and_claim, WAITERS, 1, recorded),
            WaiterGroup(apart.approve_in_pool, WAITERS, 1),
        )
        return await time_in_rounds(*contenders, rounds=effort.rounds)


class TwoPods:
    """Creates approvals on this pod and lets the other pod answer them."""

    def __init__(self, other: OtherPod, ours: BenchGate, shelf: StoreApprovals, pool: PoolApprovals) -> None:
        self._other = other
        self._ours = ours
        self._shelf = shelf
        self._pool = pool

    async def approve_in_store(self) -> None:
        asked = await self._shelf.ask()
        self._other.answer("shelf", asked.id)
        woken = await self._ours.gate.store.wait_for_answer(asked.id)
        if woken.state is not State.APPROVED:
            raise WrongAnswerError(f"the waiter for {asked.id} got {woken.state}")

    async def approve_and_claim(self) -> None:
        asked = await self._ours.ask()
        self._other.answer("gate", asked.id, asked.digest)
        if not isinstance(await self._ours.turn.wait(asked), Run):
            raise WrongAnswerError(f"a yes to {asked.id} did not let it run")

    async def approve_in_pool(self) -> None:
        asked = await self._pool.ask()
        self._other.answer("pool", asked)
        await self._pool.wait_for_answer(asked)
