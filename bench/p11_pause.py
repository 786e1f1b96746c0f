"""P11: the time from submitting a call to claiming it, compared with two plain SQLite commits."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing

from bench.commits import BareSqlite, CommitPerChange
from bench.harness import MILLISECONDS, Effort, Goal, Result, goal_at_most
from bench.stores import (
    Round,
    WaiterGroup,
    file_system_type,
    grow_write_ahead_log,
    median_ratio,
    median_wait,
    median_wait_of_round,
    open_bench_gate,
    temporary_directory,
    time_in_rounds,
)

APPROVALS_PER_ROUND = 3
"""Number of approvals in a round; rounds are short, because the speed of a disk changes quickly."""
ROUNDS_FACTOR = 15


def measure(effort: Effort) -> Iterator[Result]:
    disk, (taken, woken, each, bare) = asyncio.run(_time_in_rounds(effort))
    floor = "two bare commits"
    yield _to_result(
        f"one waits: asked to taken, 3 commits, p50 (SQLite on {disk})", taken, bare, floor, goal_at_most(2.5)
    )
    yield _to_result("the same to woken, 2 commits, p50", woken, bare, floor)
    yield _to_result("the same to woken, 2 commits, p50", woken, each, "aiosqlite, commit each")


def _to_result(
    what: str, ours: list[Round], theirs: list[Round], who: str, goal: Goal | None = None
) -> Result:
    return Result(
        row="P11",
        what=what,
        ours=median_wait(ours) * MILLISECONDS,
        unit="ms",
        peer=median_wait(theirs) * MILLISECONDS,
        against=who,
        ratio=median_ratio(ours, theirs, median_wait_of_round),
        goal=goal,
    )


async def _time_in_rounds(effort: Effort) -> tuple[str, list[list[Round]]]:
    with temporary_directory() as directory, closing(BareSqlite(directory / "bare.db")) as bare:
        async with AsyncExitStack() as stack:
            ours = await stack.enter_async_context(open_bench_gate(str(directory / "assent.db"), directory))
            each = await CommitPerChange.open(directory / "each.db")
            stack.push_async_callback(each.close)
            for name in ("assent.db", "each.db", "bare.db"):
                grow_write_ahead_log(directory / name)
            recorded = ours.gate.store.flush_audit
            contenders = (
                WaiterGroup(ours.approve_and_claim, each=APPROVALS_PER_ROUND, finish=recorded),
                WaiterGroup(ours.approve_and_wake, each=APPROVALS_PER_ROUND, finish=recorded),
                WaiterGroup(each.approve, each=APPROVALS_PER_ROUND),
                WaiterGroup(bare.approve, each=APPROVALS_PER_ROUND),
            )
            return file_system_type(directory), await time_in_rounds(
                *contenders, rounds=effort.rounds * ROUNDS_FACTOR
            )
