"""P11: from a call that pauses to its tool that may run, with one who waits, beside two bare commits."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing

from bench.commits import Bare, CommitEach
from bench.harness import MILLI, Effort, Goal, Result, at_most
from bench.stores import Round, Waiters, desk, file_system, grow_log, middle, race, room, usual, versus

EACH = 3
"""Approvals in a round; rounds are short, because how long a disk takes changes from second to second."""
TIMES_ROUNDS = 15


def measure(effort: Effort) -> Iterator[Result]:
    disk, (taken, woken, each, bare) = asyncio.run(_raced(effort))
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
        ours=middle(ours) * MILLI,
        unit="ms",
        peer=middle(theirs) * MILLI,
        against=who,
        ratio=versus(ours, theirs, usual),
        goal=goal,
    )


async def _raced(effort: Effort) -> tuple[str, list[list[Round]]]:
    with room() as directory, closing(Bare(directory / "bare.db")) as bare:
        async with AsyncExitStack() as stack:
            ours = await stack.enter_async_context(desk(str(directory / "assent.db"), directory))
            each = await CommitEach.opened(directory / "each.db")
            stack.push_async_callback(each.close)
            for name in ("assent.db", "each.db", "bare.db"):
                grow_log(directory / name)
            recorded = ours.gate.store.flush_audit
            contenders = (
                Waiters(ours.taken, each=EACH, finish=recorded),
                Waiters(ours.woken, each=EACH, finish=recorded),
                Waiters(each.approve, each=EACH),
                Waiters(bare.approve, each=EACH),
            )
            return file_system(directory), await race(*contenders, rounds=effort.rounds * TIMES_ROUNDS)
