"""Mishaps: failures of a server while clients use it."""

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
from chaos.server_process import DESCRIPTORS, ServerProcess
from chaos.site import Site

_HELD = 1.5
"""Seconds for which something is held, stopped, full or away."""
_LONG = 5.0
"""Seconds of the same, longer than visitors wait for a reply, and than the server waits for a lock."""
_SILENT = DESCRIPTORS + 200
"""Connections of a storm, which are more than the server has descriptors."""


def set_event() -> threading.Event:
    """An event that is already set."""
    event = threading.Event()
    event.set()
    return event


@dataclass
class ServerUnderTest:
    """The server and its database, on which a mishap acts."""

    site: Site
    serving: ServerProcess
    database: LocalPostgres | None = None
    """The PostgreSQL that is served; None where it is a file."""
    proxy: Proxy | None = None
    """Between the server and its PostgreSQL."""
    clusters: list[LocalPostgres] = field(default_factory=list[LocalPostgres])
    """Those that were made on the way; whoever made the world stops them."""
    kills: list[float] = field(default_factory=list[float])
    """When the server was killed."""
    restores: list[Restore] = field(default_factory=list[Restore])
    """When the database was moved."""
    claims_allowed: threading.Event = field(default_factory=set_event)
    """Whether agents come for their answers, and report."""


def kill(world: ServerUnderTest) -> None:
    """Kill the server with SIGKILL and start it again."""
    world.kills.append(time.monotonic())
    world.serving.kill()
    world.serving.start()


def freeze(world: ServerUnderTest) -> None:
    """Stop the server with SIGSTOP and let it continue."""
    world.serving.freeze(_HELD)


def freeze_long(world: ServerUnderTest) -> None:
    """The same, until clients time out and repeat their requests."""
    world.serving.freeze(_LONG)


def fill_disk(world: ServerUnderTest) -> None:
    """No file of the server can grow, as on a full disk."""
    pid = world.serving.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        time.sleep(_HELD)
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def exhaust_descriptors(world: ServerUnderTest) -> None:
    """Open more silent connections than the server has file descriptors."""
    most, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        with ExitStack() as opened:
            for _ in range(_SILENT):
                with suppress(OSError):  # The server should refuse connections.
                    opened.enter_context(socket.create_connection(("127.0.0.1", world.serving.port), _HELD))
            time.sleep(_HELD)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def restart_database(world: ServerUnderTest) -> None:
    """PostgreSQL crashes and is started again after a while."""
    assert world.database is not None
    world.database.restart(_HELD)


def lock_tables(world: ServerUnderTest) -> None:
    """Another session holds a lock on the tables of approvals and of the audit."""
    assert world.database is not None
    asyncio.run(_hold_lock(world.database.address))


def partition(world: ServerUnderTest) -> None:
    """Network partition between the server and PostgreSQL: no data, no error."""
    assert world.proxy is not None
    world.proxy.partition(_HELD)


def partition_long(world: ServerUnderTest) -> None:
    """The same, until clients time out and repeat their requests."""
    assert world.proxy is not None
    world.proxy.partition(_LONG)


def restore_elsewhere(world: ServerUnderTest) -> None:
    """The database is backed up and restored elsewhere: a new file, or a new cluster of PostgreSQL.

    Agents do not claim calls for a while before it, so that calls are approved, running and
    pending in the backup. Every second time the server is killed instead of stopped.
    """
    number = len(world.restores)
    backup = str(world.site.directory / f"backup-{number}")
    if world.database is None or world.proxy is None:
        before, new = world.serving.address, str(world.site.directory / f"restored-{number}.db")
        served = new
    else:
        before = world.database.address
        cluster = LocalPostgres(world.site.directory / f"server-{number}")
        world.clusters.append(cluster)
        world.database, new = cluster, cluster.address
        served = world.proxy.proxied_address(new)
    world.claims_allowed.clear()
    time.sleep(_HELD)
    if number % 2:
        world.serving.kill()
    else:
        world.serving.stop()
    dumped = time.monotonic()
    world.claims_allowed.set()
    asyncio.run(maintenance.backup(before, backup))
    asyncio.run(maintenance.restore(new, backup))
    if world.database is not None and world.proxy is not None:
        world.proxy.socket = world.database.socket
    world.serving.start(served)
    world.restores.append(Restore(dumped, time.monotonic()))


async def _hold_lock(address: str) -> None:
    connection = await asyncpg.connect(address)
    try:
        async with connection.transaction():
            await connection.execute("LOCK TABLE approvals, audit IN ACCESS EXCLUSIVE MODE")
            await asyncio.sleep(_LONG)
    finally:
        await connection.close()


Mishap = Callable[[ServerUnderTest], None]
EVERYWHERE: dict[str, Mishap] = {
    "kill -9": kill,
    "SIGSTOP": freeze,
    "long SIGSTOP": freeze_long,
    "full disk": fill_disk,
    "descriptors": exhaust_descriptors,
}
ON_POSTGRES: dict[str, Mishap] = {
    "PostgreSQL crash": restart_database,
    "table lock": lock_tables,
    "partition": partition,
    "long partition": partition_long,
}
LAST: dict[str, Mishap] = {"restore elsewhere": restore_elsewhere}


def choose_mishaps(world: ServerUnderTest, kills: int, chance: random.Random) -> list[tuple[str, Mishap]]:
    """The mishaps of one round in random order; a restore is last."""
    once = {**EVERYWHERE, **({} if world.database is None else ON_POSTGRES)}
    found = [*once.items(), *[("kill -9", kill)] * (kills - 1)]
    chance.shuffle(found)
    return [*found, *LAST.items()]
