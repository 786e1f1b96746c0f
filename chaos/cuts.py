"""Scenario: the connection to PostgreSQL breaks at the n-th message of the server, for each n."""

import asyncio
from dataclasses import dataclass
from itertools import count

from chaos import effects
from chaos.history import read_events
from chaos.invariants import count_acts, find_breaches
from chaos.lifecycle import LIFECYCLE_TIMEOUT, run_lifecycle
from chaos.postgres import LocalPostgres, prepare_database
from chaos.proxy import Proxy
from chaos.report import Report
from chaos.site import Site
from chaos.worker_pool import Progress, run_all


@dataclass(frozen=True, slots=True, kw_only=True)
class CutSize:
    """The size of a run: the step between the tested message numbers."""

    stride: int


SHORT_SIZE = CutSize(stride=120)
LONG_SIZE = CutSize(stride=2)


def run_scenario(site: Site, server: LocalPostgres, size: CutSize, seed: int, progress: Progress) -> Report:
    """Run a complete call for each n; the client does not get responses of completed work."""
    site = Site(address=prepare_database(server.address), directory=site.directory).prepare()
    last = 0
    for number in count(1, size.stride):
        with Proxy(server.socket, cut_at=number) as proxy:
            here = Site(address=proxy.proxied_address(server.address), directory=site.directory)
            run_all(
                run_in_process, [(here, f"call{number}", f"call{number}.0")], timeout=2 * LIFECYCLE_TIMEOUT
            )
            last = number if proxy.is_cut else last
        run_all(run_in_process, [(site, f"call{number}", f"call{number}.1")], timeout=2 * LIFECYCLE_TIMEOUT)
        progress(f"cut at message {number} of PostgreSQL")
        if number > last + 3 * size.stride:
            break
    return _make_report(site, size, seed, last)


def run_in_process(site: Site, call: str, history: str) -> None:
    """Run one call in this process."""
    asyncio.run(run_lifecycle(site, call, history))


def _make_report(site: Site, size: CutSize, seed: int, last: int) -> Report:
    events, ran = read_events(site.histories.glob("*.jsonl")), effects.read_effects(site.effects)
    counted = count_acts(events, ran)
    return Report(
        scenario="the connection breaks at the n-th message",
        faults="R-3, R-12",
        store="postgresql",
        size=f"{counted.calls} lives of a call, cut at every {size.stride}. of {last} messages",
        seed=seed,
        breaches=find_breaches(events, ran),
        tally=counted,
        figures={
            "ran": str(counted.ran),
            "unknown": str(counted.unknown),
            "errors told": str(counted.errors),
        },
        missed=[] if last else ["nothing was cut"],
    )
