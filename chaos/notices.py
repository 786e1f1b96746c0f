"""Scenario: notifications of PostgreSQL never arrive, or the listening connection is cut."""

import time
from dataclasses import dataclass, replace

from assent.stores.postgres.connections import POLL_SECONDS
from chaos.invariants import count_acts, find_breaches
from chaos.postgres import LocalPostgres, prepare_database
from chaos.proxy import Proxy
from chaos.report import Report, summarize_seconds
from chaos.site import Site
from chaos.worker_pool import Progress, WorkerPool, count_ended_calls, create_roles, delivery_times

_CUT_LISTENERS_SQL = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'assent' AND query ILIKE 'LISTEN%'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeSize:
    """The size of a run: calls without notifications, and calls while the listener is cut repeatedly."""

    deaf: int
    cut: int
    lines: int


SHORT_SIZE = NoticeSize(deaf=1, cut=2, lines=10)
LONG_SIZE = NoticeSize(deaf=20, cut=40, lines=40)


def run_scenario(
    site: Site, server: LocalPostgres, size: NoticeSize, seed: int, progress: Progress
) -> Report:
    """Drop all notifications, then cut the listeners; waiting callers are still woken."""
    prepare_database(server.address)
    progress("no notice arrives")
    with Proxy(server.socket) as proxy:
        roles = create_roles(askers=1, agents=1, lines=size.lines, approvers=1, most=size.deaf, name="deaf")
        roles = [replace(roles[0], address=proxy.proxied_address(server.address)), *roles[1:]]
        deaf = WorkerPool(Site(address=site.address, directory=site.directory / "deaf"), roles, seed)
        _finish_pool(deaf)
        dropped = proxy.dropped
    progress("the listener's connection is cut")
    roles = create_roles(askers=1, agents=1, lines=size.lines, approvers=1, most=size.cut, name="cut")
    cut = WorkerPool(Site(address=site.address, directory=site.directory / "cut"), roles, seed)
    cuts = _finish_pool(cut, server)
    return _make_report(size, seed, deaf, dropped, cut, cuts)


def _finish_pool(pool: WorkerPool, server: LocalPostgres | None = None) -> int:
    cuts = 0
    try:
        while pool.is_working():
            time.sleep(pool.random.uniform(0.1, 1.0))
            if server is not None:
                server.execute(_CUT_LISTENERS_SQL)
                cuts += 1
        pool.finish()
    finally:
        pool.close()
    return cuts


def _make_report(
    size: NoticeSize, seed: int, deaf: WorkerPool, dropped: int, cut: WorkerPool, cuts: int
) -> Report:
    events, effects = [*deaf.events(), *cut.events()], [*deaf.effects(), *cut.effects()]
    woken = {"no notice": delivery_times(deaf.events()), "listener cut": delivery_times(cut.events())}
    late = max((one for found in woken.values() for one in found), default=0.0)
    trips = count_ended_calls(events)
    return Report(
        scenario="notifications lost",
        faults="R-4",
        store="postgresql",
        size=f"{trips} round trips, {dropped} notices dropped, {cuts} cuts",
        seed=seed,
        breaches=find_breaches(events, effects),
        tally=count_acts(events, effects),
        figures={f"{name}: woken p50/p99/worst": summarize_seconds(found) for name, found in woken.items()},
        missed=[
            *([f"woken after {late:.1f} s"] if late > POLL_SECONDS + 1 else []),
            *([] if trips == (size.deaf + size.cut) * size.lines else [f"only {trips} round trips"]),
            *([] if dropped and cuts else ["nothing was dropped or cut"]),
        ],
    )
