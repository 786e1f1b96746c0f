"""P12: how many approvals a second a hundred who wait get, beside SQLite with a commit for each change."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack

from bench.commits import CommitEach
from bench.harness import MICRO, MILLI, Effort, Result, at_least, at_most
from bench.shelf import Shelf
from bench.stores import (
    Round,
    Waiters,
    desk,
    file_system,
    grow_log,
    labour,
    middle,
    nearly_all,
    pace,
    race,
    room,
    versus,
)

MANY = 100
EACH = 4


def measure(effort: Effort) -> Iterator[Result]:
    disk, (kept, taken, each, alone) = asyncio.run(_raced(effort))
    for what, ours, goal in (
        (f"100 wait: kept, answered, woken (SQLite on {disk})", kept, at_least(10)),
        ("the same through the gate: decided twice, and taken", taken, None),
    ):
        yield Result(
            row="P12",
            what=what,
            ours=pace(ours),
            unit="/s",
            peer=pace(each),
            against="aiosqlite, commit each",
            ratio=versus(ours, each, lambda one: one.per_second),
            goal=goal,
        )
    for what, ours in (("processor time of one, kept to woken", kept), ("through the gate", taken)):
        yield Result(
            row="P12",
            what=what,
            ours=labour(ours) * MICRO,
            peer=labour(each) * MICRO,
            against="aiosqlite, commit each",
            ratio=labour(ours) / labour(each),
        )
    yield Result(
        row="P12",
        what="the slowest of a hundred approvals, p99",
        ours=nearly_all(kept) * MILLI,
        unit="ms",
        peer=middle(alone) * MILLI,
        against="one waits, p50",
        ratio=nearly_all(kept) / middle(alone),
        goal=at_most(10),
    )


async def _raced(effort: Effort) -> tuple[str, list[list[Round]]]:
    with room() as directory:
        async with AsyncExitStack() as stack:
            ours = await stack.enter_async_context(desk(str(directory / "assent.db"), directory))
            each = await CommitEach.opened(directory / "each.db")
            stack.push_async_callback(each.close)
            for name in ("assent.db", "each.db"):
                grow_log(directory / name)
            shelf, recorded = Shelf(ours.gate.store), ours.gate.store.flush_audit
            contenders = (
                Waiters(shelf.approve, MANY, EACH, recorded),
                Waiters(ours.taken, MANY, EACH, recorded),
                Waiters(each.approve, MANY),
                Waiters(shelf.approve, 1, 10, recorded),
            )
            return file_system(directory), await race(*contenders, rounds=effort.rounds)
