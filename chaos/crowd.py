"""A crowd: ten thousand questions open at once, all of them waited for by one process."""

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
from assent.gate.gate import Gate
from assent.gate.outcome import Run, Wait
from assent.gate.turn import Turn
from chaos.report import Report, percentile
from chaos.site import Site, begun, call_of, opened
from chaos.storm import CONTEXT, Progress, run_all

_EACH = 100
"""Questions of one agent: as many as it may have open."""
_WHO = Principal(id="ben", administrator=True)
_MOST_BYTES, _MOST_LISTING, _MOST_ANSWERING = 10_000, 0.100, 0.050


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How many wait, and how often somebody lists and answers."""

    waiting: int
    answers: int


SHORT = Size(waiting=500, answers=20)
LONG = Size(waiting=10_000, answers=500)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the process that waits measured."""

    bytes_each: float
    threads: int
    listing: tuple[float, ...]
    answering: tuple[float, ...]
    woken: int


def tried(site: Site, size: Size, seed: int, store: str, progress: Progress) -> Report:
    """Ask and wait, then list and answer; everybody who was answered is woken, the others wait on."""
    site.prepared()
    progress(f"{size.waiting} questions on {store}")
    answers = CONTEXT.SimpleQueue()
    run_all(crowd, [(site, size, seed, answers)], patience=1800)
    return _report(size, seed, store, Seen(**answers.get()))


def crowd(site: Site, size: Size, seed: int, answers: Any) -> None:
    """Be the process in which all of them wait."""
    asyncio.run(_crowd(site, size, random.Random(seed), answers))


async def _crowd(site: Site, size: Size, chance: random.Random, answers: Any) -> None:
    async with opened(site) as gate:
        turns = [await begun(gate, f"agent{first}") for first in range(0, size.waiting, _EACH)]
        await _asked(await begun(gate, "first"), 0, size)  # What the first ones cost is not theirs alone.
        before = _resident()
        asked: list[Approval] = []
        waits: dict[str, asyncio.Task[object]] = {}
        for number, turn in enumerate(turns):
            for approval in await _asked(turn, number, size):
                asked.append(approval)
                waits[approval.id] = asyncio.create_task(turn.wait(approval))
        await _all_wait(gate, size.waiting)
        each = (_resident() - before) / size.waiting
        chosen = chance.sample(asked, size.answers)
        seen = Seen(
            bytes_each=each,
            threads=threading.active_count(),
            listing=tuple([await _listed(gate) for _ in range(max(20, size.answers // 5))]),
            answering=tuple([await _answered(gate, one) for one in chosen]),
            woken=await _woken([waits[one.id] for one in chosen]),
        )
        answers.put(asdict(seen))
        os._exit(0)  # Otherwise whoever still waits would take their question back, one by one.


async def _asked(turn: Turn, number: int, size: Size) -> list[Approval]:
    names = [f"{turn.context.agent}.{place}" for place in range(min(_EACH, size.waiting - number * _EACH))]
    outcomes = await asyncio.gather(*(turn.submit(call_of(name)) for name in names))
    return [outcome.approval for outcome in outcomes if isinstance(outcome, Wait)]


async def _all_wait(gate: Gate, many: int) -> None:
    while gate.store.waiting < many:  # type: ignore[attr-defined]
        await asyncio.sleep(0.05)


async def _listed(gate: Gate) -> float:
    start = time.perf_counter()
    page = await gate.pending(_WHO)
    if not page.after:
        raise AssertionError("there should be more than one page")
    return time.perf_counter() - start


async def _answered(gate: Gate, approval: Approval) -> float:
    start = time.perf_counter()
    await gate.answer(_WHO, approval.id, approval.digest, Answer(say=Say.ONCE))
    return time.perf_counter() - start


async def _woken(waits: Sequence[asyncio.Task[object]]) -> int:
    return sum(isinstance(outcome, Run) for outcome in await asyncio.gather(*waits))


def _resident() -> int:
    """Bytes of memory that this process holds now, or at most where the system does not say."""
    gc.collect()
    pages = Path("/proc/self/statm")
    if pages.exists():
        return int(pages.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _report(size: Size, seed: int, store: str, seen: Seen) -> Report:
    listing, answering = percentile(seen.listing, 0.95), percentile(seen.answering, 0.95)
    missed = {
        f"{seen.bytes_each:.0f} bytes for each who waits": seen.bytes_each > _MOST_BYTES,
        f"a page takes {listing * 1000:.0f} ms": listing > _MOST_LISTING,
        f"an answer takes {answering * 1000:.0f} ms": answering > _MOST_ANSWERING,
        f"only {seen.woken} were woken": seen.woken != size.answers,
    }
    return Report(
        form="many wait in one process",
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
