"""P11: the time from a submitted call to its claim, with one waiter, compared with two bare commits."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing

from bench.commits import BareSqlite, CommitEach
from bench.harness import MILLI, Effort, Goal, Result, at_most
from bench.stores import (
    Round,
    Waiters,
    file_system,
    grow_log,
    median_of_round,
    median_wait,
    open_bench_gate,
    race,
    ratio_of,
    temporary_directory,
)

EACH = 3
"""Approvals in a round; rounds are short, because how long a disk takes changes from second to second."""
TIMES_ROUNDS = 15


def measure(effort: Effort) -> Iterator[Result]:
    disk, (taken, woken, each, bare) = asyncio.run(_race(effort))
    floor = "two bare commits"
    yield _result(
        f"one waits: asked to taken, 3 commits, p50 (SQLite on {disk})", taken, bare, floor, at_most(2.5)
    )
    yield _result("the same to woken, 2 commits, p50", woken, bare, floor)
    yield _result("the same to woken, 2 commits, p50", woken, each, "aiosqlite, commit each")


def _result(what: str, ours: list[Round], theirs: list[Round], who: str, goal: Goal | None = None) -> Result:
    return Result(
        row="P11",
        what=what,
        ours=median_wait(ours) * MILLI,
        unit="ms",
        peer=median_wait(theirs) * MILLI,
        against=who,
        ratio=ratio_of(ours, theirs, median_of_round),
        goal=goal,
    )


async def _race(effort: Effort) -> tuple[str, list[list[Round]]]:
    with temporary_directory() as directory, closing(BareSqlite(directory / "bare.db")) as bare:
        async with AsyncExitStack() as stack:
            ours = await stack.enter_async_context(open_bench_gate(str(directory / "assent.db"), directory))
            each = await CommitEach.open(directory / "each.db")
            stack.push_async_callback(each.close)
            for name in ("assent.db", "each.db", "bare.db"):
                grow_log(directory / name)
            recorded = ours.gate.store.flush_audit
            contenders = (
                Waiters(ours.approve_and_claim, each=EACH, finish=recorded),
                Waiters(ours.approve_and_wake, each=EACH, finish=recorded),
                Waiters(each.approve, each=EACH),
                Waiters(bare.approve, each=EACH),
            )
            return file_system(directory), await race(*contenders, rounds=effort.rounds * TIMES_ROUNDS)
