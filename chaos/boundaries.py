"""Boundaries: a process is killed exactly between two acts, and another one finishes its work."""

import asyncio
import os
import signal
from dataclasses import dataclass

from chaos import effects
from chaos.caller import nothing
from chaos.history import read
from chaos.invariants import breaches, tally
from chaos.life import PATIENCE, lived
from chaos.report import Report
from chaos.site import Site
from chaos.storm import Progress, run_all

BOUNDARIES = (
    "submit", "submitted", "answer", "answered", "take", "taken", "run", "report", "reported",
)  # fmt: skip
"""The names by which a caller announces what comes next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How often each boundary is tried."""

    times: int


SHORT = Size(times=1)
LONG = Size(times=10)


def tried(site: Site, size: Size, seed: int, store: str, progress: Progress) -> Report:
    """Kill at each boundary; the call runs once, or is known to have been taken and never runs."""
    site.prepared()
    for time in range(size.times):
        progress(f"killed between two acts on {store}, round {time + 1} of {size.times}")
        names = [f"{boundary}{time}" for boundary in BOUNDARIES]
        given = [(site, name, boundary) for name, boundary in zip(names, BOUNDARIES, strict=True)]
        run_all(live, given, patience=2 * PATIENCE, ends=-signal.SIGKILL)
        run_all(live, [(site, name, "") for name in names], patience=2 * PATIENCE)
    return _report(site, size, seed, store)


def live(site: Site, name: str, boundary: str) -> None:
    """One life of a call, up to a boundary or to its end."""
    asyncio.run(_live(site, name, boundary))


async def _live(site: Site, name: str, boundary: str) -> None:
    def die(comes: str) -> None:
        if comes == boundary:
            os.kill(os.getpid(), signal.SIGKILL)

    await lived(site, name, f"{name}.{1 if boundary else 2}", die if boundary else nothing)


def _report(site: Site, size: Size, seed: int, store: str) -> Report:
    events, ran = read(site.histories.glob("*.jsonl")), effects.found(site.effects)
    counted = tally(events, ran)
    # Between being told to run and running nobody can know: these two never run, all others do.
    expected = size.times * (len(BOUNDARIES) - 2)
    return Report(
        form="kill -9 between two acts",
        faults="R-25",
        store=store,
        size=f"{counted.calls} calls, {len(BOUNDARIES)} boundaries",
        seed=seed,
        breaches=breaches(events, ran),
        tally=counted,
        figures={"ran": str(counted.ran), "unknown": str(counted.unknown)},
        missed=[] if counted.ran == expected else [f"{counted.ran} ran, not {expected}"],
    )
