"""Scenario: workers are killed with SIGKILL at random moments while many questions are open."""

import time
from dataclasses import dataclass

from chaos.invariants import count_acts, find_breaches
from chaos.report import Report, percentile, summarize_seconds
from chaos.site import Site
from chaos.worker_pool import Progress, WorkerPool, create_roles, delivery_times, recovery_times


@dataclass(frozen=True, slots=True, kw_only=True)
class KillSize:
    """The size of a run: the number of kills, and the load."""

    kills: int
    askers: int
    agents: int
    lines: int
    longest: float
    """Maximum seconds between two kills."""

    @property
    def pending(self) -> int:
        """How many questions are open at any time."""
        return self.askers * self.agents * self.lines


SHORT_SIZE = KillSize(kills=6, askers=2, agents=1, lines=25, longest=0.6)
LONG_SIZE = KillSize(kills=500, askers=4, agents=5, lines=50, longest=1.0)
_MAX_RECOVERY_SECONDS = 2.0


def run_scenario(site: Site, size: KillSize, seed: int, store: str, progress: Progress) -> Report:
    """Kill workers repeatedly, then all together; new workers complete the work; check the histories."""
    roles = create_roles(askers=size.askers, agents=size.agents, lines=size.lines, approvers=2)
    pool = WorkerPool(site, roles, seed)
    try:
        _wait_for_pending(pool, size)
        while len(pool.kills) < size.kills:
            time.sleep(pool.random.uniform(0.0, size.longest))
            pool.kill()
            progress(f"{len(pool.kills)} of {size.kills} kills on {store}")
        pool.kill_all()
        progress(f"{size.kills} kills on {store}; finishing what is open")
        pool.drain(roles, timeout=600)
    finally:
        pool.close()
    return _make_report(pool, size, seed, store)


def _wait_for_pending(pool: WorkerPool, size: KillSize) -> None:
    """Wait until enough questions are open."""
    deadline = time.monotonic() + 60
    while len(pool.events()) < 2 * size.pending and time.monotonic() < deadline:
        pool.check()
        time.sleep(0.2)


def _make_report(pool: WorkerPool, size: KillSize, seed: int, store: str) -> Report:
    events, effects = pool.events(), pool.effects()
    counted, answering = count_acts(events, effects), recovery_times(pool, asking=False)
    return Report(
        scenario="kill -9",
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
            "answers again p50/p99/worst": summarize_seconds(answering),
            "callers back p50/p99/worst": summarize_seconds(recovery_times(pool, asking=True)),
            "delivered p50/p99/worst": summarize_seconds(delivery_times(events)),
        },
        missed=[f"answers again p99 over {_MAX_RECOVERY_SECONDS:.0f} s"]
        if percentile(answering, 0.99) > _MAX_RECOVERY_SECONDS
        else [],
    )
