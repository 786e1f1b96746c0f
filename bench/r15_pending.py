"""R15: the cost of listing, answering and waiting for 10,000 open questions in one process."""

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Iterator
from time import perf_counter
from typing import NamedTuple

from assent.engine.base.tool import Call
from assent.gate.approval import Approval
from assent.gate.calls import Refuse, Run, Wait
from assent.gate.turn import Turn
from bench.harness import MILLISECONDS, Effort, Result, WrongAnswerError, goal_at_most
from bench.memory import resident_bytes
from bench.progress import show_progress
from bench.stores import (
    ALLOW_ONCE,
    MAIL_ARGS,
    MAIL_TOOL,
    SAMPLE_PERSON,
    BenchGate,
    Round,
    open_bench_gate,
    percentile_wait,
    temporary_directory,
)

AGENT_COUNT = 100
"""Number of agents; each agent may have 100 open questions."""
WARM_UP_APPROVALS = 10
LIST_REQUESTS = 200
ANSWERED_APPROVALS = 200

WaitingCall = asyncio.Task[Run | Refuse]


class PendingFigures(NamedTuple):
    """The measured values for one number of open questions."""

    lists: Round
    answers: Round
    bytes_each: float


def measure(effort: Effort) -> Iterator[Result]:
    each = 10 if effort.quick else 100
    few, many = (
        asyncio.run(_measure_with_pending(1, ANSWERED_APPROVALS // 2)),
        asyncio.run(_measure_with_pending(AGENT_COUNT, each)),
    )
    size = f"{AGENT_COUNT * each:,}"
    for what, of_many, of_few, most in (
        (f"a page of 100 of {size} pending, p95", many.lists, few.lists, 100),
        (f"an answer where {size} are pending, p95", many.answers, few.answers, 50),
    ):
        yield Result(
            row="R15",
            what=what,
            ours=percentile_wait([of_many], 0.95) * MILLISECONDS,
            unit="ms",
            peer=percentile_wait([of_few], 0.95) * MILLISECONDS,
            against="100 pending",
            goal=goal_at_most(most, "ms"),
        )
    yield Result(
        row="R15",
        what=f"memory of each of {size} who wait on one process",
        ours=many.bytes_each / 1000,
        unit="kB",
        goal=goal_at_most(10, "kB"),
    )


async def _measure_with_pending(agents: int, each: int) -> PendingFigures:
    with temporary_directory() as directory:
        async with open_bench_gate(str(directory / "assent.db"), directory) as ours:
            await _warm_up(ours)
            gc.collect()
            before = resident_bytes()
            waiting = {asked.id: task async for asked, task in _ask_questions(ours, agents, each)}
            gc.collect()
            bytes_each = (resident_bytes() - before) / (agents * each)
            lists = await _time_steps(_list_pending(ours, agents * each) for _ in range(LIST_REQUESTS))
            page = await ours.gate.pending_approvals(SAMPLE_PERSON)
            answers = await _time_steps(_answer_and_wait(ours, one, waiting) for one in page.approvals)
        # Closing the store wakes all remaining waiters.
        await asyncio.gather(*waiting.values(), return_exceptions=True)
    return PendingFigures(lists, answers, bytes_each)


async def _warm_up(ours: BenchGate) -> None:
    for _ in range(WARM_UP_APPROVALS):
        await ours.approve_and_claim()


async def _ask_questions(
    ours: BenchGate, agents: int, each: int
) -> AsyncIterator[tuple[Approval, WaitingCall]]:
    """Create `each` questions for each of `agents` agents, with one waiter per question."""
    for agent in range(agents):
        turn = await ours.gate.begin(SAMPLE_PERSON, conversation="talk", agent=f"agent-{agent:03d}")
        for outcome in await asyncio.gather(*(_submit_call(turn, number) for number in range(each))):
            yield outcome.approval, asyncio.create_task(turn.wait(outcome.approval))
        show_progress(f"R15: {(agent + 1) * each:,} questions")


async def _submit_call(turn: Turn, number: int) -> Wait:
    outcome = await turn.submit(Call(tool=MAIL_TOOL.name, args=MAIL_ARGS, id=f"call-{number}"))
    if not isinstance(outcome, Wait):
        raise WrongAnswerError(f"a call that asks gave {type(outcome).__name__}")
    return outcome


async def _list_pending(ours: BenchGate, pending: int) -> None:
    page = await ours.gate.pending_approvals(SAMPLE_PERSON)
    if len(page.approvals) != min(pending, 100):
        raise WrongAnswerError(f"a page of {pending} pending holds {len(page.approvals)}")


async def _answer_and_wait(ours: BenchGate, asked: Approval, waiting: dict[str, WaitingCall]) -> None:
    """Answer a question and wait until its caller may run."""
    await ours.gate.answer(SAMPLE_PERSON, asked.id, asked.digest, ALLOW_ONCE)
    if not isinstance(await waiting[asked.id], Run):
        raise WrongAnswerError(f"the waiter for {asked.id} may not run")


async def _time_steps(steps: Iterator[Awaitable[None]]) -> Round:
    waits: list[float] = []
    for step in steps:
        start = perf_counter()
        await step
        waits.append(perf_counter() - start)
    return Round(waits, sum(waits))
