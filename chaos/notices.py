"""Notices: PostgreSQL's notifications never arrive, or the connection that hears them is cut."""

import time
from dataclasses import dataclass, replace

from assent.stores.postgres.connections import POLL
from chaos.invariants import breaches, tally
from chaos.proxy import Proxy
from chaos.report import Report, spread
from chaos.server import Server, prepared
from chaos.site import Site
from chaos.storm import Progress, Storm, crew, deliveries, round_trips

_CUT = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'assent' AND query ILIKE 'LISTEN%'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How many calls wait without notices, and how many while the listener is cut off again and again."""

    deaf: int
    cut: int
    lines: int


SHORT = Size(deaf=1, cut=2, lines=10)
LONG = Size(deaf=20, cut=40, lines=40)


def tried(site: Site, server: Server, size: Size, seed: int, progress: Progress) -> Report:
    """First nobody hears anything, then everybody is interrupted; whoever waits is woken all the same."""
    prepared(server.address)
    progress("no notice arrives")
    with Proxy(server.socket) as proxy:
        roles = crew(askers=1, agents=1, lines=size.lines, approvers=1, most=size.deaf, name="deaf")
        roles = [replace(roles[0], address=proxy.before(server.address)), *roles[1:]]
        deaf = Storm(Site(address=site.address, directory=site.directory / "deaf"), roles, seed)
        _finish(deaf)
        dropped = proxy.dropped
    progress("the listener's connection is cut")
    roles = crew(askers=1, agents=1, lines=size.lines, approvers=1, most=size.cut, name="cut")
    cut = Storm(Site(address=site.address, directory=site.directory / "cut"), roles, seed)
    cuts = _finish(cut, server)
    return _report(size, seed, deaf, dropped, cut, cuts)


def _finish(storm: Storm, server: Server | None = None) -> int:
    cuts = 0
    try:
        while storm.is_working():
            time.sleep(storm.random.uniform(0.1, 1.0))
            if server is not None:
                server.execute(_CUT)
                cuts += 1
        storm.finish()
    finally:
        storm.close()
    return cuts


def _report(size: Size, seed: int, deaf: Storm, dropped: int, cut: Storm, cuts: int) -> Report:
    events, effects = [*deaf.events(), *cut.events()], [*deaf.effects(), *cut.effects()]
    woken = {"no notice": deliveries(deaf.events()), "listener cut": deliveries(cut.events())}
    late = max((one for found in woken.values() for one in found), default=0.0)
    trips = round_trips(events)
    return Report(
        form="notifications lost",
        faults="R-4",
        store="postgresql",
        size=f"{trips} round trips, {dropped} notices dropped, {cuts} cuts",
        seed=seed,
        breaches=breaches(events, effects),
        tally=tally(events, effects),
        figures={f"{name}: woken p50/p99/worst": spread(found) for name, found in woken.items()},
        missed=[
            *([f"woken after {late:.1f} s"] if late > POLL + 1 else []),
            *([] if trips == (size.deaf + size.cut) * size.lines else [f"only {trips} round trips"]),
            *([] if dropped and cuts else ["nothing was dropped or cut"]),
        ],
    )
