"""P12: approvals per second with a hundred waiters, compared with SQLite and one commit per change."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack

from bench.commits import CommitEach
from bench.harness import MICRO, MILLI, Effort, Result, at_least, at_most
from bench.store_only import StoreOnly
from bench.stores import (
    Round,
    Waiters,
    approvals_per_second,
    cpu_per_approval,
    file_system,
    grow_log,
    median_wait,
    open_bench_gate,
    percentile_wait,
    race,
    ratio_of,
    temporary_directory,
)

MANY = 100
EACH = 4


def measure(effort: Effort) -> Iterator[Result]:
    disk, (kept, taken, each, alone) = asyncio.run(_race(effort))
    for what, ours, goal in (
        (f"100 wait: kept, answered, woken (SQLite on {disk})", kept, at_least(10)),
        ("the same through the gate: decided twice, and taken", taken, None),
    ):
        yield Result(
            row="P12",
            what=what,
            ours=approvals_per_second(ours),
            unit="/s",
            peer=approvals_per_second(each),
            against="aiosqlite, commit each",
            ratio=ratio_of(ours, each, lambda one: one.per_second),
            goal=goal,
        )
    for what, ours in (("processor time of one, kept to woken", kept), ("through the gate", taken)):
        yield Result(
            row="P12",
            what=what,
            ours=cpu_per_approval(ours) * MICRO,
            peer=cpu_per_approval(each) * MICRO,
            against="aiosqlite, commit each",
            ratio=cpu_per_approval(ours) / cpu_per_approval(each),
        )
    yield Result(
        row="P12",
        what="the slowest of a hundred approvals, p99",
        ours=percentile_wait(kept) * MILLI,
        unit="ms",
        peer=median_wait(alone) * MILLI,
        against="one waits, p50",
        ratio=percentile_wait(kept) / median_wait(alone),
        goal=at_most(10),
    )


async def _race(effort: Effort) -> tuple[str, list[list[Round]]]:
    with temporary_directory() as directory:
        async with AsyncExitStack() as stack:
            ours = await stack.enter_async_context(open_bench_gate(str(directory / "assent.db"), directory))
            each = await CommitEach.open(directory / "each.db")
            stack.push_async_callback(each.close)
            for name in ("assent.db", "each.db"):
                grow_log(directory / name)
            shelf, recorded = StoreOnly(ours.gate.store), ours.gate.store.flush_audit
            contenders = (
                Waiters(shelf.approve, MANY, EACH, recorded),
                Waiters(ours.approve_and_claim, MANY, EACH, recorded),
                Waiters(each.approve, MANY),
                Waiters(shelf.approve, 1, 10, recorded),
            )
            return file_system(directory), await race(*contenders, rounds=effort.rounds)
