"""Scenario: PostgreSQL is restarted while questions are asked and answered."""

import time
from dataclasses import dataclass

from chaos.invariants import count_acts, find_breaches
from chaos.postgres import LocalPostgres, prepare_database
from chaos.report import Report, percentile, summarize_seconds
from chaos.site import Site
from chaos.worker_pool import Progress, WorkerPool, count_ended_calls, create_roles, delivery_times


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartSize:
    """The size of a run: the number of calls and restarts."""

    trips: int
    askers: int
    agents: int
    lines: int
    least: float
    most: float
    """Seconds between two restarts: at least `least`, at most `most`."""
    down: float = 2.0
    """Maximum seconds that the server is down."""
    restarts: int = 1_000
    """Maximum number of restarts."""


SHORT_SIZE = RestartSize(trips=200, askers=2, agents=1, lines=10, least=1.0, most=2.0, down=0.5, restarts=1)
LONG_SIZE = RestartSize(trips=10_000, askers=2, agents=4, lines=25, least=2.0, most=12.0)
_MAX_DELIVERY_SECONDS = 5.0


def run_scenario(
    site: Site, server: LocalPostgres, size: RestartSize, seed: int, progress: Progress
) -> Report:
    """Restart the server until enough calls have ended."""
    prepare_database(server.address)
    lines = size.askers * size.agents * size.lines
    most = -(-size.trips // lines)
    roles = create_roles(askers=size.askers, agents=size.agents, lines=size.lines, approvers=2, most=most)
    pool = WorkerPool(site, roles, seed)
    recovered_at: list[float] = []
    try:
        while pool.is_working():
            deadline = time.monotonic() + pool.random.uniform(size.least, size.most)
            while pool.is_working() and time.monotonic() < deadline:
                time.sleep(0.1)
            if pool.is_working() and len(recovered_at) < size.restarts:
                server.restart(pool.random.uniform(0.0, size.down))
                recovered_at.append(time.monotonic())
            progress(f"{len(recovered_at)} restarts of PostgreSQL, {len(pool.effects())} calls have run")
        pool.finish()
    finally:
        pool.close()
    return _make_report(pool, size, seed, recovered_at)


def _make_report(pool: WorkerPool, size: RestartSize, seed: int, recovered_at: list[float]) -> Report:
    events, effects = pool.events(), pool.effects()
    counted, woken = count_acts(events, effects), delivery_times(events, recovered_at)
    trips = count_ended_calls(events)
    return Report(
        scenario="restarts of the database",
        faults="R-3",
        store="postgresql",
        size=f"{trips} round trips, {len(recovered_at)} restarts",
        seed=seed,
        breaches=find_breaches(events, effects),
        tally=counted,
        figures={
            "ran": str(counted.ran),
            "denied": str(counted.denied),
            "unknown": str(counted.unknown),
            "errors told": str(counted.errors),
            "woken p50/p99/worst": summarize_seconds(woken),
        },
        missed=[
            *([f"only {trips} round trips"] if trips < size.trips else []),
            *(["no restart"] if not recovered_at else []),
            *(
                [f"woken p99 over {_MAX_DELIVERY_SECONDS:.0f} s"]
                if percentile(woken, 0.99) > _MAX_DELIVERY_SECONDS
                else []
            ),
        ],
    )
