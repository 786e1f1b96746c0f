"""Scenario: a process is killed exactly between two acts, and another process completes its work."""

import asyncio
import os
import signal
from dataclasses import dataclass

from chaos import effects
from chaos.caller import ignore_boundary
from chaos.history import read_events
from chaos.invariants import count_acts, find_breaches
from chaos.lifecycle import LIFECYCLE_TIMEOUT, run_lifecycle
from chaos.report import Report
from chaos.site import Site
from chaos.worker_pool import Progress, run_all

BOUNDARIES = (
    "submit", "submitted", "answer", "answered", "take", "taken", "run", "report", "reported",
)  # fmt: skip
"""The names of the boundaries, in the order in which a call reaches them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundarySize:
    """The size of a run: how often each boundary is tested."""

    times: int


SHORT_SIZE = BoundarySize(times=1)
LONG_SIZE = BoundarySize(times=10)


def run_scenario(site: Site, size: BoundarySize, seed: int, store: str, progress: Progress) -> Report:
    """Kill a process at each boundary; each call runs once, or is reported as claimed and never runs."""
    site.prepare()
    for time in range(size.times):
        progress(f"killed between two acts on {store}, round {time + 1} of {size.times}")
        names = [f"{boundary}{time}" for boundary in BOUNDARIES]
        given = [(site, name, boundary) for name, boundary in zip(names, BOUNDARIES, strict=True)]
        run_all(run_until, given, timeout=2 * LIFECYCLE_TIMEOUT, ends=-signal.SIGKILL)
        run_all(run_until, [(site, name, "") for name in names], timeout=2 * LIFECYCLE_TIMEOUT)
    return _make_report(site, size, seed, store)


def run_until(site: Site, name: str, boundary: str) -> None:
    """Run one call up to a boundary or to its end."""
    asyncio.run(_run_until(site, name, boundary))


async def _run_until(site: Site, name: str, boundary: str) -> None:
    def kill_at_boundary(reached: str) -> None:
        if reached == boundary:
            os.kill(os.getpid(), signal.SIGKILL)

    await run_lifecycle(
        site, name, f"{name}.{1 if boundary else 2}", kill_at_boundary if boundary else ignore_boundary
    )


def _make_report(site: Site, size: BoundarySize, seed: int, store: str) -> Report:
    events, ran = read_events(site.histories.glob("*.jsonl")), effects.read_effects(site.effects)
    counted = count_acts(events, ran)
    # Only a process killed between the claim and the run leaves a call that never runs.
    expected = size.times * (len(BOUNDARIES) - 2)
    return Report(
        scenario="kill -9 between two acts",
        faults="R-25",
        store=store,
        size=f"{counted.calls} calls, {len(BOUNDARIES)} boundaries",
        seed=seed,
        breaches=find_breaches(events, ran),
        tally=counted,
        figures={"ran": str(counted.ran), "unknown": str(counted.unknown)},
        missed=[] if counted.ran == expected else [f"{counted.ran} ran, not {expected}"],
    )
