"""Kills: workers are ended by SIGKILL at random moments while many questions are open."""

import time
from dataclasses import dataclass

from chaos.invariants import breaches, tally
from chaos.report import Report, percentile, spread
from chaos.site import Site
from chaos.storm import Progress, Storm, crew, deliveries, recoveries


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How long it goes on."""

    kills: int
    askers: int
    agents: int
    lines: int
    longest: float
    """Seconds between two kills at most."""

    @property
    def pending(self) -> int:
        """Questions that are open all the time."""
        return self.askers * self.agents * self.lines


SHORT = Size(kills=6, askers=2, agents=1, lines=25, longest=0.6)
LONG = Size(kills=500, askers=4, agents=5, lines=50, longest=1.0)
_GOAL = 2.0


def tried(site: Site, size: Size, seed: int, store: str, progress: Progress) -> Report:
    """Kill, again and again; in the end pull the plug, let new workers finish, and read what they tell."""
    roles = crew(askers=size.askers, agents=size.agents, lines=size.lines, approvers=2)
    storm = Storm(site, roles, seed)
    try:
        _settled(storm, size)
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


def _settled(storm: Storm, size: Size) -> None:
    """Wait until about as much is open as should be."""
    deadline = time.monotonic() + 60
    while len(storm.events()) < 2 * size.pending and time.monotonic() < deadline:
        storm.check()
        time.sleep(0.2)


def _report(storm: Storm, size: Size, seed: int, store: str) -> Report:
    events, effects = storm.events(), storm.effects()
    counted, answering = tally(events, effects), recoveries(storm, asking=False)
    return Report(
        form="kill -9",
        faults="R-1, R-2, R-25",
        store=store,
        size=f"{size.kills} kills, {size.pending} pending",
        seed=seed,
        breaches=breaches(events, effects),
        tally=counted,
        figures={
            "calls": str(counted.calls),
            "answered": str(counted.answered),
            "ran": str(counted.ran),
            "unknown": str(counted.unknown),
            "answers again p50/p99/worst": spread(answering),
            "callers back p50/p99/worst": spread(recoveries(storm, asking=True)),
            "delivered p50/p99/worst": spread(deliveries(events)),
        },
        missed=[f"answers again p99 over {_GOAL:.0f} s"] if percentile(answering, 0.99) > _GOAL else [],
    )
