"""Mishaps: failures that are caused while clients use a server."""

import asyncio
import random
import resource
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field

import asyncpg

from assent.stores.admin import maintenance
from chaos.postgres import LocalPostgres
from chaos.proxy import Proxy
from chaos.restores import Restore
from chaos.server_process import MAX_DESCRIPTORS, ServerProcess
from chaos.site import Site

_MISHAP_SECONDS = 1.5
"""Duration of a mishap."""
_LONG_MISHAP_SECONDS = 5.0
"""Duration of a long mishap: longer than clients wait for a reply and the server for a lock."""
_SILENT_CONNECTIONS = MAX_DESCRIPTORS + 200
"""Number of silent connections, more than the server has file descriptors."""


def create_set_event() -> threading.Event:
    """An event that is already set."""
    event = threading.Event()
    event.set()
    return event


@dataclass
class ServerUnderTest:
    """The server and the database that a mishap affects."""

    site: Site
    serving: ServerProcess
    database: LocalPostgres | None = None
    """The PostgreSQL server; None for SQLite."""
    proxy: Proxy | None = None
    """The proxy between the server and PostgreSQL."""
    clusters: list[LocalPostgres] = field(default_factory=list[LocalPostgres])
    """PostgreSQL servers that mishaps started; stopped at the end of the run."""
    kills: list[float] = field(default_factory=list[float])
    """Times at which the server was killed."""
    restores: list[Restore] = field(default_factory=list[Restore])
    """The restores of the database."""
    claims_allowed: threading.Event = field(default_factory=create_set_event)
    """Set while agents may claim and report calls."""


def kill_server(target: ServerUnderTest) -> None:
    """Kill the server with SIGKILL and start it again."""
    target.kills.append(time.monotonic())
    target.serving.kill()
    target.serving.start()


def freeze_server(target: ServerUnderTest) -> None:
    """Freeze the server with SIGSTOP for a short time."""
    target.serving.freeze(_MISHAP_SECONDS)


def freeze_server_long(target: ServerUnderTest) -> None:
    """As above, but long enough that clients time out and repeat their requests."""
    target.serving.freeze(_LONG_MISHAP_SECONDS)


def fill_disk(target: ServerUnderTest) -> None:
    """Simulate a full disk: no file of the server can grow."""
    pid = target.serving.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        time.sleep(_MISHAP_SECONDS)
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def exhaust_descriptors(target: ServerUnderTest) -> None:
    """Open more silent connections than the server has file descriptors."""
    most, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        with ExitStack() as opened:
            for _ in range(_SILENT_CONNECTIONS):
                with suppress(OSError):  # The server should refuse connections.
                    opened.enter_context(
                        socket.create_connection(("127.0.0.1", target.serving.port), _MISHAP_SECONDS)
                    )
            time.sleep(_MISHAP_SECONDS)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def restart_database(target: ServerUnderTest) -> None:
    """Crash PostgreSQL and start it again after a while."""
    assert target.database is not None
    target.database.restart(_MISHAP_SECONDS)


def lock_tables(target: ServerUnderTest) -> None:
    """Hold a lock on the tables of approvals and audit in another session."""
    assert target.database is not None
    asyncio.run(_hold_lock(target.database.address))


def partition_database(target: ServerUnderTest) -> None:
    """Block all data between the server and PostgreSQL, without an error."""
    assert target.proxy is not None
    target.proxy.partition(_MISHAP_SECONDS)


def partition_database_long(target: ServerUnderTest) -> None:
    """As above, but long enough that clients time out and repeat their requests."""
    assert target.proxy is not None
    target.proxy.partition(_LONG_MISHAP_SECONDS)


def restore_elsewhere(target: ServerUnderTest) -> None:
    """Back up the database and restore it to a new file or a new PostgreSQL server.

    Before the backup, agents claim no calls for a while, so that the backup contains approved, running and
    pending calls. Every second time the server is killed instead of stopped.
    """
    number = len(target.restores)
    backup = str(target.site.directory / f"backup-{number}")
    if target.database is None or target.proxy is None:
        before, new = target.serving.address, str(target.site.directory / f"restored-{number}.db")
        served = new
    else:
        before = target.database.address
        cluster = LocalPostgres(target.site.directory / f"server-{number}")
        target.clusters.append(cluster)
        target.database, new = cluster, cluster.address
        served = target.proxy.proxied_address(new)
    target.claims_allowed.clear()
    time.sleep(_MISHAP_SECONDS)
    if number % 2:
        target.serving.kill()
    else:
        target.serving.stop()
    dumped = time.monotonic()
    target.claims_allowed.set()
    asyncio.run(maintenance.back_up_database(before, backup))
    asyncio.run(maintenance.restore_database(new, backup))
    if target.database is not None and target.proxy is not None:
        target.proxy.socket = target.database.socket
    target.serving.start(served)
    target.restores.append(Restore(dumped, time.monotonic()))


async def _hold_lock(address: str) -> None:
    connection = await asyncpg.connect(address)
    try:
        async with connection.transaction():
            await connection.execute("LOCK TABLE approvals, audit IN ACCESS EXCLUSIVE MODE")
            await asyncio.sleep(_LONG_MISHAP_SECONDS)
    finally:
        await connection.close()


Mishap = Callable[[ServerUnderTest], None]
MISHAPS_ON_ALL_STORES: dict[str, Mishap] = {
    "kill -9": kill_server,
    "SIGSTOP": freeze_server,
    "long SIGSTOP": freeze_server_long,
    "full disk": fill_disk,
    "descriptors": exhaust_descriptors,
}
MISHAPS_ON_POSTGRES: dict[str, Mishap] = {
    "PostgreSQL crash": restart_database,
    "table lock": lock_tables,
    "partition": partition_database,
    "long partition": partition_database_long,
}
LAST_MISHAPS: dict[str, Mishap] = {"restore elsewhere": restore_elsewhere}


def choose_mishaps(target: ServerUnderTest, kills: int, chance: random.Random) -> list[tuple[str, Mishap]]:
    """The mishaps of one round in random order, with the restore last."""
    once = {**MISHAPS_ON_ALL_STORES, **({} if target.database is None else MISHAPS_ON_POSTGRES)}
    found = [*once.items(), *[("kill -9", kill_server)] * (kills - 1)]
    chance.shuffle(found)
    return [*found, *LAST_MISHAPS.items()]
