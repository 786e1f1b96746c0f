"""Cuts: the connection to PostgreSQL breaks at the n-th message of the server, for one n after the other."""

import asyncio
from dataclasses import dataclass
from itertools import count

from chaos import effects
from chaos.history import read
from chaos.invariants import breaches, tally
from chaos.life import PATIENCE, lived
from chaos.proxy import Proxy
from chaos.report import Report
from chaos.server import Server, prepared
from chaos.site import Site
from chaos.storm import Progress, run_all


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """At which messages: every so many."""

    stride: int


SHORT = Size(stride=120)
LONG = Size(stride=2)


def tried(site: Site, server: Server, size: Size, seed: int, progress: Progress) -> Report:
    """A whole life of a call for each n; the server has done what the client never hears of."""
    site = Site(address=prepared(server.address), directory=site.directory).prepared()
    last = 0
    for number in count(1, size.stride):
        with Proxy(server.socket, cut_at=number) as proxy:
            here = Site(address=proxy.before(server.address), directory=site.directory)
            run_all(live, [(here, f"call{number}", f"call{number}.0")], patience=2 * PATIENCE)
            last = number if proxy.is_cut else last
        run_all(live, [(site, f"call{number}", f"call{number}.1")], patience=2 * PATIENCE)
        progress(f"cut at message {number} of PostgreSQL")
        if number > last + 3 * size.stride:
            break
    return _report(site, size, seed, last)


def live(site: Site, call: str, history: str) -> None:
    """One life of a call in this process."""
    asyncio.run(lived(site, call, history))


def _report(site: Site, size: Size, seed: int, last: int) -> Report:
    events, ran = read(site.histories.glob("*.jsonl")), effects.found(site.effects)
    counted = tally(events, ran)
    return Report(
        form="the connection breaks at the n-th message",
        faults="R-3, R-12",
        store="postgresql",
        size=f"{counted.calls} lives of a call, cut at every {size.stride}. of {last} messages",
        seed=seed,
        breaches=breaches(events, ran),
        tally=counted,
        figures={
            "ran": str(counted.ran),
            "unknown": str(counted.unknown),
            "errors told": str(counted.errors),
        },
        missed=[] if last else ["nothing was cut"],
    )
