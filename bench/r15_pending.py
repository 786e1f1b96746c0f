"""R15: ten thousand questions wait on one process: what listing, answering and waiting cost then."""

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Iterator
from time import perf_counter
from typing import NamedTuple

from assent.engine.model import Call
from assent.gate.approval import Approval
from assent.gate.outcome import Refuse, Run, Wait
from assent.gate.turn import Turn
from bench.harness import MILLI, Effort, Result, WrongAnswerError, at_most
from bench.memory import resident
from bench.progress import say
from bench.stores import ANA, ARGS, TOOL, YES, Desk, Round, desk, nearly_all, room

AGENTS = 100
"""Each may have a hundred questions open."""
FEW = 10
LOOKS = 200
ANSWERS = 200

Waiting = asyncio.Task[Run | Refuse]


class Seen(NamedTuple):
    """What was measured at one size."""

    lists: Round
    answers: Round
    bytes_each: float


def measure(effort: Effort) -> Iterator[Result]:
    each = 10 if effort.quick else 100
    few, many = asyncio.run(_seen(1, ANSWERS // 2)), asyncio.run(_seen(AGENTS, each))
    size = f"{AGENTS * each:,}"
    for what, of_many, of_few, most in (
        (f"a page of 100 of {size} pending, p95", many.lists, few.lists, 100),
        (f"an answer where {size} are pending, p95", many.answers, few.answers, 50),
    ):
        yield Result(
            row="R15",
            what=what,
            ours=nearly_all([of_many], 0.95) * MILLI,
            unit="ms",
            peer=nearly_all([of_few], 0.95) * MILLI,
            against="100 pending",
            goal=at_most(most, "ms"),
        )
    yield Result(
        row="R15",
        what=f"memory of each of {size} who wait on one process",
        ours=many.bytes_each / 1000,
        unit="kB",
        goal=at_most(10, "kB"),
    )


async def _seen(agents: int, each: int) -> Seen:
    with room() as directory:
        async with desk(str(directory / "assent.db"), directory) as ours:
            await _warm(ours)
            gc.collect()
            before = resident()
            waiting = {asked.id: task async for asked, task in _asked(ours, agents, each)}
            gc.collect()
            bytes_each = (resident() - before) / (agents * each)
            lists = await _timed(_looked(ours, agents * each) for _ in range(LOOKS))
            page = await ours.gate.pending(ANA)
            answers = await _timed(_answered(ours, one, waiting) for one in page.approvals)
        # A store that closes tells everybody who still waits.
        await asyncio.gather(*waiting.values(), return_exceptions=True)
    return Seen(lists, answers, bytes_each)


async def _warm(ours: Desk) -> None:
    for _ in range(FEW):
        await ours.taken()


async def _asked(ours: Desk, agents: int, each: int) -> AsyncIterator[tuple[Approval, Waiting]]:
    """So many questions of so many agents, and whoever waits for each."""
    for agent in range(agents):
        turn = await ours.gate.begin(ANA, conversation="talk", agent=f"agent-{agent:03d}")
        for outcome in await asyncio.gather(*(_submitted(turn, number) for number in range(each))):
            yield outcome.approval, asyncio.create_task(turn.wait(outcome.approval))
        say(f"R15: {(agent + 1) * each:,} questions")


async def _submitted(turn: Turn, number: int) -> Wait:
    outcome = await turn.submit(Call(tool=TOOL.name, args=ARGS, id=f"call-{number}"))
    if not isinstance(outcome, Wait):
        raise WrongAnswerError(f"a call that asks gave {type(outcome).__name__}")
    return outcome


async def _looked(ours: Desk, pending: int) -> None:
    page = await ours.gate.pending(ANA)
    if len(page.approvals) != min(pending, 100):
        raise WrongAnswerError(f"a page of {pending} pending holds {len(page.approvals)}")


async def _answered(ours: Desk, asked: Approval, waiting: dict[str, Waiting]) -> None:
    """Answered, and its caller on its way."""
    await ours.gate.answer(ANA, asked.id, asked.digest, YES)
    if not isinstance(await waiting[asked.id], Run):
        raise WrongAnswerError(f"whoever waited for {asked.id} may not run")


async def _timed(steps: Iterator[Awaitable[None]]) -> Round:
    waits: list[float] = []
    for step in steps:
        start = perf_counter()
        await step
        waits.append(perf_counter() - start)
    return Round(waits, sum(waits))
