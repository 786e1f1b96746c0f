"""Scenario: one process waits for ten thousand open questions."""

import asyncio
import gc
import os
import random
import resource
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval
from assent.gate.calls import Run, Wait
from assent.gate.gate import Gate
from assent.gate.turn import Turn
from chaos.report import Report, percentile
from chaos.site import Site, begin_turn, make_call, open_site
from chaos.worker_pool import CONTEXT, Progress, run_all

_QUESTIONS_PER_AGENT = 100
"""Number of questions per agent, which is the limit of an agent."""
_APPROVER = Principal(id="ben", administrator=True)
_MAX_BYTES_PER_CALL, _MAX_LISTING_SECONDS, _MAX_ANSWERING_SECONDS = 10_000, 0.100, 0.050


@dataclass(frozen=True, slots=True, kw_only=True)
class CrowdSize:
    """The size of a run: how many calls wait, and how many lists and answers are timed."""

    waiting: int
    answers: int


SHORT_SIZE = CrowdSize(waiting=500, answers=20)
LONG_SIZE = CrowdSize(waiting=10_000, answers=500)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrowdFigures:
    """The measurements of the waiting process."""

    bytes_each: float
    threads: int
    listing: tuple[float, ...]
    answering: tuple[float, ...]
    woken: int


def run_scenario(site: Site, size: CrowdSize, seed: int, store: str, progress: Progress) -> Report:
    """Submit calls, wait, list and answer; each answered caller must wake up, and the others keep waiting."""
    site.prepare()
    progress(f"{size.waiting} questions on {store}")
    answers = CONTEXT.SimpleQueue()
    run_all(run_waiters, [(site, size, seed, answers)], timeout=1800)
    return _make_report(size, seed, store, CrowdFigures(**answers.get()))


def run_waiters(site: Site, size: CrowdSize, seed: int, answers: Any) -> None:
    """Run the process in which all calls wait."""
    asyncio.run(_run_waiters(site, size, random.Random(seed), answers))


async def _run_waiters(site: Site, size: CrowdSize, chance: random.Random, answers: Any) -> None:
    async with open_site(site) as gate:
        turns = [
            await begin_turn(gate, f"agent{first}") for first in range(0, size.waiting, _QUESTIONS_PER_AGENT)
        ]
        await _submit_calls(
            await begin_turn(gate, "first"), 0, size
        )  # Warm-up: the first calls also load modules.
        before = _resident_bytes()
        asked: list[Approval] = []
        waits: dict[str, asyncio.Task[object]] = {}
        for number, turn in enumerate(turns):
            for approval in await _submit_calls(turn, number, size):
                asked.append(approval)
                waits[approval.id] = asyncio.create_task(turn.wait(approval))
        await _wait_for_waiters(gate, size.waiting)
        each = (_resident_bytes() - before) / size.waiting
        chosen = chance.sample(asked, size.answers)
        seen = CrowdFigures(
            bytes_each=each,
            threads=threading.active_count(),
            listing=tuple([await _time_list(gate) for _ in range(max(20, size.answers // 5))]),
            answering=tuple([await _time_answer(gate, one) for one in chosen]),
            woken=await _count_finished_waits([waits[one.id] for one in chosen]),
        )
        answers.put(asdict(seen))
        os._exit(0)  # Otherwise each waiting call would withdraw its question.


async def _submit_calls(turn: Turn, number: int, size: CrowdSize) -> list[Approval]:
    names = [
        f"{turn.context.agent}.{index}"
        for index in range(min(_QUESTIONS_PER_AGENT, size.waiting - number * _QUESTIONS_PER_AGENT))
    ]
    outcomes = await asyncio.gather(*(turn.submit(make_call(name)) for name in names))
    return [outcome.approval for outcome in outcomes if isinstance(outcome, Wait)]


async def _wait_for_waiters(gate: Gate, many: int) -> None:
    while gate.store.waiting < many:  # type: ignore[attr-defined]
        await asyncio.sleep(0.05)


async def _time_list(gate: Gate) -> float:
    start = time.perf_counter()
    page = await gate.pending_approvals(_APPROVER)
    if not page.after:
        raise AssertionError("there should be more than one page")
    return time.perf_counter() - start


async def _time_answer(gate: Gate, approval: Approval) -> float:
    start = time.perf_counter()
    await gate.answer(_APPROVER, approval.id, approval.digest, Answer(say=Say.ONCE))
    return time.perf_counter() - start


async def _count_finished_waits(waits: Sequence[asyncio.Task[object]]) -> int:
    return sum(isinstance(outcome, Run) for outcome in await asyncio.gather(*waits))


def _resident_bytes() -> int:
    """Resident bytes of this process; the maximum on systems that report only that."""
    gc.collect()
    pages = Path("/proc/self/statm")
    if pages.exists():
        return int(pages.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _make_report(size: CrowdSize, seed: int, store: str, seen: CrowdFigures) -> Report:
    listing, answering = percentile(seen.listing, 0.95), percentile(seen.answering, 0.95)
    missed = {
        f"{seen.bytes_each:.0f} bytes for each who waits": seen.bytes_each > _MAX_BYTES_PER_CALL,
        f"a page takes {listing * 1000:.0f} ms": listing > _MAX_LISTING_SECONDS,
        f"an answer takes {answering * 1000:.0f} ms": answering > _MAX_ANSWERING_SECONDS,
        f"only {seen.woken} were woken": seen.woken != size.answers,
    }
    return Report(
        scenario="many wait in one process",
        faults="R-11, R-15",
        store=store,
        size=f"{size.waiting} waiting",
        seed=seed,
        figures={
            "memory for each": f"{seen.bytes_each / 1000:.1f} kB",
            "threads": str(seen.threads),
            "page of 100 p95": f"{listing * 1000:.0f} ms",
            "answer p95": f"{answering * 1000:.0f} ms",
        },
        missed=[text for text, is_missed in missed.items() if is_missed],
    )
