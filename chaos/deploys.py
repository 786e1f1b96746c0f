"""Scenario: under load, each worker is stopped with SIGTERM and replaced, one after the other."""

import time
from dataclasses import dataclass

from chaos.invariants import count_acts, find_breaches
from chaos.report import Report, summarize_seconds
from chaos.site import Site
from chaos.worker_pool import Progress, WorkerPool, create_roles, delivery_times


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploySize:
    """The size of a run: how often all workers are replaced."""

    rounds: int
    lines: int


SHORT_SIZE = DeploySize(rounds=2, lines=10)
LONG_SIZE = DeploySize(rounds=50, lines=50)


def run_scenario(site: Site, size: DeploySize, seed: int, store: str, progress: Progress) -> Report:
    """Replace all workers repeatedly; no submit fails, and open questions stay open."""
    roles = create_roles(askers=2, agents=1, lines=size.lines, approvers=2)
    pool = WorkerPool(site, roles, seed)
    try:
        for number in range(size.rounds):
            time.sleep(pool.random.uniform(0.5, 1.0))
            pool.restart_each()
            progress(f"{number + 1} of {size.rounds} deploys on {store}")
        pool.kill_all()
        pool.drain(roles, timeout=300)
    finally:
        pool.close()
    events, ran = pool.events(), pool.effects()
    counted = count_acts(events, ran)
    return Report(
        scenario="rolling deploys (SIGTERM)",
        faults="R-23",
        store=store,
        size=f"{size.rounds} deploys of 4 workers, {2 * size.lines} pending",
        seed=seed,
        breaches=find_breaches(events, ran),
        tally=counted,
        figures={
            "calls": str(counted.calls),
            "failed asks": str(counted.errors),
            "delivered p50/p99/worst": summarize_seconds(delivery_times(events)),
        },
        missed=[f"{counted.errors} asks or answers failed"] if counted.errors else [],
    )
