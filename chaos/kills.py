"""Kills: workers are killed with SIGKILL at random moments while many questions are open."""

import time
from dataclasses import dataclass

from chaos.invariants import count_acts, find_breaches
from chaos.report import Report, percentile, summarize
from chaos.site import Site
from chaos.worker_pool import Progress, WorkerPool, create_roles, delivery_times, recovery_times


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How many kills and how much load."""

    kills: int
    askers: int
    agents: int
    lines: int
    longest: float
    """Seconds between two kills at most."""

    @property
    def pending(self) -> int:
        """How many questions are open at any time."""
        return self.askers * self.agents * self.lines


SHORT = Size(kills=6, askers=2, agents=1, lines=25, longest=0.6)
LONG = Size(kills=500, askers=4, agents=5, lines=50, longest=1.0)
_GOAL = 2.0


def run(site: Site, size: Size, seed: int, store: str, progress: Progress) -> Report:
    """Kill workers repeatedly, then all at once; new workers finish the work; check the histories."""
    roles = create_roles(askers=size.askers, agents=size.agents, lines=size.lines, approvers=2)
    storm = WorkerPool(site, roles, seed)
    try:
        _wait_for_pending(storm, size)
        while len(storm.kills) < size.kills:
            time.sleep(storm.random.uniform(0.0, size.longest))
            storm.kill()
            progress(f"{len(storm.kills)} of {size.kills} kills on {store}")
        storm.kill_all()
        progress(f"{size.kills} kills on {store}; finishing what is open")
        storm.drain(roles, patience=600)
    finally:
        storm.close()
    return _report(storm, size, seed, store)


def _wait_for_pending(storm: WorkerPool, size: Size) -> None:
    """Wait until enough questions are open."""
    deadline = time.monotonic() + 60
    while len(storm.events()) < 2 * size.pending and time.monotonic() < deadline:
        storm.check()
        time.sleep(0.2)


def _report(storm: WorkerPool, size: Size, seed: int, store: str) -> Report:
    events, effects = storm.events(), storm.effects()
    counted, answering = count_acts(events, effects), recovery_times(storm, asking=False)
    return Report(
        form="kill -9",
        faults="R-1, R-2, R-25",
        store=store,
        size=f"{size.kills} kills, {size.pending} pending",
        seed=seed,
        breaches=find_breaches(events, effects),
        tally=counted,
        figures={
            "calls": str(counted.calls),
            "answered": str(counted.answered),
            "ran": str(counted.ran),
            "unknown": str(counted.unknown),
            "answers again p50/p99/worst": summarize(answering),
            "callers back p50/p99/worst": summarize(recovery_times(storm, asking=True)),
            "delivered p50/p99/worst": summarize(delivery_times(events)),
        },
        missed=[f"answers again p99 over {_GOAL:.0f} s"] if percentile(answering, 0.99) > _GOAL else [],
    )
