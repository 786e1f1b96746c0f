"""P12: approvals per second with 100 concurrent waiters, compared with one SQLite commit per change."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack

from bench.commits import CommitPerChange
from bench.harness import MICROSECONDS, MILLISECONDS, Effort, Result, goal_at_least, goal_at_most
from bench.store_only import StoreApprovals
from bench.stores import (
    Round,
    WaiterGroup,
    approvals_per_second,
    cpu_per_approval,
    file_system_type,
    grow_write_ahead_log,
    median_ratio,
    median_wait,
    open_bench_gate,
    percentile_wait,
    temporary_directory,
    time_in_rounds,
)

WAITERS = 100
APPROVALS_PER_WAITER = 4


def measure(effort: Effort) -> Iterator[Result]:
    disk, (kept, taken, each, alone) = asyncio.run(_time_in_rounds(effort))
    for what, ours, goal in (
        (f"100 wait: kept, answered, woken (SQLite on {disk})", kept, goal_at_least(10)),
        ("the same through the gate: decided twice, and taken", taken, None),
    ):
        yield Result(
            row="P12",
            what=what,
            ours=approvals_per_second(ours),
            unit="/s",
            peer=approvals_per_second(each),
            against="aiosqlite, commit each",
            ratio=median_ratio(ours, each, lambda one: one.approval_rate),
            goal=goal,
        )
    for what, ours in (("processor time of one, kept to woken", kept), ("through the gate", taken)):
        yield Result(
            row="P12",
            what=what,
            ours=cpu_per_approval(ours) * MICROSECONDS,
            peer=cpu_per_approval(each) * MICROSECONDS,
            against="aiosqlite, commit each",
            ratio=cpu_per_approval(ours) / cpu_per_approval(each),
        )
    yield Result(
        row="P12",
        what="the slowest of a hundred approvals, p99",
        ours=percentile_wait(kept) * MILLISECONDS,
        unit="ms",
        peer=median_wait(alone) * MILLISECONDS,
        against="one waits, p50",
        ratio=percentile_wait(kept) / median_wait(alone),
        goal=goal_at_most(10),
    )


async def _time_in_rounds(effort: Effort) -> tuple[str, list[list[Round]]]:
    with temporary_directory() as directory:
        async with AsyncExitStack() as stack:
            ours = await stack.enter_async_context(open_bench_gate(str(directory / "assent.db"), directory))
            each = await CommitPerChange.open(directory / "each.db")
            stack.push_async_callback(each.close)
            for name in ("assent.db", "each.db"):
                grow_write_ahead_log(directory / name)
            shelf, recorded = StoreApprovals(ours.gate.store), ours.gate.store.flush_audit
            contenders = (
                WaiterGroup(shelf.approve, WAITERS, APPROVALS_PER_WAITER, recorded),
                WaiterGroup(ours.approve_and_claim, WAITERS, APPROVALS_PER_WAITER, recorded),
                WaiterGroup(each.approve, WAITERS),
                WaiterGroup(shelf.approve, 1, 10, recorded),
            )
            return file_system_type(directory), await time_in_rounds(*contenders, rounds=effort.rounds)
