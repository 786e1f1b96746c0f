"""Deploys: every worker is ended by SIGTERM and replaced, one after the other, under load."""

import time
from dataclasses import dataclass

from chaos.invariants import breaches, tally
from chaos.report import Report, spread
from chaos.site import Site
from chaos.storm import Progress, Storm, crew, deliveries


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How often everything is replaced."""

    rounds: int
    lines: int


SHORT = Size(rounds=2, lines=10)
LONG = Size(rounds=50, lines=50)


def tried(site: Site, size: Size, seed: int, store: str, progress: Progress) -> Report:
    """Roll through all workers again and again; no ask fails, and what is open stays open."""
    roles = crew(askers=2, agents=1, lines=size.lines, approvers=2)
    storm = Storm(site, roles, seed)
    try:
        for number in range(size.rounds):
            time.sleep(storm.random.uniform(0.5, 1.0))
            storm.roll()
            progress(f"{number + 1} of {size.rounds} deploys on {store}")
        storm.kill_all()
        storm.drain(roles, patience=300)
    finally:
        storm.close()
    events, ran = storm.events(), storm.effects()
    counted = tally(events, ran)
    return Report(
        form="rolling deploys (SIGTERM)",
        faults="R-23",
        store=store,
        size=f"{size.rounds} deploys of 4 workers, {2 * size.lines} pending",
        seed=seed,
        breaches=breaches(events, ran),
        tally=counted,
        figures={
            "calls": str(counted.calls),
            "failed asks": str(counted.errors),
            "delivered p50/p99/worst": spread(deliveries(events)),
        },
        missed=[f"{counted.errors} asks or answers failed"] if counted.errors else [],
    )
